import { exportPart } from '../loader/part';
import type { WalletPart } from '../loader/wallet';
import { WalletB } from '../wallet/wallet-b';

const part: WalletPart = { open: (seat) => new WalletB(seat) };

exportPart(part);

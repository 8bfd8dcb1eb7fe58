import { exportPart } from '../loader/part';
import type { WalletPart } from '../loader/wallet';
import { WalletA } from '../wallet/wallet-a';

const part: WalletPart = { open: (seat) => new WalletA(seat) };

exportPart(part);

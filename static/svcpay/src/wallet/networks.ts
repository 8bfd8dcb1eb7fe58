import { fault } from '../shared/errors';
import type { WalletSeat } from '../loader/wallet';

/** The networks of cards that wallets may offer, as pages name them. */
export const NETWORKS = ['AMEX', 'DISCOVER', 'JCB', 'MASTERCARD', 'VISA'] as const;

export type Network = (typeof NETWORKS)[number];

/**
 * The networks that a field allows. One that is not offered is told and left out; merchants of processor Q have them
 * all.
 */
export function networksOf(seat: WalletSeat): Network[] {
  const { cardNetworks } = seat.options();
  if (cardNetworks === undefined || seat.setup.bankProcessor === 'q') return [...NETWORKS];
  const asked: unknown[] = Array.isArray(cardNetworks) ? cardNetworks : [cardNetworks];
  const unknown = asked.filter((name) => !NETWORKS.includes(name as Network));
  const allowed = NETWORKS.filter((name) => asked.includes(name));
  if (unknown.length || !allowed.length) {
    seat.failed(
      fault(
        'network_not_supported',
        `cardNetworks takes ${NETWORKS.join(', ')}, one of them at least; not ${JSON.stringify(cardNetworks)}.`,
      ),
    );
  }
  return allowed;
}

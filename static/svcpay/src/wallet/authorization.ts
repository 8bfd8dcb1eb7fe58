import { fault, type PayError } from '../shared/errors';
import type { WalletRequest } from '../shared/protocol';
import { randomId } from '../shared/random';
import { billingOf } from '../shared/token-data';
import type { WalletSeat } from '../loader/wallet';

export const EXPIRED = fault(
  'authorization_expired',
  'The payer authorized too long ago. Have the payer authorize the payment again.',
  'wallet_error',
);

/** What a payer authorized in a wallet's sheet: good for one token, and for a while. */
export class Authorization {
  #seat: WalletSeat;
  #request: WalletRequest;
  #until: number;
  #state: 'open' | 'used' | 'over' = 'open';

  /** `supplied` is what the wallet knows of the payer, `life` how long it is good, in milliseconds. */
  constructor(seat: WalletSeat, payload: unknown, supplied: Record<string, string | undefined>, life: number) {
    this.#seat = seat;
    this.#until = performance.now() + life;
    const known = Object.entries(supplied).filter(([, text]) => text) as [string, string][];
    this.#request = { type: seat.type, payload, billing: Object.fromEntries(known), key: randomId() };
  }

  /** Ends it: a token that is asked for from now on, or in progress, is refused. */
  end(): void {
    this.#state = 'over';
  }

  /**
   * Makes the token. What the wallet supplied comes before the page's billing details. When these are wrong, or the
   * service could not be reached, the same authorization may be sent again.
   */
  async tokenize(billing: Record<string, unknown>): Promise<SvcPay.TokenResult> {
    const given = billingOf(billing);
    if (this.#state === 'used') throw notAuthorized();
    if (performance.now() > this.#until) this.end();
    this.#check();
    try {
      const result = await this.#seat.ask('wallet', {
        ...this.#request,
        billing: { ...given, ...this.#request.billing },
      });
      this.#check();
      this.#state = 'used';
      return result;
    } catch (caught) {
      const { type } = caught as PayError;
      if (this.#state === 'open' && type !== 'api_connection_error' && type !== 'api_error') this.#state = 'used';
      throw caught;
    }
  }

  #check(): void {
    if (this.#state === 'over') throw EXPIRED;
  }
}

export function notAuthorized(): PayError {
  return fault('field_not_authorized', 'The payer has not authorized a payment with the wallet yet.');
}

/** The first names and the last name of a name written as one. */
export function namesOf(name = ''): { first_name: string; last_name: string } {
  const words = name.trim().split(/\s+/);
  const last_name = words.pop() ?? '';
  return { first_name: words.join(' '), last_name };
}

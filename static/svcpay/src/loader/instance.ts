import type { Channel } from '../shared/channel';
import { asFault, fault, type PayError } from '../shared/errors';
import { CARD_INPUTS, type CardType } from '../shared/protocol';
import { uuid } from '../shared/random';
import { Field, type Host } from './field';
import { openFrame, type Frame } from './frame';
import { complain, raise } from './notice';
import type { Options } from './options';
import { billingOf } from './token-data';

/** How long a session may take, and a token with all its retries, in milliseconds. */
const SESSION_TIMEOUT = 30_000;
const TOKEN_TIMEOUT = 90_000;

const NOT_READY = fault('not_ready', 'canMakePayments() must complete before a field is mounted or a token created.');
const DESTROYED = fault('not_ready', 'This SvcPay instance was destroyed.');

/** Builds the page's SvcPay class for a pay origin. */
export function instanceFor(payOrigin: string): typeof SvcPay {
  return class SvcPay {
    static readonly version: string = SVCPAY_VERSION;

    /** Why the last canMakePayments or mount failed. */
    lastError: PayError | null = null;
    #query: Record<string, string>;
    #mounted = new Set<Field>();
    #frame: Frame | undefined;
    #link: Promise<Channel> | undefined;
    #asking: Promise<SvcPay.Capabilities | false> | undefined;
    #can: SvcPay.Capabilities | undefined;
    #controller: Channel | undefined;
    #destroyed = false;

    constructor(apiKey: string, merchantId: string | number, options: SvcPay.Options = {}) {
      if (!apiKey || typeof apiKey !== 'string') raise('invalid_public_key', 'SvcPay needs a public API key.');
      if (!/^\d+$/.test(String(merchantId))) raise('merchant_not_found', 'SvcPay needs a merchant id.');
      if (options?.swipe) complain('options.swipe is not offered by this version of the service.');
      this.#query = { k: apiKey, m: String(merchantId), i: uuid() };
    }

    /** What the merchant can take, or false (see lastError). A failure is asked again next time. */
    canMakePayments(): Promise<SvcPay.Capabilities | false> {
      this.#asking ??= this.#ask().catch((caught) => {
        this.lastError = asFault(caught);
        this.#asking = undefined;
        return false as const;
      });
      return this.#asking;
    }

    createField(type: string, options: Options = {}): Field {
      if (!Object.hasOwn(CARD_INPUTS, type)) {
        raise('payment_method_disabled', `The field type ${JSON.stringify(type)} is not offered by this version of the service.`);
      }
      return new Field(this.#host, type as CardType, options);
    }

    /** Turns what was typed into a token. Always resolves, to a result or to {error}. */
    async createToken(field: Field, tokenData?: unknown): Promise<SvcPay.TokenResult> {
      try {
        if (!this.#controller) throw this.#destroyed ? DESTROYED : NOT_READY;
        const request = { fields: this.#together(field), billing: billingOf(tokenData) };
        return await this.#controller.call('token', request, TOKEN_TIMEOUT);
      } catch (caught) {
        return { error: asFault(caught) };
      }
    }

    /** Removes every frame and handler; the instance cannot be used again. */
    destroy(): void {
      this.#destroyed = true;
      for (const field of [...this.#mounted]) field.unmountField();
      this.#controller = this.#can = this.#asking = undefined;
      this.#frame?.close(DESTROYED);
    }

    async #ask(): Promise<SvcPay.Capabilities | false> {
      if (this.#destroyed) throw DESTROYED;
      const link = await (this.#link ??= this.#open());
      const can: SvcPay.Capabilities = await link.call('session', undefined, SESSION_TIMEOUT);
      if (!Object.values(can.methods).some(Boolean)) {
        throw fault('payment_method_disabled', 'The merchant cannot take payments now.', 'invalid_request_error');
      }
      this.#controller = link;
      this.#can = can;
      this.lastError = null;
      return can;
    }

    async #open(): Promise<Channel> {
      if (!document.body) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
      if (this.#destroyed) throw DESTROYED;
      return new Promise((resolve, reject) => {
        this.#frame = openFrame(document.body, {
          url: this.#host.address('controller', {}),
          title: 'Payment service',
          settings: () => undefined,
          handlers: {},
          opened: resolve,
          failed: (error) => {
            this.#frame?.element.remove();
            this.#link = undefined;
            reject(error);
          },
        });
        this.#frame.element.hidden = true;
        this.#frame.element.style.display = 'none';
      });
    }

    /** The ids of the fields that make one card with `field`. */
    #together(field: Field): string[] {
      if (!this.#mounted.has(field)) throw fault('field_not_mounted', 'createToken needs a mounted field of this instance.');
      const set = field.type === 'card' ? [field] : [...this.#mounted].filter(({ type }) => type !== 'card');
      if (!set.every(({ id }) => id)) throw fault('not_ready', 'A card field is still loading.');
      return set.map(({ id }) => id);
    }

    #host: Host = {
      mounted: this.#mounted,
      obstacle: () => {
        if (!this.#can) return this.#destroyed ? DESTROYED : NOT_READY;
        return this.#can.methods.cc ? undefined : fault('payment_method_disabled', 'The merchant does not take cards.', 'invalid_request_error');
      },
      address: (path, query) =>
        `${payOrigin}/${SVCPAY_VERSION}/frame/${path}?${new URLSearchParams({ ...query, ...this.#query })}`,
      note: (error) => (this.lastError = error),
      dropped: (id) => this.#controller?.send('drop', id),
    };
  };
}

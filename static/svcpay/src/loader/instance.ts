import type { Channel } from '../shared/channel';
import { asFault, fault, type PayError } from '../shared/errors';
import type { Setup } from '../shared/protocol';
import { randomId } from '../shared/random';
import { NO_TOKEN } from './daf';
import { TokenField, unmountLost, type Field, type Host } from './field';
import { openFrame, type Frame } from './frame';
import { checkKey } from './key';
import { localeOf } from './locale';
import { raise } from './notice';
import type { Options } from './options';
import { dafQuote } from './quote';
import type { Method } from './method';
import { typeOf } from './types';

/** How long a session may take, and what the controller is asked for with all its retries, in milliseconds. */
const SESSION_TIMEOUT = 30_000;
const ASK_TIMEOUT = 90_000;

const NOT_READY = fault('not_ready', 'canMakePayments() must complete before a field is mounted or a token created.');
const NOT_MOUNTED = fault('field_not_mounted', 'createToken needs a mounted field of this instance.');
const RELOADED = fault('not_ready', 'The payment service frame was taken out of the page.');
const DESTROYED = fault('not_ready', 'This SvcPay instance was destroyed.');

/** Builds the page's SvcPay class for a pay origin. */
export function instanceFor(payOrigin: string): typeof SvcPay {
  return class SvcPay {
    static readonly version: string = SVCPAY_VERSION;
    static dafQuote = dafQuote;

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
    /** What this instance is for: the method of its first field. */
    #method: Method | undefined;

    constructor(apiKey: string, merchantId: string | number, options: SvcPay.Options = {}) {
      checkKey(apiKey);
      if (!/^\d+$/.test(String(merchantId))) raise('merchant_not_found', 'SvcPay needs a merchant id.');
      const { swipe, locale } = options ?? {};
      this.#host.swipe = !!swipe;
      this.#query = { k: apiKey, m: String(merchantId), i: randomId(), l: localeOf(locale) };
    }

    /** What the merchant can take, or false (see lastError). A failure is asked again next time. */
    canMakePayments(): Promise<SvcPay.Capabilities | false> {
      this.#forget();
      const asking: Promise<SvcPay.Capabilities | false> = (this.#asking ??= this.#ask().catch((caught) => {
        this.lastError = asFault(caught);
        if (this.#asking === asking) this.#asking = undefined;
        return false;
      }));
      return asking;
    }

    createField(type: string, options: Options = {}): any {
      const { method, make } = typeOf(type);
      if (method !== (this.#method ??= method)) {
        raise(
          'payment_type_conflict',
          'Each payment type needs an instance of its own: make another SvcPay for this field.',
        );
      }
      return make(this.#host, options);
    }

    /** Turns what was typed into a token. Always resolves, to a result or to {error}. */
    async createToken(field: { type: string }, tokenData?: unknown): Promise<any> {
      try {
        if (field?.type === 'daf') throw NO_TOKEN;
        const obstacle = this.#obstacle();
        if (obstacle) throw obstacle;
        unmountLost(this.#mounted);
        if (!(field instanceof TokenField) || !this.#mounted.has(field)) throw NOT_MOUNTED;
        if (field.unavailable) throw field.unavailable;
        return await field.tokenize(tokenData);
      } catch (caught) {
        return { error: asFault(caught) };
      }
    }

    /** Removes every frame and handler; the instance cannot be used again. */
    destroy(): void {
      this.#destroyed = true;
      for (const field of [...this.#mounted]) field.unmount();
      for (const frame of this.#host.spares) frame.remove();
      this.#controller = this.#can = this.#asking = undefined;
      this.#frame?.close(DESTROYED);
      this.#frame = undefined;
    }

    /**
     * Begins again where the controller's frame is gone, with everything else that a page took out of itself perhaps.
     */
    #forget(): void {
      if (!this.#frame || this.#frame.element.isConnected) return;
      this.#frame.close(RELOADED);
      this.#frame = this.#link = this.#asking = this.#controller = undefined;
    }

    async #ask(): Promise<SvcPay.Capabilities | false> {
      if (this.#destroyed) throw DESTROYED;
      const link = await (this.#link ??= this.#open());
      const { setup, ...can }: SvcPay.Capabilities & { setup: Setup } = await link.call(
        'session', undefined, SESSION_TIMEOUT,
      );
      if (!Object.values(can.methods).some(Boolean)) {
        throw fault(
          'payment_method_disabled',
          "This merchant can't accept payments right now: it isn't active, or it has no processor account.",
          'invalid_request_error',
        );
      }
      this.#controller = link;
      this.#can = can;
      this.#host.setup = setup;
      this.lastError = null;
      return can;
    }

    async #open(): Promise<Channel> {
      if (!document.body) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
      if (this.#destroyed) throw DESTROYED;
      return new Promise((resolve, reject) => {
        const frame = (this.#frame = openFrame(document.body, {
          url: this.#host.address('controller', { p: this.#method ?? '' }),
          title: 'Payment service',
          settings: () => undefined,
          handlers: {},
          opened: (link) => {
            resolve(link);
            if (this.#controller) this.#restart(link);
          },
          failed: (error) => {
            frame.element.remove();
            reject(error);
          },
        }));
        frame.element.hidden = true;
        frame.element.style.display = 'none';
      });
    }

    /**
     * A frame that the page has moved has loaded again, and knows neither session nor fields, which join for the
     * session.
     */
    #restart(link: Channel): void {
      this.#link = Promise.resolve(link);
      this.#asking = undefined;
      void this.canMakePayments();
    }

    /** What is in the way of everything but canMakePayments. */
    #obstacle(): PayError | undefined {
      if (this.#can) return undefined;
      return this.#destroyed ? DESTROYED : NOT_READY;
    }

    /** Asks the controller, wherever it is now. */
    async #call(name: string, body: unknown): Promise<any> {
      if (!(await this.canMakePayments())) throw this.lastError;
      return this.#controller!.call(name, body, ASK_TIMEOUT);
    }

    #host: Host = {
      payOrigin,
      locale: () => this.#query.l!,
      swipe: false,
      setup: {} as Setup,
      mounted: this.#mounted,
      spares: new Set(),
      obstacle: (method) => {
        if (!this.#can) return this.#obstacle();
        void this.canMakePayments(); // The field's frame waits for the controller.
        if (this.#can.methods[method]) return undefined;
        return fault(
          'payment_method_disabled',
          `The merchant does not accept this payment method (${method}).`,
          'invalid_request_error',
        );
      },
      address: (path, query) =>
        `${payOrigin}/${SVCPAY_VERSION}/frame/${path}?${new URLSearchParams({ ...query, ...this.#query })}`,
      note: (error) => (this.lastError = error),
      ask: (name, body) => this.#call(name, body),
      dropped: (id) => this.#controller?.send('drop', id),
    };
  } as unknown as typeof SvcPay; // Whose errors list their codes.
}

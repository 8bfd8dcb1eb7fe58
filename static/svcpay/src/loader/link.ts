import type { ModalPart } from '../parts/modal';
import type { Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import type { LinkRequest, LinkResult, RedeemRequest } from '../shared/protocol';
import { uuid } from '../shared/random';
import { TokenField, type Host } from './field';
import type { Modal } from './modal';
import { ignored } from './notice';
import { clean, schemeOf, type Options } from './options';
import { loadPart } from './part';
import { bankDataOf } from './token-data';
import type { Method } from './method';

/** What tells one kind of bank account that is given in a modal from another. */
export interface LinkKind {
  type: string;
  method: Method;
  scheme: LinkRequest['scheme'];
  /** The event that reports the payer's authorization. */
  authorized: string;
}

const TITLES = { en: 'Pay from your bank account', fr: 'Payer depuis votre compte bancaire' };

/** The button that opens the modal in which a payer gives a bank account, of which a token can be made once. */
export abstract class LinkField extends TokenField {
  #kind: LinkKind;
  #modal: Modal | undefined;
  /** What the payer authorized last, and the key of the requests for its token, however many it takes. */
  #authorized: Pick<RedeemRequest, 'authorization' | 'key'> | undefined;

  constructor(host: Host, kind: LinkKind, options: Options) {
    const { type, method } = kind;
    super(host, {
      type,
      method,
      path: 'button',
      title: TITLES[languageOf(kind, host)],
      box: { height: '48px', minWidth: '186px' },
    });
    this.#kind = kind;
    this.options = clean(options);
  }

  override unmountField(): void {
    this.#modal?.close();
    super.unmountField();
  }

  override async tokenize(tokenData: unknown): Promise<SvcPay.BankTokenResult> {
    const request = bankDataOf(tokenData);
    const authorized = this.#authorized;
    if (!authorized) {
      throw fault(
        'field_not_authorized',
        `The payer has not authorized debits: wait for ${this.#kind.authorized}.`,
        'invalid_request_error',
      );
    }
    const result = await this.host.ask('redeem', { ...request, ...authorized });
    if (this.#authorized === authorized) this.#authorized = undefined; // It does once.
    return result;
  }

  protected override handlers(): Handlers {
    return { click: () => void this.#open() };
  }

  protected override settings(): Options {
    return { disabled: this.options.disabled, scheme: schemeOf(this.container!), language: this.#language };
  }

  /** Complains about options that a button does not have. */
  protected reject(options: Options): void {
    for (const name of Object.keys(options ?? {})) {
      if (name !== 'disabled') ignored(name, this.type);
    }
  }

  /** Loads what the click needs ahead of it, which then need not wait; it asks again for what could not be had. */
  protected prepare(): void {
    if (this.container) this.#part().catch(() => {});
  }

  get #language(): 'en' | 'fr' {
    return languageOf(this.#kind, this.host);
  }

  async #open(): Promise<void> {
    const part = await this.#part().catch((error: PayError) => this.failed(error));
    if (!part) return;
    if (this.#modal?.open || !this.container) return;
    const scheme = schemeOf(this.container);
    const request: LinkRequest = { scheme: this.#kind.scheme, locale: this.#language, color_scheme: scheme };
    this.#modal = new part.Modal({
      title: TITLES[this.#language],
      language: this.#language,
      scheme,
      address: async () => new URL((await this.host.ask('link', request)).path, this.host.payOrigin).href,
      done: (result) => this.#closed(result),
      failed: (error: PayError) => this.failed(error),
    });
  }

  #part(): Promise<ModalPart> {
    return loadPart(this.host.payOrigin, 'modal');
  }

  #closed(result: LinkResult | undefined): void {
    this.focus();
    if (result?.outcome !== 'authorized' || !result.authorization) return;
    this.#authorized = { authorization: result.authorization, key: uuid() };
    this.events.emit(this.#kind.authorized, {});
  }
}

/** Pre-authorized debits are authorized in English and French, others in English alone. */
function languageOf({ scheme }: LinkKind, host: Host): 'en' | 'fr' {
  return scheme === 'acss' && host.locale().startsWith('fr') ? 'fr' : 'en';
}

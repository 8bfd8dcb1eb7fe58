import { fault } from '../shared/errors';
import type { LinkRequest, LinkResult, RedeemRequest } from '../shared/protocol';
import { randomId } from '../shared/random';
import type { Host } from './field';
import type { Method } from './method';
import { ModalField } from './modal-field';
import { ignored } from './notice';
import { clean, type Options } from './options';

/** The button that opens the modal in which a payer gives a bank account, of which a token can be made once. */
export abstract class LinkField extends ModalField {
  #scheme: 'ach' | 'acss';
  /** What the payer authorized last, and the key of the requests for its token, however many it takes. */
  #authorized: Pick<RedeemRequest, 'authorization' | 'key'> | undefined;

  constructor(host: Host, type: string, scheme: Method & LinkRequest['scheme'], options: Options) {
    super(host, type, scheme, 'Pay from your bank account');
    this.#scheme = scheme;
    this.options = clean(options);
  }

  override async tokenize(tokenData: unknown): Promise<SvcPay.BankTokenResult> {
    const authorized = this.#authorized;
    if (!authorized) {
      throw fault(
        'field_not_authorized',
        `The payer has not authorized debits: wait for ${this.#scheme}Authorized.`,
        'invalid_request_error',
      );
    }
    const result = await this.host.ask('redeem', { country: '', billing: clean(tokenData), ...authorized });
    if (this.#authorized === authorized) this.#authorized = undefined; // It does once.
    return result;
  }

  /** Complains about options that a button does not have. */
  protected reject(options: Options): void {
    ignored(options, ['disabled'], this.type);
  }

  protected override begin(color_scheme: LinkRequest['color_scheme'], locale: string): Promise<{ path: string }> {
    const request: LinkRequest = { scheme: this.#scheme, locale, color_scheme };
    return this.host.ask('link', request);
  }

  protected override closed(result: LinkResult | undefined): void {
    if (result?.outcome !== 'authorized' || !result.authorization) return;
    this.#authorized = { authorization: result.authorization, key: randomId() };
    this.events.emit(`${this.#scheme}Authorized`, {});
  }
}

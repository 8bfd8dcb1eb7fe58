import { fault, type PayError } from '../shared/errors';
import type { DafRequest, DafResult } from '../shared/protocol';
import type { Host } from './field';
import { ModalField } from './modal-field';
import { ignored } from './notice';
import { clean, type Options } from './options';
import { wholeDollarsOf } from './price';

const OPTIONS = ['customerDetail', 'disabled', 'price'];

export const NO_TOKEN = fault(
  'daf_has_no_token',
  'A DAF donation has no token: pass the dafAuthorized event to POST /api/dafDonations.',
);

/** The button that opens the modal in which a donor authorizes a grant from a donor-advised fund. */
export class DafField extends ModalField {
  declare readonly type: 'daf';
  #amount = 0;

  constructor(host: Host, options: Options) {
    super(host, 'daf', 'daf', 'Donate from a donor-advised fund');
    this.updateField(options);
  }

  /** The amount that the modal opens with, as "25.00". */
  setPrice(price: string): void {
    this.#amount = 0; // An invalid price does not leave the one before.
    this.#amount = wholeDollarsOf(price);
  }

  override updateField(options: Options): void {
    ignored(options, OPTIONS, this.type);
    const { price, ...rest } = clean(options);
    super.updateField(rest);
    if (price !== undefined) this.setPrice(price);
  }

  override tokenize(): never {
    throw NO_TOKEN;
  }

  protected override hindrance(): PayError | undefined {
    return this.#amount
      ? undefined
      : fault('price_required', 'setPrice must be called before a donor can open the DAF modal.');
  }

  protected override begin(scheme: DafRequest['scheme'], locale: string): Promise<{ path: string }> {
    const request: DafRequest = { amount: this.#amount, customerDetail: this.options.customerDetail, scheme, locale };
    return this.host.ask('daf', request);
  }

  protected override closed(result: DafResult | undefined): void {
    if (result?.outcome !== 'authorized') return this.events.emit('dafCanceled', {});
    const { workflowSessionId, grantId, amount, user } = result;
    const { firstName = '', lastName = '', email = '', note = '' } = user ?? {};
    this.events.emit('dafAuthorized', {
      ...(workflowSessionId ? { workflowSessionId } : { grantId }),
      amount,
      user: { firstName, lastName, email, note },
    });
  }
}

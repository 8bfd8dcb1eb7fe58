import type { Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import type { DafRequest, DafResult } from '../shared/protocol';
import { Field, type Host } from './field';
import type { Modal } from './modal';
import type { ModalPart } from '../parts/modal';
import { ignored } from './notice';
import { clean, schemeOf, type Options } from './options';
import { loadPart } from './part';
import { wholeDollarsOf } from './price';

const TITLE = 'Donate from a donor-advised fund';
const OPTIONS = ['customerDetail', 'disabled', 'price'];

/** The button that opens the modal in which a donor authorizes a grant from a donor-advised fund. */
export class DafField extends Field {
  declare readonly type: 'daf';
  #amount = 0;
  #modal: Modal | undefined;

  constructor(host: Host, options: Options) {
    // At least as large as the wallets' buttons.
    super(host, {
      type: 'daf',
      method: 'daf',
      path: 'button',
      title: TITLE,
      box: { height: '48px', minWidth: '186px' },
    });
    this.updateField(options);
  }

  override mount(target: string | Element): void {
    super.mount(target);
    // Ahead of the click, which then need not wait; it asks again for what could not be had.
    if (this.container) this.#part().catch(() => {});
  }

  /** The amount that the modal opens with, as "25.00". */
  setPrice(price: string): void {
    this.#amount = wholeDollarsOf(price);
  }

  override updateField(options: Options): void {
    for (const name of Object.keys(options ?? {})) {
      if (!OPTIONS.includes(name)) ignored(name, this.type);
    }
    const { price, ...rest } = clean(options);
    if (price !== undefined) this.setPrice(price);
    super.updateField(rest);
  }

  override unmountField(): void {
    this.#modal?.close();
    super.unmountField();
  }

  protected override handlers(): Handlers {
    return { click: () => void this.#open() };
  }

  protected override settings(): Options {
    return { disabled: this.options.disabled, scheme: schemeOf(this.container!) };
  }

  async #open(): Promise<void> {
    if (!this.#amount)
      return this.failed(fault('price_required', 'setPrice must be called before a donor can open the DAF modal.'));
    const part = await this.#part().catch((error: PayError) => this.failed(error));
    if (!part) return;
    if (this.#modal?.open || !this.container) return;
    const scheme = schemeOf(this.container);
    const request: DafRequest = { amount: this.#amount, customerDetail: this.options.customerDetail, scheme };
    this.#modal = new part.Modal({
      title: TITLE,
      language: 'en',
      scheme,
      address: async () => {
        const { path } = await this.host.ask('daf', request);
        return new URL(path, this.host.payOrigin).href;
      },
      done: (result) => this.#closed(result),
      failed: (error) => this.failed(error),
    });
  }

  #part(): Promise<ModalPart> {
    return loadPart(this.host.payOrigin, 'modal');
  }

  #closed(result: DafResult | undefined): void {
    this.focus();
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

import type { BankForm } from '../bankform/form';
import type { Dictionary } from '../bankform/inputs';
import type { BankFormPart } from '../parts/bankform';
import { asFault, type PayError } from '../shared/errors';
import type { FieldState } from '../shared/protocol';
import { LOADING, type Host } from './field';
import { LinkField } from './link';
import type { Options } from './options';
import { loadPart } from './part';

/**
 * A bank account in the United States: at merchants of processor P a form in the page, at those of Q a button with a
 * modal.
 */
export class BankField extends LinkField {
  declare readonly type: 'bankaccount';
  #form: BankForm | undefined;

  constructor(host: Host, options: Options) {
    super(host, 'bankaccount', 'ach', options);
  }

  override mount(target: string | Element): void {
    if (this.#linked) {
      this.reject(this.options);
      return super.mount(target);
    }
    const container = this.place(target);
    if (!container) return;
    this.show({ empty: true, complete: false });
    const current = this.mounting;
    Promise.all([loadPart<BankFormPart>(this.host.payOrigin, 'bankform'), this.#words()]).then(
      ([{ BankForm }, dictionary]) => {
        if (current === this.mounting) this.#form = this.#make(BankForm, container, dictionary);
      },
      (error: PayError) => current === this.mounting && this.failed(error, true),
    );
  }

  override unmount(): void {
    this.#form?.close();
    this.#form = undefined;
    super.unmount();
  }

  override updateField(options: Options): void {
    if (this.#linked) this.reject(options);
    super.updateField(options);
    this.#form?.update(this.options);
  }

  override focus(): void {
    if (this.#form) this.#form.focus();
    else super.focus();
  }

  clear(): void {
    this.#form?.clear();
  }

  override async tokenize(tokenData: unknown): Promise<SvcPay.BankTokenResult> {
    if (this.#linked) return super.tokenize(tokenData);
    const form = this.#form;
    if (!form) throw LOADING;
    const request = await form.request(tokenData);
    try {
      return await this.host.ask('bank', request);
    } catch (caught) {
      form.refuse(asFault(caught));
      throw caught;
    }
  }

  get #linked(): boolean {
    return this.host.setup.bankProcessor === 'q';
  }

  /** The form's words in its language; where they cannot be had it is in English, as any field is. */
  async #words(): Promise<Dictionary> {
    return this.host.locale() === 'en' ? {} : this.host.ask('words', undefined).catch(() => ({}));
  }

  #make(Form: typeof BankForm, container: Element, dictionary: Dictionary): BankForm {
    return new Form(container, this.options, {
      mandate: this.host.setup.mandate!,
      dictionary,
      address: (t, f) => this.host.address('bank', { t, f }),
      dropped: (id) => this.host.dropped(id),
      ready: () => {
        this.available();
        this.events.emit('ready', {});
      },
      changed: (state) => this.changed(state),
      focused: (focus) => this.focused(focus),
      failed: (error: PayError) => this.failed(error),
    });
  }

  protected override changed(state: FieldState): void {
    this.show(state);
    super.changed(state);
  }
}

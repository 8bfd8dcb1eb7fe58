import type { ModalPart } from '../parts/modal';
import type { Handlers } from '../shared/channel';
import type { PayError } from '../shared/errors';
import { TokenField, type Host } from './field';
import type { Method } from './method';
import type { Modal, Result } from './modal';
import { schemeOf, type Options } from './options';
import { loadPart } from './part';

/** A button that opens a modal. */
export abstract class ModalField extends TokenField {
  #modal: Modal | undefined;

  constructor(host: Host, type: string, method: Method, title: string) {
    // At least as large as the wallets' buttons.
    super(host, { type, method, path: 'button', title, box: { height: '48px', minWidth: '186px' } });
  }

  override mount(target: string | Element): void {
    super.mount(target);
    // Ahead of the click, which then need not wait; it asks again for what could not be had.
    if (this.container) this.#part().catch(() => {});
  }

  override unmount(): void {
    this.#modal?.close();
    super.unmount();
  }

  /** Why the modal can't open now, if it can't. */
  protected hindrance(): PayError | undefined {
    return undefined;
  }

  /** Asks the controller where the modal's pages begin. */
  protected abstract begin(scheme: 'light' | 'dark', locale: string): Promise<{ path: string }>;

  /** Takes what the pages told, or nothing if the payer closed the modal. */
  protected abstract closed(result: Result | undefined): void;

  protected override handlers(): Handlers {
    return { click: () => void this.#open() };
  }

  protected override settings(): Options {
    return { disabled: this.options.disabled, scheme: schemeOf(this.container!), language: this.host.locale() };
  }

  async #open(): Promise<void> {
    const failed = (error: PayError) => this.failed(error);
    const hindrance = this.hindrance();
    if (hindrance) return failed(hindrance);
    const part = await this.#part().catch(failed);
    if (!part || this.#modal?.open || !this.container) return;
    const scheme = schemeOf(this.container);
    const language = this.host.locale();
    this.#modal = new part.Modal({
      type: this.type,
      language,
      scheme,
      address: async () => new URL((await this.begin(scheme, language)).path, this.host.payOrigin).href,
      done: (result) => {
        this.focus();
        this.closed(result);
      },
      failed,
    });
  }

  #part(): Promise<ModalPart> {
    return loadPart(this.host.payOrigin, 'modal');
  }
}

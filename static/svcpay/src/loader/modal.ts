import type { DafResult, LinkResult } from '../shared/protocol';
import { fault, asFault, type PayError } from '../shared/errors';
import { openFrame, type Frame } from './frame';
import { MODAL_STYLES } from './modal-styles';

/** What the pages tell. */
export type Result = DafResult & LinkResult;

/** What the dialog itself says. */
const TEXTS: Record<string, Record<'close' | 'wait' | 'again' | 'late' | 'fail', string>> = {
  en: {
    close: 'Close',
    wait: 'Loading…',
    again: 'Try again',
    late: 'The payment form did not load in time.',
    fail: 'This form cannot be opened right now. Please try again later.',
  },
  es: {
    close: 'Cerrar',
    wait: 'Cargando…',
    again: 'Intentar de nuevo',
    late: 'El formulario de pago no se cargó a tiempo.',
    fail: 'Este formulario no se puede abrir en este momento. Inténtelo de nuevo más tarde.',
  },
  fr: {
    close: 'Fermer',
    wait: 'Chargement…',
    again: 'Réessayer',
    late: 'Le formulaire de paiement n’a pas été chargé à temps.',
    fail: 'Ce formulaire ne peut pas être ouvert pour le moment. Réessayez plus tard.',
  },
};

const DONATE: Record<string, string> = {
  en: 'Donate from a donor-advised fund', es: 'Donar con DAF', fr: 'Donner par DAF',
};
const PAY: Record<string, string> = {
  en: 'Pay from your bank account',
  es: 'Pagar desde su cuenta bancaria',
  fr: 'Payer depuis votre compte bancaire',
};

export interface ModalOptions {
  /** Of the field. */
  type: string;
  /** Of the title, and of what the dialog itself says. */
  language: string;
  scheme: 'light' | 'dark';
  /** Asks where the modal's pages begin. */
  address(): Promise<string>;
  /** Runs once: with what the pages tell, or without anything when the payer closed the modal. */
  done(result?: Result): void;
  /** Runs for each attempt to show the pages that failed; the payer may try again. */
  failed(error: PayError): void;
}

/** A dialog over the page that shows pages of the pay origin, and those they lead to. */
export class Modal {
  // In a shadow tree: the page's styles do not reach it, and need no exception in the page's policy.
  #host = document.createElement('div');
  #dialog = make('dialog');
  #alert = make('p');
  #options: ModalOptions;
  #title: string;
  #frame: Frame | undefined;
  #overflow = document.documentElement.style.overflow;
  #attempt = 0;
  #closed = false;
  /** A page that replaces its body removes the dialog; then it can be scrolled again. */
  #watch = new MutationObserver(() => this.open || this.close());

  constructor(options: ModalOptions) {
    this.#options = options;
    this.#title = (options.type === 'daf' ? DONATE : PAY)[options.language.slice(0, 2)]!;
    this.#build();
    document.body.append(this.#host);
    document.documentElement.style.overflow = 'hidden';
    this.#watch.observe(document, { childList: true, subtree: true });
    this.#dialog.showModal();
    void this.#load();
  }

  /** False once it is closed, also if the page took it away. */
  get open(): boolean {
    return this.#host.isConnected;
  }

  /** Takes it away without telling anybody. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#attempt++;
    this.#watch.disconnect();
    this.#frame?.close(fault('field_not_mounted', 'The dialog was closed.'));
    this.#dialog.close();
    this.#host.remove();
    document.documentElement.style.overflow = this.#overflow;
  }

  #build(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(MODAL_STYLES);
    const root = this.#host.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#dialog);

    const { scheme: className, language: lang } = this.#options;
    const texts = TEXTS[lang.slice(0, 2)]!;
    const close = make('button', { className: 'close', type: 'button', textContent: '×', ariaLabel: texts.close });
    close.onclick = () => this.#done();
    const again = make('button', { className: 'again', type: 'button', textContent: texts.again });
    again.onclick = () => void this.#load();
    const wait = make('p', { className: 'wait', textContent: texts.wait, role: 'status' });
    const fail = make('div', { className: 'fail' });
    this.#alert.role = 'alert';
    fail.append(this.#alert, again);
    this.#dialog.append(close, wait, fail);
    Object.assign(this.#dialog, { ariaLabel: this.#title, className, lang, tabIndex: -1 });
    // Escape, and whatever else a browser closes dialogs by.
    this.#dialog.onclose = () => this.#done();
  }

  async #load(): Promise<void> {
    const attempt = ++this.#attempt;
    const current = () => attempt === this.#attempt;
    const failed = (error: PayError) => current() && !this.#shows('open') && this.#fail(error);
    this.#frame?.close(fault('field_not_mounted', 'The dialog loads again.'));
    this.#frame = undefined;
    this.#show('loading');
    this.#alert.textContent = '';
    // Not to its first button: the title is read, and nothing that is about to go has the focus.
    this.#dialog.focus();
    try {
      const url = await this.#options.address();
      if (current()) this.#frame = this.#embed(url, failed);
    } catch (caught) {
      failed(asFault(caught));
    }
  }

  /**
   * Each page that the frame comes to gets a port of its own. That one of another host does not
   * answer is no failure; the first page is ours and must.
   */
  #embed(url: string, failed: (error: PayError) => void): Frame {
    const frame = openFrame(this.#dialog, {
      url,
      title: this.#title,
      modal: true,
      settings: () => ({ first: !this.#shows('open') }),
      handlers: { result: (result: Result) => this.#done(result), close: () => this.#done() },
      opened: (link) => {
        const shown = this.#shows('open');
        this.#show('open');
        if (!shown) frame.element.focus();
        if (this.#host.shadowRoot!.activeElement === frame.element) link.send('focus');
      },
      failed,
    });
    return frame;
  }

  #shows(state: string): boolean {
    return this.#dialog.dataset.state === state;
  }

  #show(state: 'loading' | 'open' | 'failed'): void {
    this.#dialog.dataset.state = state;
  }

  #fail(error: PayError): void {
    const { late, fail } = TEXTS[this.#options.language.slice(0, 2)]!;
    // What the controller tells is in the page's language already.
    const told = ['api_connection_error', 'rate_limit_error'].includes(error.type);
    this.#show('failed');
    this.#alert.textContent = error.code === 'frame_timeout' ? late : told ? error.message : fail;
    this.#options.failed(error);
  }

  #done(result?: Result): void {
    if (!this.open) return;
    this.close();
    this.#options.done(result);
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: object = {},
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}

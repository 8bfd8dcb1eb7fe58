import { openFrame, UNAVAILABLE, type Frame } from '../loader/frame';
import type { Options } from '../loader/options';
import type { Channel } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import type { BankNumber, FieldState } from '../shared/protocol';
import { randomId } from '../shared/random';
import { Wrapper, make, type PartState } from './part';
import type { Words } from './inputs';
import { looksOf } from './styles';

/** What a number tells the form. */
export interface NumberListener {
  changed(): void;
  focused(): void;
  /** The payer pressed Enter. */
  entered(): void;
  ready(): void;
  failed(error: PayError): void;
}

/**
 * A number, typed into a frame. Behind the frame lies an inert input of the page, for which the page's style sheet
 * holds:
 * it draws the box, and the frame's text takes on its look.
 */
export class NumberField {
  readonly wrapper: Wrapper;
  readonly member: string;
  /** Under which the controller knows the frame. */
  readonly id = randomId();
  #back = make('input', {
    className: 'SvcPay__input',
    tabIndex: -1,
    inert: true,
    ariaHidden: 'true',
    readOnly: true,
    placeholder: ' ',
  });
  #label = make('label', { className: 'SvcPay__label' });
  #frame: Frame;
  #link: Channel | undefined;
  #state: FieldState = { empty: true, complete: false };
  #refusal: PayError | undefined;
  #options: Options = {};
  #sent = '';
  #resized = new ResizeObserver(() => this.refresh());

  constructor(name: BankNumber, id: string, url: (id: string) => string, listener: NumberListener) {
    this.member = `bank_account.${name}`;
    const box = make('div', { className: 'SvcPay__frame' }, this.#back);
    this.#label.onclick = () => this.focus();
    this.wrapper = new Wrapper(name, id, this.#label, box);
    this.#frame = openFrame(box, {
      url: url(this.id),
      title: '', // comes with the words
      lost: UNAVAILABLE,
      settings: () => this.#settings(),
      handlers: {
        change: (state: FieldState) => {
          this.#state = state;
          this.#refusal = undefined;
          listener.changed();
        },
        focus: () => this.#focused(true, listener),
        blur: () => this.#focused(false, listener),
        enter: () => listener.entered(),
      },
      opened: (link) => {
        this.#link = link;
        this.refresh();
        listener.ready();
      },
      failed: listener.failed,
    });
    this.#resized.observe(this.#back);
    this.wrapper.element.addEventListener('transitionend', () => this.refresh());
  }

  get state(): PartState {
    return this.#refusal ? { ...this.#state, error: this.#refusal } : this.#state;
  }

  refuse(error: PayError): void {
    this.#refusal = error;
  }

  render(): PartState {
    const { state } = this;
    this.wrapper.show(state.error, this.#frame.element);
    for (const [variant, on] of Object.entries({
      empty: state.empty,
      complete: state.complete,
      invalid: !!state.error,
    })) {
      this.#back.classList.toggle(`SvcPay__input--${variant}`, on);
    }
    this.refresh();
    return state;
  }

  apply({ label, placeholder }: Words, options: Options): void {
    this.#label.textContent = this.#frame.element.title = label;
    this.#options = { ...options, label, placeholder };
    this.#back.classList.toggle('SvcPay__input--disabled', !!options.disabled);
    this.refresh();
  }

  /** Tells the frame how the page looks now, if that is news. */
  refresh(): void {
    const settings = this.#settings();
    if (!this.#link || JSON.stringify(settings) === this.#sent) return;
    this.#sent = JSON.stringify(settings);
    this.#link.send('update', settings);
  }

  /** Has the frame show every error there is. */
  async submit(): Promise<void> {
    if (!this.#link) throw fault('not_ready', 'The bank form is still loading.');
    this.#state = await this.#link.call('submit', undefined, 5000);
  }

  focus(): void {
    this.#frame.element.focus();
    this.#link?.send('focus');
  }

  clear(): void {
    this.#link?.send('clear');
  }

  close(): void {
    this.#resized.disconnect();
    this.#frame.close(fault('field_not_mounted', 'The field was unmounted.'));
  }

  #focused(focus: boolean, listener: NumberListener): void {
    this.#back.classList.toggle('SvcPay__input--focus', focus);
    this.refresh();
    listener.focused();
  }

  #settings(): Options {
    return this.#back.isConnected ? { ...this.#options, ...looksOf(this.#back) } : this.#options;
  }
}

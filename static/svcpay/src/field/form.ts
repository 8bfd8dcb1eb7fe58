import { fault, type PayError } from '../shared/errors';
import {
  CARD_INPUTS,
  type CardType,
  type Collected,
  type FieldState,
  type Fill,
  type InputName,
} from '../shared/protocol';
import { checkNumber } from './checks';
import { relays, stripe } from './hidden';
import { icon } from './icons';
import { CardInput } from './input';
import { applyStyle } from './style';
import { word } from './words';

/** The options of a field that concern its frame; they come from the page and are not trusted. */
export interface Settings {
  style?: unknown;
  value?: { postalCode?: unknown };
  hidePostalCode?: unknown;
  /** The payer's. */
  country?: unknown;
  hideBorders?: unknown;
  disabled?: unknown;
  placeholder?: unknown;
  scheme?: unknown;
  swipe?: unknown;
}

/** What the form reports; none of it contains what was typed. */
export interface Listener {
  changed(state: FieldState): void;
  focused(focus: boolean): void;
  /** The number was left with this brand. */
  branded(brand: string): void;
  /** The brand changed while typing. */
  detected(brand: string): void;
  /** There is something for the other frames of the card. */
  filled(fill: Fill): void;
  /** The payer pressed Enter. */
  entered(): void;
}

/** The digits of an expiration date so far, the first of which may be in the place of two. */
const DATE = /^(.|(0[1-9]|1[0-2])([2-4].?)?)$/;

/** The inputs of one frame, in one form so that browsers can fill them together. */
export class CardForm {
  readonly element = document.createElement('form');
  #inputs: CardInput[];
  #listener: Listener;
  #hidden: HTMLInputElement[] = [];
  #announcement = document.createElement('p');
  #notice = document.createElement('p');
  #swiped = false;
  #unread: PayError | undefined;
  #picture = icon('none');
  #brand = 'none';
  #reported = JSON.stringify({ empty: true, complete: false } satisfies FieldState);
  #postalCode: unknown;
  /** The payer's country if the page knows it, and the merchant's. */
  #country: any = '';
  #home = '';
  /** The countries without postal codes: see Joined. */
  #without: string[] = [];
  /** What was typed since the number was. */
  #after = '';

  constructor(type: CardType, listener: Listener) {
    this.#listener = listener;
    this.#inputs = CARD_INPUTS[type].map((name) => new CardInput(name));
    this.element.noValidate = true;
    this.element.className = type;
    if (this.#find('number')) this.element.append(this.#picture);
    this.element.append(...this.#inputs.map(({ element }) => element));
    this.#announcement.className = 'sr';
    this.#announcement.setAttribute('role', 'alert');
    Object.assign(this.#notice, { className: 'sr', role: 'status' });
    if (this.#inputs.length === 1) this.#hidden = relays(this.#inputs[0]!.name, listener.filled);
    this.element.append(...this.#inputs.map(({ wrong }) => wrong), this.#announcement, this.#notice, ...this.#hidden);
    this.#listen();
  }

  /** Takes on options; those that are missing return to their default. */
  apply({ style, value, hidePostalCode, country, hideBorders, disabled, placeholder, scheme }: Settings): void {
    document.documentElement.className = scheme === 'dark' ? 'dark' : 'light';
    this.element.classList.toggle('bare', !!hideBorders);
    applyStyle(style);
    for (const element of [...this.#hidden, ...this.#inputs.map(({ element }) => element)])
      element.disabled = !!disabled;
    const [first] = this.#inputs;
    if (this.#inputs.length === 1 && typeof placeholder === 'string') first!.element.placeholder = placeholder;
    const postal = this.#find('postal_code');
    if (postal) {
      postal.element.hidden = !!hidePostalCode;
      if (typeof value?.postalCode === 'string' && value.postalCode !== this.#postalCode) {
        this.#postalCode = value.postalCode;
        postal.text = value.postalCode.slice(0, 10);
      }
    }
    this.#country = country ?? '';
    this.#localize();
    this.#report();
  }

  /** What was reported last. */
  get state(): FieldState {
    return JSON.parse(this.#reported);
  }

  /** Words of the page's language, and what the controller knows of countries: see Joined. */
  localize(country: string, without: string[] = []): void {
    this.#home = country;
    this.#without = without;
    for (const input of this.#inputs) input.localize(input.name);
  }

  /** The words of the postal code depend on the payer's country. */
  #localize(): void {
    const free = this.#without.includes(this.#country);
    this.#find('postal_code')?.localize(
      free ? 'optional' : (this.#country || this.#home) === 'US' ? 'zip' : 'postal_code',
    );
  }

  /** Takes in what another frame has for this one; the payer has not been here, so that what is wrong shows. */
  fill({ values, swiped }: Fill): void {
    if (swiped !== undefined) this.#swiped = swiped;
    for (const input of this.#inputs) {
      input.swiped = this.#swiped && (input.name === 'cvc' || input.name === 'postal_code');
      const text = values[input.name];
      if (text === undefined) continue;
      input.text = text;
      input.demand = 'left';
    }
    this.#report();
  }

  /** Has a card swiped into this frame; `capture` focuses the input and listens to the swiper. */
  swipe(capture: typeof import('./swipe').capture): void {
    if (this.#inputs[0]!.element.disabled) return;
    const input = stripe(word('swipe'));
    this.element.append(input);
    this.#unread = undefined;
    capture(input, (result) => {
      const read = typeof result !== 'string';
      if (read) {
        this.#share({ values: { number: result.number, expiry: result.expiry }, swiped: true });
      } else {
        this.#unread = fault(result, word(result), 'card_error', 'card.number');
      }
      this.#notice.textContent = read ? word('swiped') : '';
      this.#report();
      this.focus();
    });
  }

  /** The brand, as another frame's number has it. */
  set brand(brand: string) {
    this.#brand = brand;
    const cvc = this.#find('cvc');
    if (cvc) cvc.brand = brand;
    this.#report();
  }

  /**
   * The card data with every error there is, which from now on shows. `country` is what the page knows of the payer
   * now, unless it said so before.
   */
  collect(country?: string): Collected {
    this.#country ||= country ?? '';
    this.#localize();
    for (const input of this.#shown) input.demand = 'submitted';
    this.#report();
    const values = Object.assign({}, ...this.#shown.map(({ part }) => part));
    if (this.#swiped && values.number) values.entry_mode = 'swiped';
    return {
      values,
      errors: this.#shown.flatMap(({ error }) => error ?? []),
    };
  }

  /** Focuses the first input that still needs something. */
  focus(): void {
    (this.#shown.find(({ check }) => !check.valid) ?? this.#shown[0])?.element.focus();
  }

  clear(): void {
    this.#typedAnew();
    for (const input of this.#inputs) input.clear();
  }

  get #shown(): CardInput[] {
    return this.#inputs.filter(({ element }) => !element.hidden);
  }

  #find(name: InputName): CardInput | undefined {
    return this.#inputs.find((input) => input.name === name);
  }

  #listen(): void {
    const { element } = this;
    element.addEventListener('submit', (event) => event.preventDefault());
    element.addEventListener('focusin', ({ relatedTarget }) => relatedTarget || this.#listener.focused(true));
    element.addEventListener('focusout', ({ relatedTarget }) => relatedTarget || this.#listener.focused(false));
    for (const input of this.#inputs) {
      input.element.addEventListener('input', (event) => this.#typed(input, event));
      input.element.addEventListener('composing', () => this.#report());
      input.element.addEventListener('blur', () => this.#left(input));
      input.element.addEventListener('keydown', (event) => this.#keyed(input, event));
      if (input.name === 'number') input.element.addEventListener('paste', (event) => this.#pasted(event), true);
    }
  }

  #typed(input: CardInput, event: Event): void {
    const { name } = input;
    const typed = event.isTrusted && name !== 'postal_code';
    if (name === 'number' && input.brand !== this.#brand) this.#rebrand(input.brand);
    if (typed && name !== 'cvc') this.#typedAnew();
    this.#extend(input, event as InputEvent);
    this.#report();
    const atEnd = input.element.selectionEnd === input.element.value.length;
    if (typed && atEnd && input.check.valid) this.#step(input, 1);
  }

  /** A number with a date after it fills both. */
  #pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text') ?? '';
    const [, number, expiry] = /^\s*(\d[\d -]{10,21}\d)[\s,;|]+(\d\d? ?\/ ?\d{2,4})/.exec(text) ?? [];
    if (!number) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#share({ values: { number, expiry } });
  }

  /**
   * Some cards' numbers are valid at 16 digits and go on to 19. Digits that were typed after the focus moved on, and
   * are no date, are the rest of such a number.
   */
  #extend(input: CardInput, { data }: InputEvent): void {
    this.#after = input.name === 'number' ? '' : this.#after + data;
    const number = this.#inputs[0]!;
    const longer = number.text + this.#after;
    if (input.name !== 'expiry' || DATE.test(input.text) || !checkNumber(longer).valid) return;
    input.text = '';
    number.text = longer;
  }

  /** What is typed is not what the stripe says. */
  #typedAnew(): void {
    this.#unread = undefined;
    if (this.#swiped) this.#share({ values: {}, swiped: false });
  }

  /** Fills this frame and the others of the card. */
  #share(fill: Fill): void {
    this.fill(fill);
    this.#listener.filled(fill);
  }

  #left(input: CardInput): void {
    if (input.demand === 'typing') input.demand = 'left';
    this.#report();
    if (input.name === 'number' && !input.empty) this.#listener.branded(input.brand);
  }

  /** Arrows and Backspace move between the inputs as if they were one. */
  #keyed(input: CardInput, { key, isComposing }: KeyboardEvent): void {
    const { element } = input;
    if (key === 'Enter' && !isComposing) this.#listener.entered();
    const { selectionStart, selectionEnd, value } = element;
    if (selectionStart !== selectionEnd) return;
    if (key === 'ArrowRight' && selectionEnd === value.length) this.#step(input, 1);
    if ((key === 'ArrowLeft' || (key === 'Backspace' && !value)) && selectionStart === 0) this.#step(input, -1);
  }

  #step(input: CardInput, by: number): void {
    this.#shown[this.#shown.indexOf(input) + by]?.element.focus();
  }

  #rebrand(brand: string): void {
    this.brand = brand;
    const picture = icon(brand);
    this.#picture.replaceWith(picture);
    this.#picture = picture;
    this.#listener.detected(brand);
  }

  /** Shows every input's state, and tells the page when the whole has changed. */
  #report(): void {
    const errors = this.#shown.map((input) => this.#mark(input));
    const error = this.#unread ?? errors.find(Boolean);
    this.element.classList.toggle('invalid', !!error);
    const message = error?.message ?? '';
    if (this.#announcement.textContent !== message) this.#announcement.textContent = message;
    const state: FieldState = {
      empty: this.#shown.every(({ empty }) => empty),
      complete: this.#shown.every(({ check }) => check.valid),
      ...(error && { error }),
    };
    const text = JSON.stringify(state);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#listener.changed(state);
  }

  #mark(input: CardInput) {
    const { element, wrong, error, empty, check } = input;
    element.classList.toggle('empty', empty);
    element.classList.toggle('complete', check.valid);
    element.classList.toggle('invalid', !!error);
    element.setAttribute('aria-invalid', String(!!error));
    wrong.textContent = error?.message ?? '';
    if (error) element.setAttribute('aria-describedby', wrong.id);
    else element.removeAttribute('aria-describedby');
    return error;
  }
}

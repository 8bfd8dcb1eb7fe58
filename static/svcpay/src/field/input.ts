import { acceptDigits, asciiDigits } from '../shared/digits';
import { fault, type PayError } from '../shared/errors';
import type { CardPart, InputName } from '../shared/protocol';
import { brandOf, cvcLengths } from './brands';
import { checkCvc, checkExpiry, checkNumber, checkPostalCode, expiryOf, VALID, type Check } from './checks';
import { expiryDigits } from './expiry';
import { formatter } from './formatter';
import { now } from './now';
import { word } from './words';

/** What browsers and password managers know the inputs by. */
export const AUTOCOMPLETE = {
  number: 'cc-number', expiry: 'cc-exp', cvc: 'cc-csc', postal_code: 'postal-code',
} as const;

const PATTERNS: Partial<Record<InputName, string>> = {
  number: brandOf('').pattern,
  expiry: '{{99}} / {{9999}}',
  cvc: '{{9999}}',
};

/** How much of an unfinished value counts as an error: none while typing, any after leaving, all on submit. */
type Demand = 'typing' | 'left' | 'submitted';

/** One input of the frame: formatted while typing, judged on leaving. */
export class CardInput {
  readonly name: InputName;
  readonly element = document.createElement('input');
  /** What a screen reader says at the input is wrong with it. */
  readonly wrong = Object.assign(document.createElement('p'), { hidden: true });
  demand: Demand = 'typing';
  optional = false;
  swiped = false;
  #restricted: ReturnType<typeof formatter> | undefined;
  #pattern: string | undefined;
  #brand = 'none';
  /** What was typed, oldest first, for undo. */
  #past = [''];

  constructor(name: InputName) {
    this.name = name;
    const pattern = PATTERNS[name];
    this.wrong.id = `${name}-error`;
    Object.assign(this.element, {
      id: name,
      name,
      className: `i ${name}`,
      type: 'text',
      autocomplete: AUTOCOMPLETE[name],
    });
    this.element.inputMode = pattern ? 'numeric' : 'text';
    this.element.spellcheck = false;
    this.localize(name);
    if (pattern) acceptDigits(this.element, () => this.element.dispatchEvent(new Event('composing')));
    if (name === 'expiry') this.#acceptDates();
    if (pattern) this.#restricted = formatter(this.element, pattern);
    else this.element.maxLength = 10;
    this.#pattern = pattern;
    if (pattern) this.#undoable();
    this.element.addEventListener('input', () => {
      this.demand = 'typing';
      this.brand = name === 'number' ? brandOf(this.text).name : this.#brand;
    });
  }

  /** Takes its label and placeholder from the words of the page's language. "optional" are those of an optional one. */
  localize(as: string): void {
    this.element.classList.toggle('optional', (this.optional = as === 'optional'));
    this.element.placeholder = word(`placeholder_${as}`);
    this.element.setAttribute('aria-label', word(`label_${as}`));
  }

  /** What was typed, without the formatter's additions. */
  get text(): string {
    const { value } = this.element;
    return this.name === 'postal_code' ? value.trim() : asciiDigits(value).replace(/\D/g, '');
  }

  set text(text: string) {
    this.element.value = text;
    this.element.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** Empties it, and forgets what was typed: the next person at the device cannot undo that. */
  clear(): void {
    this.#past = [''];
    this.text = '';
  }

  /** The card's brand: found here by the number, told to the security code. */
  get brand(): string {
    return this.#brand;
  }

  set brand(brand: string) {
    this.#brand = brand;
    if (this.name === 'number') this.#group(brandOf(this.text).pattern);
    // A code that is there already and too long is told, not cut.
    if (this.name === 'cvc') this.#group(`{{${'9'.repeat(Math.max(...cvcLengths(brand), this.text.length))}}}`);
  }

  get empty(): boolean {
    return !this.text;
  }

  get check(): Check {
    if ((this.optional || this.swiped) && this.empty) return VALID;
    switch (this.name) {
      case 'number':
        return checkNumber(this.text);
      case 'expiry':
        return checkExpiry(this.text, new Date(now()));
      case 'cvc':
        return checkCvc(this.text, cvcLengths(this.#brand));
      case 'postal_code':
        return checkPostalCode(this.text);
    }
  }

  /** The error to show now, if any. */
  get error(): PayError | undefined {
    const { valid, possible, code } = this.check;
    const early = this.demand === 'typing' || (this.demand === 'left' && this.empty);
    if (valid || (possible && early)) return undefined;
    return fault(code, word(code), 'validation_error', `card.${this.name}`);
  }

  /** The value as the service takes it; only the controller gets to see it. */
  get part(): CardPart {
    if (this.name !== 'expiry') return { [this.name]: this.text };
    const { month, year } = expiryOf(this.text);
    return { exp_month: month, exp_year: year };
  }

  #group(pattern: string): void {
    if (pattern !== this.#pattern) this.#restricted!.setPattern((this.#pattern = pattern));
  }

  /** Undoes what was typed: formatting makes the browser forget it. */
  #undoable(): void {
    const { element } = this;
    element.addEventListener('input', () => this.text !== this.#past.at(-1) && this.#past.push(this.text));
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (this.#past.length > 1) this.#past.pop();
      this.text = this.#past.at(-1)!;
    });
  }

  /** Rewrites dates in other notations before the formatter cuts them to four digits. */
  #acceptDates(): void {
    this.element.addEventListener('input', () => {
      const digits = expiryDigits(this.element.value);
      if (digits !== this.element.value) this.element.value = digits;
    });
    this.element.addEventListener('paste', (event) => {
      const pasted = event.clipboardData?.getData('text') ?? '';
      if (expiryDigits(pasted) === pasted) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.text = expiryDigits(pasted);
    });
  }
}

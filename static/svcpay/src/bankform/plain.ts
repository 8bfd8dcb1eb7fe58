import type { PayError } from '../shared/errors';
import { ACCOUNT_TYPES, MEMBERS, errorOf, judge, type Dictionary, type PlainName, type Words } from './inputs';
import { Wrapper, make, type Demand, type PartState } from './part';

const AUTOCOMPLETE: Partial<Record<PlainName, string>> = {
  account_holder_first_name: 'given-name',
  account_holder_last_name: 'family-name',
  email: 'email',
};

/** A field of the page itself, an input or the choice of the account's type. */
export class PlainField {
  readonly wrapper: Wrapper;
  readonly member: string;
  demand: Demand = 'typing';
  #name: PlainName;
  #control: HTMLInputElement | HTMLSelectElement;
  #label = make('label', { className: 'SvcPay__label' });
  #refusal: PayError | undefined;
  #dictionary: Dictionary;

  constructor(name: PlainName, id: string, dictionary: Dictionary, changed: () => void) {
    this.#name = name;
    this.#dictionary = dictionary;
    this.member = MEMBERS[name];
    this.#control =
      name === 'account_type'
        ? choice(dictionary)
        : make('input', { type: name === 'email' ? 'email' : 'text', autocomplete: AUTOCOMPLETE[name] });
    Object.assign(this.#control, { id, className: 'SvcPay__input' });
    this.#label.htmlFor = id;
    this.wrapper = new Wrapper(name, id, this.#label, this.#control);
    this.#control.oninput = () => {
      this.demand = 'typing';
      this.#refusal = undefined;
      changed();
    };
    this.#control.onblur = () => {
      if (this.demand === 'typing') this.demand = 'left';
      changed();
    };
  }

  get text(): string {
    return this.#control.value.trim();
  }

  get state(): PartState {
    const verdict = judge(this.#name, this.text);
    const early = this.demand === 'typing' || (this.demand === 'left' && !this.text);
    const error =
      this.#refusal ??
      (verdict && !(verdict.possible && early) ? errorOf(verdict.code, this.member, this.#dictionary) : undefined);
    return { empty: !this.text, complete: !verdict, ...(error && { error }) };
  }

  /** Shows what the service found wrong, until it is changed. */
  refuse(error: PayError): void {
    this.#refusal = error;
  }

  render(): PartState {
    const { state } = this;
    this.wrapper.show(state.error, this.#control);
    for (const [variant, on] of Object.entries({
      empty: state.empty,
      complete: state.complete,
      invalid: !!state.error,
    })) {
      this.#control.classList.toggle(`SvcPay__input--${variant}`, on);
    }
    return state;
  }

  apply({ label, placeholder }: Words, disabled: boolean): void {
    this.#label.textContent = label;
    this.#control.disabled = disabled;
    if (this.#control instanceof HTMLSelectElement) this.#control.options[0]!.textContent = placeholder;
    else this.#control.placeholder = placeholder;
  }

  focus(): void {
    this.#control.focus();
  }

  clear(): void {
    this.#control.value = '';
    this.#refusal = undefined;
    this.demand = 'typing';
  }
}

function choice(dictionary: Dictionary): HTMLSelectElement {
  const options = Object.entries(ACCOUNT_TYPES).map(([value, text]) =>
    make('option', { value, textContent: dictionary[`type_${value}`] ?? text }),
  );
  return make('select', {}, make('option', { value: '' }), ...options);
}

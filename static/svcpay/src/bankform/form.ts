import type { Options } from '../loader/options';
import { ignored } from '../loader/notice';
import { merge, schemeOf, submitForm } from '../loader/options';
import { bankDataOf } from '../shared/token-data';
import type { PayError } from '../shared/errors';
import type { BankRequest, FieldState, Mandate } from '../shared/protocol';
import { randomId } from '../shared/random';
import { FIELDS, errorOf, wordsOf, type Dictionary, type FieldName, type Words } from './inputs';
import { NumberField } from './number';
import { Wrapper, make } from './part';
import { PlainField } from './plain';
import { StyleOption, useDefaults } from './styles';

/** What the form needs of the field that it belongs to. */
export interface FormHost {
  mandate: Mandate;
  /** The form's language; the mandate itself is in English. */
  dictionary: Dictionary;
  /** The address of the frame of one number. */
  address(number: string, id: string): string;
  /** Tells that a frame has left the page. */
  dropped(id: string): void;
  ready(): void;
  changed(state: FieldState): void;
  focused(focus: boolean): void;
  failed(error: PayError): void;
}

type Part = PlainField | NumberField;

/** The form for a bank account in the page: its own inputs, and frames for the two numbers. */
export class BankForm {
  #host: FormHost;
  #container: Element;
  #id = randomId();
  #parts = new Map<FieldName, Part>();
  #style: StyleOption;
  #box = make('input', { type: 'checkbox' });
  #mandate: Wrapper;
  #submitted = false;
  #loading = 2;
  #focus = false;
  /** Whether Enter submits the form of the page. */
  #submits = true;
  #reported = JSON.stringify({ empty: true, complete: false } satisfies FieldState);
  #listening = new AbortController();

  constructor(container: Element, options: Options, host: FormHost) {
    this.#host = host;
    this.#container = container;
    const root = container.getRootNode() as Document | ShadowRoot;
    useDefaults(root);
    this.#style = new StyleOption(root, this.#id);
    container.setAttribute('data-svcpay-form', this.#id);
    container.classList.add('SvcPay__form');
    // The frames load while the form is already in the page: how it looks there is what they ask.
    for (const name of FIELDS) {
      const part = this.#make(name);
      this.#parts.set(name, part);
      container.append(part.wrapper.element);
    }
    const label = make(
      'label',
      { className: 'SvcPay__mandate' },
      this.#box,
      make('span', { textContent: host.mandate.text, lang: 'en', dir: 'ltr' }),
    );
    this.#mandate = new Wrapper('mandate', `${this.#id}-mandate`, label);
    this.#box.onchange = () => this.#report();
    container.append(this.#mandate.element);
    this.update(options);
    const { signal } = this.#listening;
    // As a browser submits forms from inputs of the page.
    container.addEventListener(
      'keydown',
      (event) => {
        const { key, target } = event as KeyboardEvent;
        if (key === 'Enter' && !this.#submits && target instanceof HTMLInputElement) event.preventDefault();
      },
      { signal },
    );
    for (const event of ['focusin', 'focusout'])
      container.addEventListener(event, () => setTimeout(() => this.#look()), { signal });
  }

  /** Takes on options; those that are missing return to their default. */
  update(options: Options): void {
    const { customizeFields, style, disabled, submitOnEnter } = options;
    this.#submits = submitOnEnter !== false;
    ignored(options, ['customizeFields', 'style', 'disabled', 'submitOnEnter'], 'bankaccount');
    ignored(customizeFields, [...FIELDS], 'customizeFields');
    for (const [name, words] of Object.entries(customizeFields ?? {}))
      ignored(words as object, ['label', 'placeholder'], `customizeFields.${name}`);
    const scheme = schemeOf(this.#container);
    this.#container.classList.toggle('SvcPay__form--dark', scheme === 'dark');
    this.#style.apply(style);
    this.#box.disabled = !!disabled;
    for (const [name, part] of this.#parts) {
      const words = customized(wordsOf(name, this.#host.dictionary), (customizeFields ?? {})[name]);
      if (part instanceof PlainField) part.apply(words, !!disabled);
      else part.apply(words, { disabled: !!disabled, scheme });
    }
    this.#report();
  }

  /** Focuses the first field that still needs something. */
  focus(): void {
    const open = [...this.#parts.values()].find(({ state }) => !state.complete);
    if (open) open.focus();
    else this.#box.focus();
  }

  clear(): void {
    for (const part of this.#parts.values()) part.clear();
    this.#box.checked = this.#submitted = false;
    this.#report();
  }

  close(): void {
    this.#listening.abort();
    this.#style.remove();
    for (const part of this.#parts.values()) {
      if (part instanceof NumberField) {
        part.close();
        this.#host.dropped(part.id);
      }
      part.wrapper.element.remove();
    }
    this.#mandate.element.remove();
    this.#container.classList.remove('SvcPay__form', 'SvcPay__form--dark');
    this.#container.removeAttribute('data-svcpay-form');
  }

  /** What the controller is asked with; rejects with the first error, after all of them show. */
  async request(tokenData: unknown): Promise<BankRequest> {
    const parts = [...this.#parts.values()];
    this.#submitted = true;
    for (const part of parts) if (part instanceof PlainField) part.demand = 'submitted';
    await Promise.all(parts.map((part) => part instanceof NumberField && part.submit()));
    this.#report();
    const error = this.#errors()[0];
    if (error) throw error;
    const { country, billing: told } = bankDataOf(tokenData);
    const billing = {
      ...told,
      first_name: this.#text('account_holder_first_name'),
      last_name: this.#text('account_holder_last_name'),
      email: this.#text('email'),
    };
    return {
      fields: parts.flatMap((part) => (part instanceof NumberField ? part.id : [])),
      account_type: this.#text('account_type'),
      mandate: { accepted: this.#box.checked, version: this.#host.mandate.version },
      country,
      billing,
    };
  }

  /** Shows what the service found wrong at its field. */
  refuse(error: PayError): void {
    for (const part of this.#parts.values()) if (part.member === error.field) part.refuse(error);
    this.#report();
  }

  #make(name: FieldName): Part {
    const id = `${this.#id}-${name}`;
    if (name !== 'routing_number' && name !== 'account_number')
      return new PlainField(name, id, this.#host.dictionary, () => this.#report());
    return new NumberField(name, id, (frame) => this.#host.address(name, frame), {
      changed: () => this.#report(),
      focused: () => this.#look(),
      entered: () => this.#submits && submitForm(this.#container),
      ready: () => --this.#loading || this.#host.ready(),
      failed: (error) => this.#host.failed(error),
    });
  }

  #text(name: FieldName): string {
    return (this.#parts.get(name) as PlainField).text;
  }

  #errors(): PayError[] {
    const wrong = [...this.#parts.values()].flatMap(({ state }) => state.error ?? []);
    return this.#submitted && !this.#box.checked
      ? [...wrong, errorOf('mandate_not_accepted', 'mandate', this.#host.dictionary)]
      : wrong;
  }

  /** Shows every field's state, and tells the page when the whole has changed. */
  #report(): void {
    const states = [...this.#parts.values()].map((part) => part.render());
    const errors = this.#errors();
    this.#mandate.show(errors.find(({ field }) => field === 'mandate'), this.#box);
    const state: FieldState = {
      empty: states.every(({ empty }) => empty) && !this.#box.checked,
      complete: states.every(({ complete }) => complete) && this.#box.checked,
      ...(errors[0] && { error: errors[0] }),
    };
    if (JSON.stringify(state) === this.#reported) return;
    this.#reported = JSON.stringify(state);
    this.#host.changed(state);
  }

  /** The focus counts as one, wherever in the form it is. */
  #look(): void {
    const { activeElement } = this.#container.getRootNode() as Document | ShadowRoot;
    const focus = this.#container.contains(activeElement);
    if (focus !== this.#focus) this.#host.focused((this.#focus = focus));
  }
}

/** Words with those that the page has for the field in their place. */
function customized(words: Words, own: Options = {}): Words {
  return merge(
    { ...words },
    Object.fromEntries(Object.entries(own).filter(([, text]) => typeof text === 'string')),
  ) as Words;
}

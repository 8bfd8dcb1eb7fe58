import type { PayError } from '../shared/errors';

/** What a part of the form shows of itself; nothing of what was typed. */
export interface PartState {
  empty: boolean;
  complete: boolean;
  error?: PayError;
}

/** How much of an unfinished value counts as an error: none while typing, any after leaving, all on submit. */
export type Demand = 'typing' | 'left' | 'submitted';

/** An element with properties, attributes that have no property of their own, and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: object = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** The wrapper of one field, with the reference's classes, and the place of its error. */
export class Wrapper {
  readonly element: HTMLDivElement;
  readonly id: string;
  #error: HTMLParagraphElement;

  constructor(name: string, id: string, ...children: (Node | string)[]) {
    this.id = id;
    this.#error = make('p', { className: 'svcpay__bank-error', id: `${id}-error`, ariaLive: 'polite' });
    this.element = make('div', { className: 'SvcPay__field' }, ...children, this.#error);
    this.element.dataset.field = name;
  }

  /** Shows an error at the field, or none, and ties it to the field's control. */
  show(error: PayError | undefined, control: Element): void {
    const message = error?.message ?? '';
    this.element.classList.toggle('SvcPay__field--error', !!error);
    if (this.#error.textContent !== message) this.#error.textContent = message;
    control.setAttribute('aria-invalid', String(!!error));
    if (error) control.setAttribute('aria-describedby', this.#error.id);
    else control.removeAttribute('aria-describedby');
  }
}

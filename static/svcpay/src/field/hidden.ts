import { CARD_INPUTS, type Fill, type InputName } from '../shared/protocol';
import { AUTOCOMPLETE } from './input';

/** An input that no one sees and Tab passes by. */
function hidden(attributes: Record<string, string>): HTMLInputElement {
  const element = document.createElement('input');
  Object.assign(element, { type: 'text', className: 'sr', tabIndex: -1, ...attributes });
  return element;
}

/**
 * Next to the one input of a split field, those of the others: a browser fills in a card only within one frame, and
 * what arrives in these is for the frames that show them.
 */
export function relays(own: InputName, filled: (fill: Fill) => void): HTMLInputElement[] {
  return CARD_INPUTS.card.flatMap((name) => {
    if (name === own || name === 'postal_code') return [];
    const element = hidden({ name: AUTOCOMPLETE[name], autocomplete: AUTOCOMPLETE[name], ariaHidden: 'true' });
    element.addEventListener('input', () => {
      const { value } = element;
      element.value = '';
      filled({ values: { [name]: value } });
    });
    return [element];
  });
}

/** What a card swiper types into: the page never sees a key of it. */
export function stripe(label: string): HTMLInputElement {
  return hidden({ name: 'stripe', autocomplete: 'off', ariaLabel: label });
}

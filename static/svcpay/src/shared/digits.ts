const FOREIGN = /[^\P{Nd}0-9]/gu; // digits of any script but ASCII's

/** A text with the digits of other scripts (full-width, Arabic, Devanagari …) written as 0 to 9. */
export function asciiDigits(text: string): string {
  return text.replace(FOREIGN, (digit) => {
    // Unicode has those of a script in a row: as many as come before it are its value.
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0)! - value - 1))) value++;
    return String(value);
  });
}

/**
 * Lets an input take digits of any script, typed, pasted or composed, in place of handlers that know 0 to 9 alone;
 * these must be added later. While an input method composes, they hear of nothing: `composing` runs instead.
 */
export function acceptDigits(element: HTMLInputElement, composing: () => void): void {
  const insert = (event: Event, text = '') => {
    const digits = asciiDigits(text);
    if (digits === text) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    document.execCommand('insertText', false, digits);
  };
  element.addEventListener('beforeinput', (event) => {
    if (!event.isComposing) insert(event, event.data ?? '');
  });
  element.addEventListener('paste', (event) => insert(event, event.clipboardData?.getData('text')));
  for (const name of ['input', 'keydown', 'keypress', 'keyup'])
    element.addEventListener(name, (event) => {
      if (!(event as InputEvent | KeyboardEvent).isComposing) return;
      event.stopImmediatePropagation();
      if (name === 'input') composing();
    });
  element.addEventListener('compositionend', () => {
    element.value = asciiDigits(element.value);
    element.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

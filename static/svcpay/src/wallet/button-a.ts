/** Wallet A's button: the browser's own drawing where it has one, else the name in the wallet's colors. */
export const BUTTON_A = `
button {
  display: inline-flex; align-items: center; justify-content: center; gap: 8px; box-sizing: border-box;
  min-height: 40px; padding: 0 18px; margin: 0;
  border: 1px solid transparent; border-radius: 8px; background: #000; color: #fff;
  font: 500 16px/1 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  white-space: nowrap; cursor: pointer;
}
button:hover { background: #2b2b2b; }
button.white { background: #fff; border-color: #747775; color: #000; }
button.white:hover { background: #f0f0f0; }
button:focus-visible { outline: 2px solid #3a4fb8; outline-offset: 2px; }
button.white:focus-visible { outline-color: #aab8ff; }
b {
  display: grid; place-items: center; width: 24px; height: 24px; border-radius: 50%; background: #fff; color: #000;
  font-size: 14px;
}
b::before { content: 'A' / ''; }
.white b { background: #000; color: #fff; }
@supports (-webkit-appearance: -apple-pay-button) {
  button { -webkit-appearance: -apple-pay-button; -apple-pay-button-style: black; -apple-pay-button-type: plain; }
  button.white { -apple-pay-button-style: white-outline; }
  button > * { display: none; }
}
@media (forced-colors: active) { button { border: 1px solid; } }
`.replace(/\n\s*/g, '');

/** Draws the button, for dark ground or light. */
export function buttonA(white: boolean, onclick: () => void): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    ariaLabel: 'Pay with Wallet A',
    onclick,
  });
  const letter = document.createElement('b');
  const name = Object.assign(document.createElement('span'), { textContent: 'Pay with Wallet A' });
  button.className = white ? 'white' : '';
  button.append(letter, name);
  return button;
}

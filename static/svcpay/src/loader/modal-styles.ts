/** The dialog's look, as text for a constructed sheet: whole on phones, a card in the middle on wider screens. */
export const MODAL_STYLES = `
:host { all: initial; }
* { box-sizing: border-box; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
dialog {
  --back: #fff; --text: #18181b; --quiet: #52525b; --accent: #1d4ed8;
  color-scheme: light;
  inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; margin: auto; padding: 0; border: 0;
  background: var(--back); color: var(--text); overflow: hidden; overscroll-behavior: contain;
}
dialog.dark { --back: #18181b; --text: #f4f4f5; --quiet: #a1a1aa; --accent: #93c5fd; color-scheme: dark; }
dialog[open] { display: grid; grid-template: 44px 1fr / 1fr; }
dialog:focus { outline: 0; }
dialog::backdrop { background: rgb(9 9 11 / 60%); }
button { border: 0; background: none; color: inherit; cursor: pointer; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.close { justify-self: end; width: 44px; font-size: 26px; line-height: 1; color: var(--quiet); border-radius: 8px; }
.close:hover { color: var(--text); }
.wait, .fail, iframe { grid-area: 2 / 1; }
.wait, .fail { place-self: center; margin: 0; padding: 24px; text-align: center; color: var(--quiet); }
.fail p { margin: 0 0 16px; }
.again { padding: 9px 18px; border: 1px solid currentColor; border-radius: 8px; color: var(--text); font-weight: 600; }
.wait::before {
  content: ''; display: block; width: 32px; height: 32px; margin: 0 auto 12px; border-radius: 50%;
  border: 3px solid; border-right-color: transparent; animation: turn 0.9s linear infinite;
}
iframe { width: 100%; height: 100%; border: 0; }
dialog:not([data-state=loading]) .wait, dialog:not([data-state=failed]) .fail { display: none; }
dialog:not([data-state=open]) iframe { visibility: hidden; }
@keyframes turn { to { transform: rotate(1turn); } }
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
@media (min-width: 560px) {
  dialog {
    width: 480px; height: min(720px, calc(100% - 32px)); border-radius: 16px; box-shadow: 0 24px 64px rgb(0 0 0 / 35%);
  }
}
@media (prefers-reduced-motion: no-preference) { dialog { animation: rise 0.18s ease-out; } }
@media (prefers-reduced-motion: reduce) { .wait::before { animation-duration: 4s; } }
@media (forced-colors: active) { dialog { border: 1px solid; } }
`.replace(/\n\s*/g, '');

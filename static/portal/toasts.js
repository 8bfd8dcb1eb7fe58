// The outcome of a form is told for a while, longer while someone is at it; a way back stays until it is closed.
import { all, appear, on, say } from './on.js';

const SHOWN = 8000; // milliseconds

function wait(toast) {
  let timer;
  const start = () => (timer = setTimeout(() => toast.remove(), SHOWN));
  for (const type of ['pointerenter', 'focusin']) toast.addEventListener(type, () => clearTimeout(timer));
  for (const type of ['pointerleave', 'focusout']) toast.addEventListener(type, start);
  start();
}

appear((root) => {
  for (const toast of all(root, '.told')) {
    toast.querySelector('[data-dismiss]').hidden = false;
    if (!toast.closest('#toasts')) continue;
    say(toast.querySelector('p').textContent.trim());
    if (!('stays' in toast.dataset)) wait(toast);
  }
});
// A file is fetched once the page is there that reports it.
addEventListener('load', () => document.querySelector('#toasts [data-fetch]')?.click());
on('click', '[data-dismiss]', (button) => button.closest('.told').remove());

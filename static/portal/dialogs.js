// A page that was asked for as a dialog opens as one; closing it leads back to the page below.
import { on } from './on.js';

const dialog = document.getElementById('dialog');

// A dialog that stands as a page of its own sends its forms as pages do: an answer would open above it, with the same
// ids.
for (const form of document.querySelectorAll('.dialog-page form[hx-post]')) {
  form.removeAttribute('hx-post');
  form.removeAttribute('hx-target');
}

document.addEventListener('htmx:afterSwap', ({ detail }) => {
  if (detail.target !== dialog) return;
  if (!dialog.open) dialog.showModal();
  else dialog.querySelector('[autofocus], [aria-invalid]')?.focus(); // the form again, with its mistakes
});
// It may be open again by the time that this is told.
dialog.addEventListener('close', () => dialog.open || dialog.replaceChildren());

on('click', '[data-close]', (link, event) => {
  if (!dialog.contains(link)) return;
  event.preventDefault();
  dialog.close();
});

// A click next to a dialog closes it, unless it began inside: a drag that selects text ends anywhere.
let began;
document.addEventListener('pointerdown', ({ target }) => (began = target));
document.addEventListener('click', ({ target }) => {
  if (target === began && target instanceof HTMLDialogElement && !dirty(target)) target.close();
});

/** Something was typed in it that would be lost. */
function dirty(element) {
  return [...element.querySelectorAll('input, textarea')].some(
    (field) => field.value !== field.defaultValue && field.type !== 'search',
  );
}

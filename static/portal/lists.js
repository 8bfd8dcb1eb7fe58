// Filters and selections of lists.
import { all, appear, on } from './on.js';

// What is not filled in says nothing, in the address neither.
document.addEventListener('htmx:configRequest', ({ detail }) => {
  if (!detail.elt.matches('[data-filters]')) return;
  for (const [name, value] of [...detail.formData]) if (value === '') detail.formData.delete(name);
});
on('submit', 'form[data-filters]:not([hx-get])', (form) => {
  const silent = [...form.elements].filter(({ value, disabled }) => value === '' && !disabled);
  for (const field of silent) field.disabled = true;
  setTimeout(() => silent.forEach((field) => (field.disabled = false))); // for when the browser comes back
});

// Another view of a list comes in its place, and takes what had the keyboard with it: it goes to what stands
// there now, the filter or the list. So it does where something else that can have it looked again on its own.
let pill;
let taken;
document.addEventListener('htmx:beforeSwap', ({ detail }) => {
  pill = document.activeElement.closest('.pill')?.querySelector('summary').id;
  taken = detail.target.contains(document.activeElement);
});
document.addEventListener('htmx:afterSettle', ({ detail }) => {
  const lost = detail.elt.id === 'results' || (taken && detail.elt.matches?.('[tabindex="-1"]'));
  if (lost && document.activeElement === document.body)
    (document.getElementById(pill) ?? detail.elt).focus({ preventScroll: true });
});

const boxes = (form) => [...form.querySelectorAll('tbody .pick input:enabled')];

function counted(form) {
  const chosen = boxes(form).filter(({ checked }) => checked).length;
  const words = form.querySelector('.bulk-count');
  words.textContent = chosen === 1 ? words.dataset.one : words.dataset.more.replace('{n}', chosen);
  const every = form.querySelector('[data-pick-all]');
  every.checked = chosen > 0 && chosen === boxes(form).length;
  every.indeterminate = chosen > 0 && !every.checked;
}

appear((root) => {
  for (const every of all(root, '[data-pick-all]')) every.hidden = false;
  for (const form of all(root, 'form.bulk')) counted(form); // the browser remembers what was chosen
});
on('change', 'form.bulk .pick input', (box) => {
  if ('pickAll' in box.dataset) for (const one of boxes(box.form)) one.checked = box.checked;
  counted(box.form);
});

// With Shift, all rows between two.
let last;
on('click', 'form.bulk tbody .pick input', (box, { shiftKey }) => {
  const rows = boxes(box.form);
  const [from, to] = [rows.indexOf(last), rows.indexOf(box)].sort((a, b) => a - b);
  if (shiftKey && from >= 0) for (const one of rows.slice(from, to + 1)) one.checked = box.checked;
  last = box;
});

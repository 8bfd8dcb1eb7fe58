// Filters and selections of lists.
import { all, appear, on } from './on.js';

// What is not filled in says nothing, in the address neither.
document.addEventListener('htmx:configRequest', ({ detail }) => {
  if (!detail.elt.matches('[data-filters]')) return;
  for (const [name, value] of [...detail.formData]) if (value === '') detail.formData.delete(name);
});
on('submit', 'form[data-filters]:not([hx-get])', (form) => {
  for (const field of form.elements) if (field.value === '') field.disabled = true;
});

// A choice of one takes effect at once; the rest by Enter or the button.
on('change', '[data-filters] [type=search]', (field) => field.form.requestSubmit());

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

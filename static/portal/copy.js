// Copies the text next to a button and says so.
import { all, appear, on } from './on.js';

appear((root) => {
  for (const button of all(root, '[data-copy]')) button.hidden = false;
});

on('click', '[data-copy]', async (button) => {
  await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
  const told = button.querySelector('[role=status]');
  button.dataset.copied = '';
  told.textContent = button.dataset.copiedWords;
  setTimeout(() => {
    delete button.dataset.copied;
    told.textContent = '';
  }, 2000);
});

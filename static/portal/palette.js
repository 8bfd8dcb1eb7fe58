// The palette opens over every page; arrows lead through what it found.
import { on, polled, say } from './on.js';

const palette = document.getElementById('palette');
const own = document.querySelector('.palette-page input'); // on the page that is the palette's own

function open() {
  if (own) return own.select();
  if (palette.open) return;
  palette.showModal();
  const input = palette.querySelector('input');
  input.select();
  palette.querySelector('form').dispatchEvent(new Event('palette-open', { bubbles: true }));
}

if (palette || own) {
  on('click', '[data-palette]', (_, event) => {
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (!document.querySelector('dialog[open]:not(.palette)')) open();
  });
}

on('keydown', '.palette, .palette-page', (box, event) => {
  if (event.key === 'Escape') palette?.close(); // at once, not only after the words are gone
  const links = [...box.querySelectorAll('a.menu-item')];
  const at = links.indexOf(document.activeElement);
  const input = box.querySelector('input');
  const next = { ArrowDown: links[at + 1], ArrowUp: links[at - 1] ?? input }[event.key];
  if (next) {
    next.focus();
    event.preventDefault();
  } else if (
    event.key === 'Enter' &&
    document.activeElement === input &&
    box === palette &&
    links.length &&
    input.value
  ) {
    event.preventDefault();
    links[0].click();
  } else if (at >= 0 && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    input.focus(); // typing goes on where it was
  }
});

// What a list or the palette shows is said once it is there; what looks again on its own says what is new.
document.addEventListener('htmx:afterSettle', ({ detail }) => {
  const words = detail.elt.dataset?.said;
  if (words) say(words, !polled(detail));
});

if (/Mac|iPhone|iPad/.test(navigator.platform)) {
  for (const keys of document.querySelectorAll('[data-mod]')) keys.textContent = '⌘K';
}

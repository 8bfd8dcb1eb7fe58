// A menu closes with Escape, by a click elsewhere, and when the keyboard leaves it.
import { all, appear, on } from './on.js';

const open = () => document.querySelectorAll('details[data-menu][open]');

document.addEventListener('click', ({ target }) => {
  for (const menu of open()) if (!menu.contains(target)) menu.open = false;
});
document.addEventListener('focusin', ({ target }) => {
  for (const menu of open()) if (!menu.contains(target) && target !== document.body) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const menu of open()) {
    menu.open = false;
    menu.querySelector('summary').focus();
    event.preventDefault();
  }
});

// Arrows move through what a menu offers.
on('keydown', '.menu-panel', (panel, event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const items = [...panel.querySelectorAll('.menu-item:not([hidden])')];
  items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus();
  event.preventDefault();
});

// Many places are found by their names.
appear((root) => {
  for (const box of all(root, '[data-find]')) box.hidden = box.parentElement.querySelectorAll('button').length < 8;
});
on('input', '[data-find]', (box, { target }) => {
  const words = target.value.trim().toLowerCase();
  for (const group of box.parentElement.querySelectorAll('.switcher-group')) {
    const items = [...group.querySelectorAll('button')];
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(words);
    group.hidden = items.every(({ hidden }) => hidden);
  }
});

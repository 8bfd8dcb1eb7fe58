// Keys that press links and buttons: one, or two after each other such as "g c". They rest while someone
// types, while a dialog is open, and when they were turned off.
let before = '';
let forget;

const typing = (element) =>
  element.isContentEditable || element.matches('input:not([type=checkbox], [type=radio]), textarea, select');

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.key.length !== 1) return;
  if (
    document.body.dataset.keys === 'quiet' ||
    typing(event.target) ||
    document.querySelector('dialog[open], :popover-open')
  )
    return;
  const keys = before ? `${before} ${event.key}` : event.key;
  clearTimeout(forget);
  before = '';
  const target = [...document.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === keys);
  if (target) {
    event.preventDefault();
    target.focus(); // where a dialog that opens leads back to
    target.click();
  } else if (!moved(event.key)) {
    before = event.key;
    forget = setTimeout(() => (before = ''), 1200);
  }
});

/** j and k lead through the rows of a list, x selects the one that has the keyboard. */
function moved(key) {
  const rows = [...document.querySelectorAll('.list tbody .row-link')];
  const at = rows.findIndex((link) => link.closest('tr').contains(document.activeElement));
  if (key === 'x' && at >= 0) rows[at].closest('tr').querySelector('.pick input')?.click();
  const next = { j: rows[at + 1], k: rows[Math.max(at - 1, 0)] }[key];
  next?.focus();
  return Boolean(next);
}

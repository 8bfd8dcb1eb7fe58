// A form is sent once: a second click does nothing while the first is on its way.
import { on, polled } from './on.js';

const busy = new WeakSet();

function release(form) {
  busy.delete(form);
  for (const button of form.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
}

on('submit', 'form[method=post]:not([data-themes])', (form, event) => {
  if (busy.has(form)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  busy.add(form);
  event.submitter?.setAttribute('aria-busy', 'true');
}, true);

document.addEventListener('htmx:afterRequest', ({ detail }) => {
  if (detail.elt.matches?.('form') && !detail.xhr.getResponseHeader('HX-Redirect')) release(detail.elt);
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const form of document.forms) release(form); // the browser went back to it
});

// A file of the server's is not a page: its form stays.
on('submit', 'form[data-download]', (form) => setTimeout(() => release(form), 1500));

// No answer came: said above the page, in the page's own words, until one comes. What asks on its own asks again.
const offline = document.createElement('p');
offline.className = 'banner';
offline.dataset.tone = 'danger';
offline.setAttribute('role', 'alert');
offline.textContent = document.body.dataset.offline;

for (const type of ['htmx:sendError', 'htmx:timeout']) {
  document.addEventListener(type, ({ detail }) => {
    if (!polled(detail))
      (document.querySelector('dialog[open] .dialog-body') ?? document.getElementById('notice')).prepend(offline);
  });
}
document.addEventListener('htmx:afterOnLoad', () => offline.remove());

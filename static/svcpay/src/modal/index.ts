// Runs in each page of a modal; the pages work without it. It tells the embedding page what the page
// holds for it (`<body data-result>`), and when the payer wants to leave.
import { accept } from '../shared/accept';
import { channel, type Channel } from '../shared/channel';
import type { DafResult, LinkResult } from '../shared/protocol';

let page: Channel | undefined;
let sending: EventTarget | null = null;
let notice: HTMLElement | undefined; // that there is no network
let led = false; // to where the page begins, and the payer has done nothing since

const OFFLINE: Record<string, string> = {
  en: 'You seem to be offline. Try again.',
  fr: 'Vous semblez hors connexion. Réessayez.',
};

function warn(form: Element): void {
  notice = Object.assign(document.createElement('p'), {
    className: 'notice', role: 'alert', textContent: OFFLINE[document.documentElement.lang],
  });
  notice.dataset.tone = 'warning';
  form.before(notice);
}

accept((port) => {
  const link = (page = channel(port, {
    init() {
      const { result } = document.body.dataset;
      if (result) link.send('result', JSON.parse(result) as DafResult | LinkResult);
      return true;
    },
    focus() {
      led = true;
      begin();
    },
  }));
});

/** Browsers do not obey the attribute in frames of another origin. */
function begin(): void {
  document.querySelector<HTMLElement>('[autofocus]')?.focus();
}

// A frame may hear late that the focus was still elsewhere. It loses what it had focused then, and gets the focus back
// without it.
addEventListener('focus', () => {
  if (led && document.activeElement === document.body) begin();
});
for (const hand of ['pointerdown', 'keydown']) addEventListener(hand, () => (led = false), true);

// Anyone who is offline, or clicks twice, would lose the page for an error. Browsers are wrong about the network at
// times, so that anyone who is told and insists has the form sent.
addEventListener('submit', (event) => {
  const { target } = event;
  const offline = !navigator.onLine && !notice;
  if (sending === target || offline) event.preventDefault();
  else if (!event.defaultPrevented) sending = target;
  if (offline) warn(target as Element);
});
addEventListener('online', () => {
  notice?.remove();
  notice = undefined;
});
addEventListener('pageshow', () => (sending = null));

addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key === 'Escape' && !defaultPrevented) page?.send('close');
});
addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-close]')) page?.send('close');
});

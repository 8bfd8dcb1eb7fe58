// Runs in each page of a modal; the pages work without it. It tells the embedding page what the page
// holds for it (`<body data-result>`), and when the payer wants to leave.
import { accept } from '../shared/accept';
import { channel, type Channel } from '../shared/channel';
import type { DafResult, LinkResult } from '../shared/protocol';

let page: Channel | undefined;
let sending: EventTarget | null = null;
let led = false; // to where the page begins, and the payer has done nothing since

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

// A frame may hear late that the focus was still elsewhere. It loses what it had focused then, and gets the focus back without it.
addEventListener('focus', () => {
  if (led && document.activeElement === document.body) begin();
});
for (const hand of ['pointerdown', 'keydown']) addEventListener(hand, () => (led = false), true);

// Whoever is offline, or clicks twice, would lose the page for an error.
addEventListener('submit', (event) => {
  if (sending === event.target || !navigator.onLine) event.preventDefault();
  else if (!event.defaultPrevented) sending = event.target;
});
addEventListener('pageshow', () => (sending = null));

addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key === 'Escape' && !defaultPrevented) page?.send('close');
});
addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-close]')) page?.send('close');
});

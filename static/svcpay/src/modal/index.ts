// Runs in each page of a modal; the pages work without it. It tells the embedding page what the page
// holds for it (`<body data-result>`), and when the payer wants to leave.
import { accept } from '../shared/accept';
import type { Message } from '../shared/channel';
import { onceFocused } from '../shared/focus';
import type { DafResult, LinkResult } from '../shared/protocol';

let page: MessagePort | undefined;
let leaving = false; // for another page of the modal
let checked = false; // the form is sent by the browser itself
let notice: HTMLElement | undefined; // that the service can't be reached
let led = false; // to where the page begins, and the payer has done nothing since

/** What is said then, and on the button, by language. */
const WORDS: Record<string, string[]> = {
  en: ['The connection was lost. Your entries are still here.', 'Try again'],
  es: ['Se perdió la conexión. Sus datos siguen aquí.', 'Intentar de nuevo'],
  fr: ['La connexion est interrompue. Vos saisies sont conservées.', 'Réessayer'],
};

/**
 * Leaves for another page if the service can be reached: the browser's own page for an error has no way back. Anyone
 * who clicks twice asks once.
 */
async function leave(event: Event, place: Element, go: () => void): Promise<void> {
  event.preventDefault();
  if (leaving) return;
  leaving = true;
  notice?.remove();
  const request: RequestInit = { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`/${SVCPAY_VERSION}/modal.js`, request).catch(() => {});
  leaving = false;
  if (answer?.ok) return go();
  const [text, again] = WORDS[document.documentElement.lang.slice(0, 2)]!;
  const button = Object.assign(document.createElement('button'), { className: 'secondary', textContent: again });
  button.onclick = (click) => void leave(click, place, go);
  notice = Object.assign(document.createElement('div'), { className: 'notice', role: 'alert' });
  notice.dataset.tone = 'warning';
  notice.append(text!, button);
  place.before(notice);
  button.focus(); // and is scrolled to
}

/**
 * Sends a form and replaces this page with the next one, so that the steps of a modal are one entry in the history
 * of the page around it. The service names the next page in a header instead of a redirect.
 */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
  const { name, value } = (submitter ?? {}) as Partial<HTMLButtonElement>;
  if (name) body.append(name, value!);
  if (form.method === 'get') return location.replace(`${form.action}?${body}`);
  leaving = true;
  try {
    const answer = await fetch(form.action, { method: 'POST', body, headers: { 'Svcpay-Step': '1' } });
    const next = answer.headers.get('Svcpay-Next') ?? (answer.redirected && answer.url);
    if (next) return location.replace(next);
    // The same page again, with what is wrong.
    const again = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.title = again.title;
    document.body.replaceWith(again.body);
    (window as { htmx?: { process(element: Element): void } }).htmx?.process(document.body);
    leaving = false;
    begin();
    report();
  } catch {
    checked = true;
    form.requestSubmit(submitter);
  }
}

/** Tells the page what this page holds for it. */
function report(): void {
  const { result } = document.body.dataset;
  if (result) tell({ name: 'result', body: JSON.parse(result) as DafResult | LinkResult });
}

/** The state of the entry before those of the modal: who comes back to it closes the modal. */
const LEFT = 'left';
const closeIfLeft = () => history.state === LEFT && close();
addEventListener('popstate', closeIfLeft);

// Talks as a channel does, which asks more than a page of a modal ever has to.
const tell = (message: Message) => page?.postMessage(message);
const close = () => tell({ name: 'close' });

accept((port) => {
  page = port;
  port.onmessage = ({ data: { name, body, call } }: MessageEvent<Message>) => {
    if (name === 'init') {
      report();
      tell({ reply: call, body: true });
      closeIfLeft();
      if ((body as { first?: boolean } | undefined)?.first) {
        history.replaceState(LEFT, '');
        history.pushState('', '');
      }
    }
    if (name === 'focus') {
      led = true;
      begin();
    }
  };
});

/** Browsers do not obey the attribute in frames of another origin. */
const begin = onceFocused(() => {
  if (led) document.querySelector<HTMLElement>('[autofocus]')?.focus();
});

// A frame may hear late that the focus was still elsewhere. It loses what it had focused then, and gets the focus back
// without it.
addEventListener('focus', () => {
  if (document.activeElement === document.body) begin();
});
for (const hand of ['pointerdown', 'keydown']) addEventListener(hand, () => (led = false), true);

addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (checked) leaving = true;
  else if (!event.defaultPrevented) void leave(event, form, () => void send(form, event.submitter));
});
addEventListener('pageshow', () => (leaving = false));
addEventListener('online', () => notice?.remove());

addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key === 'Escape' && !defaultPrevented) close();
});
addEventListener('click', (event) => {
  const at = (event.target as Element).closest<HTMLAnchorElement>('[data-close],a[href^="/"]:not([target])');
  if (at?.href) void leave(event, at, () => location.replace(at.href));
  else if (at) close();
});

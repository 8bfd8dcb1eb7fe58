// A donor's hands at the DAF button, and pages in the place of the service's modal: for what the library
// itself does with any page that it is led to.
import assert from 'node:assert/strict';
import { eventsOf, open } from './card.mjs';
import { startBrowser } from './env.mjs';
import { merchantPage, startSite } from './merchant.mjs';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** What the last page of a modal tells. */
export const AUTHORIZED = {
  outcome: 'authorized',
  workflowSessionId: 'ws_0123456789abcdef',
  amount: 12500,
  user: { firstName: 'Dana', lastName: 'Reed', email: 'dana@example.org', note: 'For the pantry' },
};

/** A page of a modal as the service writes it, with the library's script in it. */
export function modalPage(body, result) {
  const told = result ? ` data-result='${JSON.stringify(result)}'` : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Donate</title>
    <script src="/3.2/modal.js" defer></script></head>
<body${told}>
<main aria-label="Donation"><h1>Donate</h1>${body}</main></body></html>`;
}

/**
 * Leads the page's modal to `pages` (by the end of their path; the first is where it begins) instead of the
 * service's own. Answers the requests that the controller sent for it. The merchant takes DAF donations unless `daf` is
 * false.
 */
export async function leadTo(page, pages, { daf = true } = {}) {
  const asked = [];
  await page.route('**/client/session', (route) =>
    route.fulfill({
      headers: { Date: new Date().toUTCString() },
      json: {
        session: 'session_of_a_test',
        expires_at: new Date(Date.now() + 1_800_000).toISOString(),
        livemode: false,
        merchant: { country: 'US', currency: 'usd' },
        methods: { cc: true, daf },
      },
    }),
  );
  await page.route('**/client/daf', (route) => {
    asked.push(route.request().postDataJSON());
    const warnings = 'nickname' in asked.at(-1).customer_detail ? ['customer_detail.nickname is not known'] : [];
    return route.fulfill({ status: 201, json: { path: `/3.2/modal/daf/secret/${Object.keys(pages)[0]}`, warnings } });
  });
  await page.route('**/3.2/modal/daf/secret/**', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1);
    return route.fulfill({ status: pages[name] ? 200 : 404, headers: HEADERS, body: pages[name] ?? '' });
  });
  return asked;
}

/** The DAF button inside its frame. */
export const button = (page, container = '#daf') => page.frameLocator(`${container} iframe`).getByRole('button');

/** The dialog over the page, and the frame in it. */
export const dialog = (page) => page.getByRole('dialog');
export const inModal = (page) => page.frameLocator('dialog iframe');

/** Clicks the button and waits for the modal's first page. */
export async function openModal(page) {
  await clickOnce(button(page));
  await page.locator('dialog[data-state=open]').waitFor();
}

/**
 * Clicks an element of a frame. Once in hundreds a click did nothing after a frame that had the keyboard was gone.
 * Whether the element heard it tells a click that the browser lost, which is made again, from one that we did nothing
 * at.
 */
async function clickOnce(element) {
  const clicked = await element.elementHandle(); // and none that has its name on the next page
  await clicked.evaluate((e) => e.addEventListener('click', () => (e.dataset.heard = 'yes'), { once: true }));
  const heard = () => clicked.getAttribute('data-heard').catch(() => 'gone');
  for (let tries = 1; ; tries++) {
    await element.click();
    for (let looks = 0; looks < 20; looks++) {
      if (await heard()) return;
      await new Promise((rest) => setTimeout(rest, 50));
    }
    assert.ok(tries < 3, 'the element hears no click');
  }
}

/** Presses a button of the modal's page. */
export const press = (page, name) => clickOnce(inModal(page).getByRole('button', { name }));

/** Follows a link of the modal's page. */
export const follow = (page, name) => clickOnce(inModal(page).getByRole('link', { name }));

/** The events of the DAF field by which a modal ended. */
export async function endings(page) {
  const [authorized, canceled] = await Promise.all(
    ['dafAuthorized', 'dafCanceled'].map((name) => eventsOf(page, name)),
  );
  return { authorized, canceled };
}

const FORM =
  '<form action="next"><label>Amount <input name="amount" autofocus></label><button>Continue</button></form><button data-close>Leave</button>';

/** A modal of two pages: a form, and the end that it leads to. */
export const PAGES = { start: modalPage(FORM), next: modalPage('<p>Thank you.</p>', AUTHORIZED) };

/**
 * A site and a browser for the tests of one file; `openPage` opens a page with a DAF button that has a price, whose
 * modal is led to `pages`, and keeps what the page `said` in the console and `asked` of the service.
 */
export async function startDonors() {
  const site = await startSite();
  // Pages that the tests put in the service's place come from no address, and would not be let to one of this machine.
  const newPage = await startBrowser({ without: ['LocalNetworkAccessChecks'] });
  const openPage = async (t, { pages = PAGES, daf, context, headers, options, ...rest } = {}) => {
    const page = await newPage(t, context);
    page.said = [];
    page.on('console', (message) => page.said.push(message.text()));
    page.asked = await leadTo(page, pages, { daf });
    await open(
      page,
      site.put(merchantPage({ types: ['daf'], options: { price: '125.00', ...options }, ...rest }), { headers }),
    );
    return page;
  };
  return { site, newPage, openPage };
}

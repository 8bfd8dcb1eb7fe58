// A payer's hands at a wallet's button and in the sandbox's sheet.
import { eventsOf } from './card.mjs';
import { startBrowser } from './env.mjs';
import { merchantPage, startSite } from './merchant.mjs';

/** The button, in the page's own document. */
export const button = (page, wallet = 'B') => page.getByRole('button', { name: `Pay with Wallet ${wallet}` });

/** The sheet over the page. */
export const inSheet = (page) => page.frameLocator('dialog iframe');

/** Clicks the button and waits for the sheet. */
export async function openSheet(page, wallet = 'B') {
  await button(page, wallet).click();
  await inSheet(page).locator('button.pay:enabled').waitFor();
}

/** Chooses someone by what the radio's label says, and pays. */
export async function payAs(page, who) {
  await inSheet(page).getByRole('radio', { name: who }).check();
  await press(inSheet(page).locator('button.pay'));
}

export const cancel = (page) => press(inSheet(page).getByRole('button', { name: 'Cancel' }));

/** A click that may take its frame away, and then would never be reported as done. */
const press = (button) => button.evaluate((element) => void setTimeout(() => element.click(), 50));

/**
 * Sends an intercepted request on and gives its answer. Node does not know every name below localhost that a browser
 * does.
 */
export async function deliver(route) {
  const { host, href, hostname } = new URL(route.request().url());
  return route.fetch({
    url: href.replace(hostname, 'localhost'),
    headers: { ...(await route.request().allHeaders()), host },
  });
}

/** createToken with the first field of the page. */
export const createToken = (page, tokenData) =>
  page.evaluate((data) => window.pay.createToken(Object.values(window.fields)[0], data), tokenData);

export const lastError = (page) => page.evaluate(() => window.pay.lastError?.code);

/** The names of the events that the page saw, in their order, but for focus and blur. */
export const seen = (page) =>
  page.evaluate(() => window.seen.map(([, name]) => name).filter((name) => name !== 'focus' && name !== 'blur'));

/**
 * A site and a browser for the tests of one file; `openPage` opens a page with the wallet's button and waits until it
 * is `usable`, unless that is false. The page keeps what it `said` in the console, and `refusals` of its policy.
 */
export async function startPayers(wallet) {
  const site = await startSite();
  const newPage = await startBrowser();
  const openPage = async (t, { context, headers, options, host, query = '', usable = true, ...rest } = {}) => {
    const page = await newPage(t, context);
    page.said = [];
    page.refusals = [];
    page.on('console', (message) => {
      page.said.push(message.text());
      if (/Content Security Policy|Trusted/i.test(message.text())) page.refusals.push(message.text());
    });
    const html = merchantPage({ types: [wallet], options: { price: '25.00', ...options }, ...rest });
    await page.goto(site.put(html, { headers, host }) + query);
    if (usable) await eventsOf(page, 'ready', 1);
    return page;
  };
  return { site, newPage, openPage };
}

// Where the service under test is, and the browser that visits it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, hasFailed, keepFailure } from './test.mjs';

const require = createRequire(new URL('../../../static/package.json', import.meta.url));
const { chromium } = require('playwright-core');

/** The accessibility checker's source, to run inside frames. */
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const file = process.env.SVCPAY_CREDENTIALS;
if (!file) throw new Error('SVCPAY_CREDENTIALS must name the credentials file that "svcpay dev" writes.');

/** The running service's addresses, keys and merchants. */
export const credentials = JSON.parse(readFileSync(file, 'utf8'));

const light = [{ width: 1280, colorScheme: 'light' }, { width: 390, colorScheme: 'light' }];
const dark = [{ width: 390, colorScheme: 'dark' }, { width: 1280, colorScheme: 'dark' }];

/** The rules of axe whose outcome depends on colors and widths. */
const visual = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/**
 * The windows that pages are looked at in: a light desk with all rules of axe and a dark telephone with `only` the
 * visual ones, or with EVERY_LOOK all four windows with all rules.
 */
export const looks = process.env.EVERY_LOOK ? [...light, ...dark] : [light[0], { ...dark[0], only: visual }];

/**
 * A browser for the tests of one file, and a page of its own for each test; both close on their own.
 * `newPage(t, options)` takes a test and what Playwright takes for a context. `flags` are Chromium's, and `without`
 * names more of its features to turn off. What a file proves of the walls between sites it proves in the `whole`
 * browser, as payers have it; for all else Chromium's headless shell does with half the work.
 */
export async function startBrowser({ whole = false, flags = [], without = [] } = {}) {
  const start = () => launch({ whole, flags, without });
  let browser = await answering(start, () => {});
  after(() => close(browser));
  const newContext = (options) =>
    answering(
      () => browser.newContext(options),
      async () => {
        close(browser);
        browser = await start();
      },
    );
  return async (t, options) => {
    const context = await newContext(options);
    const logged = [];
    let page;
    t.signal.addEventListener('abort', () => page?.setDefaultTimeout(1)); // what the test awaits of the page fails
    t.after(async () => {
      if (page && hasFailed(t)) await keepFailure(t, page, logged);
      await close(context);
    });
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => logged.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => logged.push(`error: ${error.message}`));
    return page;
  };
}

/** How long a browser that does not answer is waited for, in ms. */
const patience = 20_000;

/** What a browser is asked for; one that does not answer in time is asked again after `again`. */
async function answering(ask, again) {
  const late = Symbol('late');
  const answer = await Promise.race([ask().catch(() => late), sleep(patience, late, { ref: false })]);
  if (answer !== late) return answer;
  await again();
  return ask();
}

/** Closes a browser or a context, and goes on if it hangs. */
const close = (one) => Promise.race([one.close().catch(() => {}), sleep(5_000, undefined, { ref: false })]);

/**
 * Features of Chromium to turn off. Only the last list of a command line counts, so this one repeats those of
 * Playwright that concern pages. Spare processes for later sites take a fifth of a new page's time.
 */
const withoutFeatures = ['SpareRendererForSitePerProcess', 'AvoidUnnecessaryBeforeUnloadCheckSync',
  'CDPScreenshotNewSurface', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PaintHolding',
  'ThirdPartyStoragePartitioning'];

/** Chromium without any traffic of its own. */
function launch({ whole, flags, without }) {
  return chromium.launch({
    executablePath: whole ? process.env.CHROMIUM : process.env.CHROMIUM_SHELL,
    args: [
      ...(process.getuid() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
      '--site-per-process', // the shell would put all sites into one process
      `--disable-features=${[...withoutFeatures, ...without]}`,
      ...flags,
    ],
  });
}

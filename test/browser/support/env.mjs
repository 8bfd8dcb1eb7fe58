// Where the service under test is, and the browser that visits it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';

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

/** The windows that pages are looked at in: a dark telephone and a light desk, or with EVERY_LOOK all four. */
export const looks = process.env.EVERY_LOOK ? [...light, ...dark] : [light[0], dark[0]];

/**
 * A browser for the tests of one file, and a page of its own for each test; both close by themselves.
 * `newPage(t, options)` takes a test and what Playwright takes for a context; `flags` are Chromium's. What a file
 * proves of the walls between sites it proves in the `whole` browser, as payers have it; for all else Chromium's
 * headless shell does with half the work.
 */
export async function startBrowser({ whole = false, flags = [] } = {}) {
  const browser = await launch(whole, flags);
  after(() => browser.close());
  return async (t, options) => {
    const context = await browser.newContext(options);
    const hangs = setTimeout(() => context.close(), 300_000); // whereupon all that the test awaits of it fails
    t.after(() => (clearTimeout(hangs), context.close()));
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return page;
  };
}

/** Chromium without any traffic of its own. */
function launch(whole, flags) {
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
      ...flags,
    ],
  });
}

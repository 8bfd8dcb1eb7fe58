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

/**
 * A browser for the tests of one file, and a page of its own for each test; both close by themselves.
 * `newPage(t, options)` takes a test and what Playwright takes for a context; `flags` are Chromium's.
 */
export async function startBrowser(flags = []) {
  const browser = await launch(flags);
  after(() => browser.close());
  return async (t, options) => {
    const context = await browser.newContext(options);
    t.after(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return page;
  };
}

/** Full Chromium, as payers have it, without any traffic of its own. */
function launch(flags) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      ...(process.getuid() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
      ...flags,
    ],
  });
}

// The npm package that loads the library, in a page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from './support/test.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { getFile } from './support/library.mjs';
import { startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const SOURCE = readFileSync(new URL('../../static/svcpay/npm/js/index.js', import.meta.url), 'utf8');
const loader = new URL(site.put(SOURCE, { headers: { 'Content-Type': 'text/javascript' } })).pathname;

/** A page with the package's function in it. */
async function openPage(t, head, headers) {
  const page = await newPage(t);
  await fill(page, head, headers);
  return page;
}

async function fill(page, head = '', headers) {
  await page.goto(
    site.put(
      `<!doctype html><html lang="en"><title>Shop</title>${head}<body><div id="card"></div>
    <script type="module" nonce="x">import { loadSvcPay } from '${loader}'; window.loadSvcPay = loadSvcPay;</script>`,
      { headers },
    ),
  );
  await page.waitForFunction(() => window.loadSvcPay);
}

/** Calls it and says the outcome of it. */
const load = (page, options) =>
  page.evaluate(
    (wanted) =>
      window.loadSvcPay(wanted).then(
        ({ version }) => version,
        ({ code, type }) => `${type} ${code}`,
      ),
    options,
  );

const origin = credentials.pay_url;

test('the library is loaded once, and works', async (t) => {
  const page = await openPage(t);
  const versions = await page.evaluate(async (from) => {
    const all = await Promise.all([1, 2, 3].map(() => window.loadSvcPay({ origin: from })));
    return all.map((each) => each === window.SvcPay && each.version);
  }, origin);
  assert.deepEqual(versions, ['3.2', '3.2', '3.2']);
  assert.equal(await page.locator('script[src$="/svcpay.js"]').count(), 1);
  const ready = await page.evaluate(async ([key, merchant]) => {
    const pay = new window.SvcPay(key, merchant);
    await pay.canMakePayments();
    const card = pay.createField('card');
    return new Promise((resolve) => (card.on('ready', () => resolve(true)), card.mount('#card')));
  }, [credentials.public_key, credentials.merchants.us]);
  assert.equal(ready, true);
  assert.equal(
    await load(page, { origin, version: '3.0' }),
    'integration_error not_ready',
    'another version in the same page',
  );
  assert.equal(await load(page), '3.2', 'without an origin it is the one that is there');
});

test('a script that cannot be had is asked for again, then told; the next call tries anew', async (t) => {
  const page = await openPage(t);
  let asked = 0;
  await page.route('**/svcpay.js', (route) => (++asked < 3 ? route.abort() : route.continue()));
  assert.equal(await load(page, { origin, version: '1.2' }), '1.2');
  assert.equal(asked, 3);
  const other = await openPage(t);
  await other.route('**/svcpay.js', (route) => (asked++, route.abort()));
  asked = 0;
  assert.equal(await load(other, { origin, retries: 1 }), 'api_connection_error network_error');
  assert.equal(asked, 2);
  await other.unroute('**/svcpay.js');
  assert.equal(await load(other, { origin, retries: 0 }), '3.2');
  assert.equal(await other.locator('script[src$="/svcpay.js"]').count(), 1);
});

test('a script that the page has is used; another one is refused, and none needs an origin', async (t) => {
  const page = await openPage(t, `<script src="${origin}/3.0/svcpay.js" defer></script>`);
  assert.equal(await load(page), '3.0');
  assert.equal(await load(page, { origin, version: '3.0' }), '3.0');
  assert.equal(await load(page, { origin }), 'integration_error not_ready');
  assert.equal(await load(await openPage(t)), 'integration_error not_ready');
});

test('a script of the page’s own that failed, or defined nothing, is asked for again like any other', async (t) => {
  for (const fail of [
    (route) => route.abort(),
    (route) => route.fulfill({ contentType: 'text/javascript', body: '' }),
  ]) {
    const page = await newPage(t);
    await page.route('**/3.0/svcpay.js', fail, { times: 1 });
    await fill(page, `<script src="${origin}/3.0/svcpay.js" nonce="x"></script>`, {
      'Content-Security-Policy': "default-src 'none'; script-src 'self' 'nonce-x'",
    });
    await page.waitForFunction(() => document.readyState === 'complete');
    assert.equal(await load(page), '3.0');
    assert.equal(await page.locator('script[src$="/svcpay.js"]').count(), 1);
  }
  const page = await newPage(t);
  await page.route('**/3.0/svcpay.js', (route) => route.abort());
  await fill(page, `<script src="${origin}/3.0/svcpay.js" defer></script>`);
  assert.equal(await load(page, { origin, version: '3.0', retries: 0 }), 'api_connection_error network_error');
  await page.unroute('**/3.0/svcpay.js');
  assert.equal(await load(page, { origin, version: '3.0', retries: 0 }), '3.0');
});

test('an origin that is none is an error of the promise', async (t) => {
  const page = await openPage(t);
  for (const wrong of ['pay.example.com', 'localhost:8080', 'file:///pay', 7]) {
    assert.equal(await load(page, { origin: wrong }), 'integration_error not_ready', String(wrong));
  }
  assert.equal(await load(page, { origin: `${origin}/`, version: '3.0' }), '3.0');
});

test('its own errors name their pages', async (t) => {
  const page = await openPage(t);
  await page.route('**/svcpay.js', (route) => route.abort());
  const pageOf = (options) =>
    page.evaluate((wanted) => window.loadSvcPay(wanted).catch(({ doc_url }) => doc_url), options);
  assert.equal(await pageOf({ origin, retries: 0 }), `${new URL(origin).origin}/docs/errors#network_error`);
  await page.unroute('**/svcpay.js');
  await load(page, { origin });
  assert.equal(await pageOf({ origin, version: '3.0' }), `${new URL(origin).origin}/docs/errors#not_ready`);
});

test('a pinned script, under a policy with a nonce', async (t) => {
  const page = await openPage(t, '', {
    'Content-Security-Policy': "default-src 'none'; script-src 'self' 'nonce-x' 'strict-dynamic'",
  });
  const { version, integrity } = JSON.parse((await getFile('/3.2/integrity.json')).text);
  assert.equal(
    await load(page, {
      origin,
      version,
      integrity: integrity.replace(/-./, (start) => (start === '-A' ? '-B' : '-A')),
      retries: 0,
      nonce: 'x',
    }),
    'api_connection_error network_error',
  );
  assert.equal(await load(page, { origin, version, integrity, nonce: 'x' }), '3.2');
});

test('a page that requires Trusted Types names both policies; one that does not is told', async (t) => {
  const required = "require-trusted-types-for 'script'; trusted-types svcpay";
  const under = async (policy) => {
    const page = await openPage(t, '', { 'Content-Security-Policy': policy });
    page.asked = 0;
    page.on('request', (request) => (page.asked += request.url().endsWith('/svcpay.js')));
    return page;
  };
  const page = await under(`${required} svcpay-loader`);
  assert.equal(await load(page, { origin }), '3.2');
  const ready = await page.evaluate(async ([key, merchant]) => {
    const pay = new window.SvcPay(key, merchant);
    await pay.canMakePayments();
    const wallet = pay.createField('walletB'); // which loads more
    return new Promise((resolve) => (wallet.on('ready', () => resolve(true)), wallet.mount('#card')));
  }, [credentials.public_key, credentials.merchants.us]);
  assert.equal(ready, true);
  const refused = await under(required);
  assert.equal(await load(refused, { origin }), 'integration_error not_ready');
  assert.equal(refused.asked, 0);
  assert.equal(await load(await under('trusted-types others'), { origin }), '3.2', 'names policies, and requires none');
});

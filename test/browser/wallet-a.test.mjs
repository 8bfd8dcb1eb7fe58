// Wallet A from its button to a token, against the sandbox's ApplePaySession, provider and sheet.
import assert from 'node:assert/strict';
import { before, test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { eventsOf } from './support/card.mjs';
import { api } from './support/api.mjs';
import { credentials } from './support/env.mjs';
import {
  button, cancel, createToken, deliver, inSheet, lastError, openSheet, payAs, seen, startPayers,
} from './support/wallet.mjs';

const { us, us_q: q } = credentials.merchants;
const { openPage } = await startPayers('walletA');

// The tests' pages are on merchant.localhost.
before(async () => {
  for (const id of [us, q]) {
    const { body: merchant } = await api(`/api/merchants/${id}`);
    const domains = [...new Set([...merchant.domains, 'merchant.localhost'])];
    assert.equal((await api(`/api/merchants/${id}`, { method: 'PUT', body: { domains } })).status, 200);
  }
});

/** Opens the sheet, pays, and waits for the page to be told. */
async function authorize(page, who = /Dana Reed/) {
  const { length } = await eventsOf(page, 'walletAAuthorized');
  await openSheet(page, 'A');
  await payAs(page, who);
  await eventsOf(page, 'walletAAuthorized', length + 1);
}

const gone = (page) => page.getByRole('dialog').waitFor({ state: 'detached' });

test('a payer authorizes, the payload becomes a token, and the sheet is done', async (t) => {
  const page = await openPage(t, { options: { storeName: 'River Pantry', label: 'Gift' } });
  assert.deepEqual(await seen(page), ['ready']);
  const [asked] = await Promise.all([page.waitForRequest('**/client/wallet-a/session'), openSheet(page, 'A')]);
  const { validation_url: url, display_name: name } = asked.postDataJSON();
  assert.deepEqual([url, name], ['https://gateway.wallet-a.localhost/paymentservices/startSession', 'River Pantry']);
  assert.deepEqual(await eventsOf(page, 'walletAButtonClick', 1), [{}]);
  assert.match(await inSheet(page).locator('main').textContent(), /Pay River Pantry.*Gift.*\$25\.00.*Total.*\$25\.00/s);
  await payAs(page, /Dana Reed/);
  assert.deepEqual(await eventsOf(page, 'walletAAuthorized', 1), [{}]);
  const result = await createToken(page, { first_name: 'Robin', middle_name: 'Q' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { brand, last4, wallet } = result.card;
  assert.deepEqual([brand, last4, wallet], ['visa', '4242', 'wallet_a']);
  assert.deepEqual(result.billing, {
    first_name: 'Dana',
    middle_name: 'Q',
    last_name: 'Reed',
    address_line_1: '12 Ferry Lane',
    address_line_2: 'Apt 4',
    address_city: 'Salem',
    address_state: 'OR',
    address_zip: '97301',
    address_country: 'US',
    email: 'dana@wallet.example',
  });
  await gone(page);
  assert.deepEqual(await eventsOf(page, 'walletACanceled'), []);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
});

test('networks: JCB is not taken in the United States, others as cardNetworks says; processor Q has all of them', async (t) => {
  const off = async (options) => {
    const page = await openPage(t, options);
    await openSheet(page, 'A');
    return (await inSheet(page).locator('label:has(:disabled) strong').allTextContents()).map((name) => name.trim());
  };
  assert.deepEqual(await off({}), ['Yuki Tanaka']);
  assert.deepEqual(await off({ options: { cardNetworks: ['AMEX', 'VISA'] } }), [
    'Miguel Ortiz',
    'Tom Becker',
    'Yuki Tanaka',
  ]);
  assert.deepEqual(await off({ merchant: q, options: { cardNetworks: ['VISA'] } }), ['Yuki Tanaka']);
  const none = await openPage(t, { options: { cardNetworks: ['MAESTRO'] }, usable: false });
  await none.waitForFunction(() => window.pay.lastError?.code === 'network_not_supported');
});

test('a card of each network, and one that is declined when it is charged', async (t) => {
  const page = await openPage(t);
  for (const [name, brand, status] of [
    ['Miguel Ortiz', 'mastercard', 201],
    ['Priya Shah', 'amex', 201],
    ['Tom Becker', 'discover', 201],
    ['Sam Doyle', 'visa', 402],
  ]) {
    await authorize(page, new RegExp(name));
    const { token, card } = await createToken(page);
    assert.equal(card?.brand, brand);
    await gone(page);
    const charge = await api('/api/charges', { method: 'POST', body: { merchant_id: us, amount: 2500, token } });
    assert.equal(charge.status, status, JSON.stringify(charge.body));
  }
});

test('canceled, failed: walletACanceled, and it can be tried again', async (t) => {
  const page = await openPage(t);
  await openSheet(page, 'A');
  await cancel(page);
  assert.deepEqual(await eventsOf(page, 'walletACanceled', 1), [{}]);
  await openSheet(page, 'A');
  await payAs(page, /A fault/);
  await eventsOf(page, 'walletACanceled', 2);
  await authorize(page);
  await cancel(page);
  await eventsOf(page, 'walletACanceled', 3);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('a device that cannot pay, and version 1.1: walletAIncompatible, and no button', async (t) => {
  const page = await openPage(t, { query: '?sandbox_wallet=incompatible', usable: false });
  assert.deepEqual(await eventsOf(page, 'walletAIncompatible', 1), [{ reason: 'device_unsupported' }]);
  assert.equal(await button(page, 'A').count(), 0);
  const other = await openPage(t);
  await openSheet(other, 'A');
  await payAs(other, /Another device/);
  await eventsOf(other, 'walletACanceled', 1);
  await other.evaluate(() => window.fields.walletA.mount('#walletA'));
  await eventsOf(other, 'walletAIncompatible', 1);
  const old = await openPage(t, { version: '1.1', usable: false });
  assert.deepEqual(await eventsOf(old, 'walletAIncompatible', 1), [{ reason: 'version_unsupported' }]);
  assert.equal(await button(old, 'A').count(), 0);
  for (const version of ['1.2', '3.0']) {
    const older = await openPage(t, { version });
    await authorize(older);
    assert.match((await createToken(older)).token, /^tok_/, version);
  }
});

test('a page whose domain is not registered: the sheet closes, wallet_domain_not_registered', async (t) => {
  const page = await openPage(t, { host: 'elsewhere' });
  await button(page, 'A').click();
  await eventsOf(page, 'walletACanceled', 1);
  assert.equal(await lastError(page), 'wallet_domain_not_registered');
  await gone(page);
});

test('price_required, invalid_price', async (t) => {
  const page = await openPage(t, { options: { price: undefined } });
  await button(page, 'A').click();
  assert.equal(await lastError(page), 'price_required');
  await page.evaluate(() => {
    window.pay.lastError = null;
    window.fields.walletA.setPrice('0.00');
  });
  await button(page, 'A').click();
  assert.equal(await lastError(page), 'price_required', 'nothing to pay');
  assert.deepEqual(await eventsOf(page, 'walletAButtonClick'), []);
  const code = await page.evaluate(() => {
    try {
      window.fields.walletA.setPrice('1.5');
    } catch (caught) {
      return caught.code;
    }
  });
  assert.equal(code, 'invalid_price');
  await page.evaluate(() => window.fields.walletA.setPrice('1.50'));
  await openSheet(page, 'A');
  await inSheet(page).getByRole('button', { name: 'Pay $1.50' }).waitFor();
});

test('the sheet waits 25 seconds for createToken; then authorization_expired, and the payer may try again', async (t) => {
  const page = await openPage(t, {
    before: `const later = setTimeout; window.setTimeout = (run, time, ...rest) => later(run, time === 25000 ? 1200 : time, ...rest);`,
  });
  await authorize(page);
  await inSheet(page).getByText('The payment was not completed').waitFor();
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type], ['authorization_expired', 'wallet_error']);
  // A token that comes too late is not given out, either: the payer was told that it failed.
  await page.route(
    '**/client/tokens',
    async (route) => {
      const response = await deliver(route);
      await inSheet(page).getByText('The payment was not completed').waitFor();
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await payAs(page, /Dana Reed/);
  await eventsOf(page, 'walletAAuthorized', 2);
  assert.equal((await createToken(page)).error?.code, 'authorization_expired');
  await payAs(page, /Dana Reed/);
  await eventsOf(page, 'walletAAuthorized', 3);
  assert.match((await createToken(page)).token, /^tok_/);
  await gone(page);
});

test('a payer who closes the sheet after its failure: lastError has the cause', async (t) => {
  const page = await openPage(t);
  await authorize(page);
  await page.route('**/client/tokens', (route) => route.abort('internetdisconnected'));
  await createToken(page);
  await inSheet(page).getByText('The payment was not completed').waitFor();
  await cancel(page);
  await eventsOf(page, 'walletACanceled', 1);
  assert.equal(await lastError(page), 'network_error');
});

test('a refused payload: the sheet says so and stays', async (t) => {
  const page = await openPage(t);
  await page.route('**/client/tokens', (route) => {
    const body = route.request().postDataJSON();
    body.payload.paymentData.header.transactionId = body.payload.paymentData.header.transactionId.replace(/^./, (c) =>
      c === '0' ? '1' : '0',
    );
    return route.continue({ postData: JSON.stringify(body) });
  }, { times: 1 });
  await authorize(page);
  assert.equal((await createToken(page)).error.code, 'wallet_signature_invalid');
  await inSheet(page).getByText('The payment was not completed').waitFor();
  await payAs(page, /Dana Reed/);
  await eventsOf(page, 'walletAAuthorized', 2);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('after a failure the same authorization may do yet; the sheet goes, and the button works as before', async (t) => {
  const page = await openPage(t);
  await authorize(page);
  await page.route('**/client/tokens', (route) => route.abort('internetdisconnected'));
  assert.equal((await createToken(page)).error.code, 'network_error');
  await inSheet(page).getByText('The payment was not completed').waitFor();
  assert.equal((await createToken(page)).error.code, 'network_error', 'the sheet is not told twice');
  await page.unroute('**/client/tokens');
  assert.match((await createToken(page)).token, /^tok_/);
  await gone(page);
  assert.deepEqual(await eventsOf(page, 'walletACanceled'), []);
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('a failure without an error is the end of a sheet, of which nobody is told; destroy leaves nothing behind it', async (t) => {
  const page = await openPage(t);
  const left = (strip) =>
    page.evaluate((bare) => {
      const { completePayment } = ApplePaySession.prototype;
      if (bare)
        ApplePaySession.prototype.completePayment = function ({ status }) {
          completePayment.call(this, status);
        };
      else window.pay.destroy();
      return document.querySelectorAll('iframe').length;
    }, strip);
  await left(true);
  await page.route('**/client/tokens', (route) =>
    route.fulfill({
      status: 422,
      json: { error: { code: 'wallet_payload_expired', message: 'Late.', type: 'wallet_error' } },
    }),
  );
  await authorize(page);
  assert.equal((await createToken(page)).error.code, 'wallet_payload_expired');
  await gone(page);
  assert.deepEqual(await eventsOf(page, 'walletACanceled'), []);
  assert.equal(await left(false), 0);
});

test('buttonSizeMode and walletAElement: 186 by 40 at least, 64 high at most', async (t) => {
  const page = await openPage(t, {
    style: '#wide { width: 330px; height: 200px; }',
    options: { walletAElement: '#walletA' },
  });
  const box = () => button(page, 'A').boundingBox();
  const small = await box();
  assert.ok(small.width >= 186 && small.height >= 40 && small.height <= 64, JSON.stringify(small));
  await page.evaluate(() => {
    document.querySelector('main').append(Object.assign(document.createElement('div'), { id: 'wide' }));
    window.fields.walletA.updateField({ buttonSizeMode: 'fill', walletAElement: '#wide' });
    window.fields.walletA.mount();
  });
  await eventsOf(page, 'ready', 2);
  const { width, height } = await box();
  assert.deepEqual([width, height], [330, 64]);
});

test('a merchant page with a strict policy, by keyboard alone, at 390 px', async (t) => {
  const pay = new URL(credentials.pay_url).origin;
  const policy = `default-src 'none'; script-src ${pay} 'nonce-n0nce'; style-src 'nonce-n0nce'; frame-src ${pay}; connect-src 'self'`;
  const page = await openPage(t, {
    nonce: 'n0nce',
    headers: { 'Content-Security-Policy': policy },
    context: { viewport: { width: 390, height: 700 } },
  });
  await page.locator('label[for=walletA]').click();
  await eventsOf(page, 'focus', 1);
  await page.keyboard.press('Enter');
  await inSheet(page).locator('button.pay:enabled').waitFor();
  await inSheet(page).getByRole('radio').first().press('ArrowDown');
  assert.equal(
    await inSheet(page)
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    0,
  );
  await page.keyboard.press('Enter');
  await eventsOf(page, 'walletAAuthorized', 1);
  assert.equal((await createToken(page)).card?.brand, 'mastercard');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(page.refusals, []);
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing, ${scheme}`, async (t) => {
    const page = await openPage(t, { dark: scheme === 'dark', context: { colorScheme: scheme } });
    await accessible(page, 'button');
    await openSheet(page, 'A');
    await accessible(page, 'sheet');
  });
}

test('unmounted with its sheet open: the sheet goes, and nothing is told', async (t) => {
  const page = await openPage(t);
  await openSheet(page, 'A');
  await page.evaluate(() => window.fields.walletA.unmountField());
  await gone(page);
  assert.deepEqual(await eventsOf(page, 'walletACanceled'), []);
  await page.evaluate(() => window.fields.walletA.mount('#walletA'));
  await eventsOf(page, 'ready', 2);
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

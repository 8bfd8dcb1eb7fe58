// Wallet B from its button to a token, against the sandbox's sheet, which seals real payloads.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { eventsOf } from './support/card.mjs';
import { api } from './support/api.mjs';
import { credentials } from './support/env.mjs';
import {
  button, cancel, createToken, deliver, inSheet, lastError, openSheet, payAs, seen, startPayers,
} from './support/wallet.mjs';

const { openPage } = await startPayers('walletB');

/** Opens the sheet, pays, and waits for the page to be told. */
async function authorize(page, who = /Dana Reed/) {
  const { length } = await eventsOf(page, 'walletBAuthorized');
  await openSheet(page);
  await payAs(page, who);
  await eventsOf(page, 'walletBAuthorized', length + 1);
}

test('a payer authorizes, and the payload becomes a token', async (t) => {
  const page = await openPage(t);
  assert.deepEqual(await seen(page), ['walletBReady', 'walletBButtonReady', 'ready']);
  await openSheet(page);
  assert.deepEqual(await eventsOf(page, 'walletBButtonClick', 1), [{}]);
  assert.match(await inSheet(page).locator('main').textContent(), /Pay Riverside Food Bank.*\$25\.00/s);
  await payAs(page, /Dana Reed/);
  assert.deepEqual(await eventsOf(page, 'walletBAuthorized', 1), [{}]);
  assert.equal(await page.getByRole('dialog').count(), 0);
  const result = await createToken(page, {
    first_name: 'Robin', middle_name: 'Q', phone: 5551234, address_line_1: 'elsewhere',
  });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { brand, last4, wallet, exp_month, exp_year } = result.card;
  assert.deepEqual(
    [brand, last4, wallet, exp_month, exp_year],
    ['visa', '4242', 'wallet_b', 12, new Date().getFullYear() + 3],
  );
  // What the wallet supplies comes first; what it does not know is the page's.
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
    phone: '5551234',
  });
  assert.equal(result.livemode, false);
});

test('every person: a card of each network, one unnamed, one that is declined when it is charged', async (t) => {
  const page = await openPage(t);
  const cards = {
    'Miguel Ortiz': 'mastercard 4444',
    'Priya Shah': 'amex 0005',
    'Tom Becker': 'discover 1117',
    'Yuki Tanaka': 'jcb 0505',
    'No name': 'visa 4242',
    'Sam Doyle': 'visa 0002',
  };
  for (const [name, card] of Object.entries(cards)) {
    await authorize(page, new RegExp(name));
    const { error, card: made, billing, token } = await createToken(page, { first_name: 'Robin', last_name: 'Hale' });
    assert.equal(error, undefined);
    assert.equal(`${made.brand} ${made.last4}`, card, name);
    assert.equal(`${billing.first_name} ${billing.last_name}`, name === 'No name' ? 'Robin Hale' : name);
    if (name !== 'Sam Doyle' && name !== 'Miguel Ortiz') continue;
    const charge = await api('/api/charges', {
      method: 'POST',
      body: { merchant_id: credentials.merchants.us, amount: 2500, token },
    });
    assert.equal(charge.status, name === 'Sam Doyle' ? 402 : 201, JSON.stringify(charge.body));
  }
});

test('a price: xx.xx or invalid_price, and none does not open: price_required', async (t) => {
  const page = await openPage(t, { options: { price: undefined } });
  const set = (price) => page.evaluate((text) => {
    try {
      window.fields.walletB.setPrice(text);
    } catch ({ code, type }) {
      return `${type}: ${code}`;
    }
  }, price);
  await button(page).click();
  assert.equal(await lastError(page), 'price_required');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await set('0.00');
  await page.evaluate(() => (window.pay.lastError = null));
  await button(page).click();
  assert.equal(await lastError(page), 'price_required', 'nothing to pay');
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.deepEqual(await eventsOf(page, 'walletBButtonClick'), []);
  for (const wrong of ['25', '25.0', '1,000.00', '-1.00', '', 25])
    assert.equal(await set(wrong), 'integration_error: invalid_price', String(wrong));
  assert.equal(await set('7.05'), undefined);
  await openSheet(page);
  await inSheet(page).getByRole('button', { name: 'Pay $7.05' }).waitFor();
  await cancel(page);
  await page.evaluate(() => window.fields.walletB.updateField({ price: '1234.00' }));
  await openSheet(page);
  await inSheet(page)
    .getByRole('button', { name: 'Pay $1,234.00' })
    .or(inSheet(page).getByRole('button', { name: 'Pay $1234.00' }))
    .waitFor();
});

test('a sheet that is canceled, by a button or by Escape, changes nothing', async (t) => {
  const page = await openPage(t);
  for (const leave of [cancel, () => void page.keyboard.press('Escape').catch(() => {})]) {
    await openSheet(page);
    await inSheet(page).getByRole('radio').first().focus();
    await leave(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.equal(await lastError(page), undefined);
  const names = await seen(page);
  assert.deepEqual(names.slice(3), ['walletBButtonClick', 'walletBButtonClick']);
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('a wallet that fails is told as a wallet_error, and can be tried again', async (t) => {
  const page = await openPage(t);
  await openSheet(page);
  await payAs(page, /A fault/);
  await page.waitForFunction(() => window.pay.lastError);
  const { code, type, message } = await page.evaluate(() => window.pay.lastError);
  assert.deepEqual([code, type], ['internal_error', 'wallet_error']);
  assert.match(message, /INTERNAL_ERROR/);
  await authorize(page);
});

test('a device that cannot pay: walletBIncompatible, and no button', async (t) => {
  const page = await openPage(t, { query: '?sandbox_wallet=incompatible', usable: false });
  assert.deepEqual(await eventsOf(page, 'walletBIncompatible', 1), [{ reason: 'device_unsupported' }]);
  assert.deepEqual(await seen(page), ['walletBReady', 'walletBIncompatible']);
  assert.equal(await button(page).count(), 0);

  const other = await openPage(t);
  await openSheet(other);
  await payAs(other, /Another device/);
  assert.deepEqual(await eventsOf(other, 'walletBIncompatible', 1), [{ reason: 'account_unsupported' }]);
  await other.evaluate(() => window.fields.walletB.mount('#walletB'));
  await eventsOf(other, 'walletBIncompatible', 2);
});

test('cardNetworks: those alone; others are told; processor Q has all', async (t) => {
  const off = async (page) => {
    await openSheet(page);
    return inSheet(page).locator('label:has(:disabled) strong').allTextContents();
  };
  const trim = (names) => names.map((name) => name.trim());
  const two = await openPage(t, { options: { cardNetworks: ['VISA', 'JCB'] } });
  assert.deepEqual(trim(await off(two)), ['Miguel Ortiz', 'Priya Shah', 'Tom Becker']);
  const wrong = await openPage(t, { options: { cardNetworks: ['VISA', 'MAESTRO'] } });
  assert.equal(await lastError(wrong), 'network_not_supported');
  assert.deepEqual(trim(await off(wrong)), ['Miguel Ortiz', 'Priya Shah', 'Tom Becker', 'Yuki Tanaka']);
  const none = await openPage(t, { options: { cardNetworks: [] }, usable: false });
  await none.waitForFunction(() => window.pay.lastError?.code === 'network_not_supported');
  assert.equal(await button(none).count(), 0);
  const q = await openPage(t, { merchant: credentials.merchants.us_q, options: { cardNetworks: ['VISA'] } });
  assert.deepEqual(trim(await off(q)), []);
});

test('an authorization is for one token, and good for five minutes', async (t) => {
  const page = await openPage(t);
  const code = async () => (await createToken(page)).error?.code;
  assert.equal(await code(), 'field_not_authorized');
  await authorize(page);
  assert.equal(await code(), undefined);
  assert.equal(await code(), 'field_not_authorized');
  await authorize(page);
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 5 * 60_000 + 1;
  });
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type], ['authorization_expired', 'wallet_error']);
  await page.evaluate(() => delete performance.now);
  await authorize(page);
  await page.evaluate(() => window.fields.walletB.unmountField());
  assert.equal(await code(), 'field_not_mounted');
});

test('when the service cannot be reached, the same authorization is sent again and makes one token', async (t) => {
  const page = await openPage(t);
  await authorize(page);
  const keys = [];
  let lost = 4;
  await page.route('**/client/tokens', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    if (lost-- > 0) {
      await deliver(route); // it arrives, and the answer is lost
      return route.abort('connectionreset');
    }
    return route.continue();
  });
  assert.equal((await createToken(page)).error.code, 'network_error');
  assert.match((await createToken(page)).token, /^tok_/);
  assert.equal(keys.length, 5);
  assert.equal(new Set(keys).size, 1);
});

test('payloads that were changed or used are refused, as is wrong tokenData', async (t) => {
  const page = await openPage(t);
  const sent = [];
  let change = (body) => body;
  await page.route('**/client/tokens', (route) => {
    sent.push(route.request().postDataJSON());
    return route.continue({ postData: JSON.stringify(change(structuredClone(sent.at(-1)))) });
  });
  const refused = async (data) => {
    const { error } = await createToken(page, data);
    return `${error?.type}: ${error?.code}`;
  };
  await authorize(page);
  assert.equal(await refused({ address_country: 'USA' }), 'validation_error: invalid_token_data');
  assert.equal(sent.length, 0);
  change = (body) => ({ ...body, payload: { ...body.payload, signature: `A${body.payload.signature.slice(1)}` } });
  assert.equal(await refused(), 'validation_error: wallet_signature_invalid');
  change = (body) => body;
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
  const { payload } = sent.at(-1);
  change = (body) => ({ ...body, payload });
  await authorize(page);
  assert.equal(await refused(), 'validation_error: wallet_payload_expired');
});

test('buttonSizeMode, walletBElement, disabled; style does not apply', async (t) => {
  const style = '#wide { width: 330px; height: 72px; }';
  const page = await openPage(t, {
    style,
    options: { walletBElement: '#walletB', style: { base: { color: 'red' } }, label: 'x' },
  });
  const box = () => button(page).boundingBox();
  const { width, height } = await box();
  assert.ok(width >= 186 && height >= 40 && height < 64, `${width}x${height}`);
  assert.ok(
    ['style', 'label'].every((name) =>
      page.said.some((line) => line.includes(`The option "${name}" does not apply to walletB`)),
    ),
  );
  await page.evaluate(() => {
    document.querySelector('main').append(Object.assign(document.createElement('div'), { id: 'wide' }));
    window.fields.walletB.updateField({ buttonSizeMode: 'fill', walletBElement: '#wide' });
    window.fields.walletB.mount();
  });
  await eventsOf(page, 'ready', 2);
  const filled = await box();
  assert.deepEqual([filled.width, filled.height], [330, 72]);
  await page.evaluate(() => window.fields.walletB.updateField({ disabled: true }));
  await page.locator('#wide').click({ position: { x: 40, y: 30 } });
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.evaluate(() => window.fields.walletB.updateField({ disabled: false, buttonSizeMode: 'default' }));
  await openSheet(page);
  const complaint = await page.evaluate(() => {
    window.fields.walletB.unmountField();
    window.fields.walletB.mount('#nowhere');
    return document.querySelectorAll('.SvcPayField').length;
  });
  assert.equal(complaint, 0);
  assert.ok(page.said.some((line) => line.includes('No element matches "#nowhere"')));
});

test('a script that cannot be had is told, and had with the next mount', async (t) => {
  const page = await openPage(t, { usable: false, types: [] });
  await page.evaluate(() => window.started);
  await page.route('**/sandbox/wallet-b/pay.js', (route) => route.abort());
  await page.evaluate(() => {
    document.body.append(Object.assign(document.createElement('div'), { id: 'late' }));
    window.late = window.pay.createField('walletB', { price: '5.00' });
    window.late.on('ready', () => (window.isReady = true));
    window.late.mount('#late');
  });
  await page.waitForFunction(() => window.pay.lastError?.code === 'network_error');
  await page.unroute('**/sandbox/wallet-b/pay.js');
  await page.evaluate(() => window.late.mount('#late'));
  await page.waitForFunction(() => window.isReady);
});

test('a merchant page with a strict policy', async (t) => {
  const pay = new URL(credentials.pay_url).origin;
  const policy = `default-src 'none'; script-src ${pay} 'nonce-n0nce'; style-src 'nonce-n0nce'; frame-src ${pay}; connect-src 'self'`;
  const headers = {
    'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };
  const page = await openPage(t, { nonce: 'n0nce', headers });
  await authorize(page);
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(page.refusals, []);
});

test('by keyboard alone, with a label, at 390 px', async (t) => {
  const page = await openPage(t, { context: { viewport: { width: 390, height: 700 } } });
  await page.locator('label[for=walletB]').click();
  await eventsOf(page, 'focus', 1);
  await page.keyboard.press('Enter');
  await inSheet(page).locator('button.pay:enabled').waitFor();
  const focused = () =>
    inSheet(page)
      .locator(':focus')
      .evaluate(({ name, className, value }) => name || className || value)
      .catch(() => '');
  const reach = async (wanted) => {
    for (let step = 0; step < 12 && (await focused()) !== wanted; step++) await page.keyboard.press('Tab');
    assert.equal(await focused(), wanted);
  };
  await reach('person');
  await page.keyboard.press('ArrowDown');
  await reach('pay');
  const wide = await inSheet(page)
    .locator('html')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  assert.equal(wide, 0);
  await page.keyboard.press('Enter');
  await eventsOf(page, 'walletBAuthorized', 1);
  await page.waitForFunction(() => document.activeElement?.shadowRoot?.activeElement?.matches('button'));
  assert.equal((await createToken(page)).card.brand, 'mastercard');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing, ${scheme}`, async (t) => {
    const page = await openPage(t, { dark: scheme === 'dark', context: { colorScheme: scheme } });
    await accessible(page, 'button');
    await openSheet(page);
    await accessible(page, 'sheet');
  });
}

test('a thousand mounts leave one button', async (t) => {
  const page = await openPage(t);
  await page.evaluate(() => {
    for (let time = 0; time < 1000; time++) {
      window.fields.walletB.unmountField();
      window.fields.walletB.mount('#walletB');
    }
  });
  await eventsOf(page, 'ready', 2);
  assert.equal(await page.locator('#walletB > *').count(), 1);
  assert.equal(await page.locator('iframe').count(), 1);
  await authorize(page);
  await page.evaluate(() => window.pay.destroy());
  assert.deepEqual([await page.locator('iframe').count(), await page.locator('#walletB > *').count()], [0, 0]);
  assert.equal((await createToken(page)).error.code, 'not_ready');
});

test('an instance is for one payment type; every version has wallet B', async (t) => {
  const page = await openPage(t);
  const code = await page.evaluate(() => {
    try {
      window.pay.createField('card');
    } catch (caught) {
      return caught.code;
    }
  });
  assert.equal(code, 'payment_type_conflict');
  for (const version of ['1.1', '1.2', '3.0']) {
    const older = await openPage(t, { version });
    await authorize(older);
    assert.match((await createToken(older)).token, /^tok_/, version);
  }
});

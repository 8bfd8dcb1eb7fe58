// What is between a page and abuse of cards and keys, and what a payer is told when the service cannot answer.
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, createToken, eventsOf, input, leave, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { open as openPortal, portal, signIn } from './support/portal.mjs';

const site = await startSite();
const newPage = await startBrowser({ whole: true });

/** The test card that velocity limits count. */
const LIMITED = '4000000000000689';

async function openPage(t, options) {
  const page = await newPage(t);
  await open(page, site.put(merchantPage(options)));
  return page;
}

/** Opens a page whose instance cannot start and says why. */
async function refusal(t, options) {
  const page = await newPage(t);
  await page.goto(site.put(merchantPage(options)));
  assert.equal(await page.evaluate(() => window.started), false);
  assert.equal(await page.locator('#card iframe').count(), 0);
  return page.evaluate(() => window.pay.lastError);
}

test('a session has ten attempts: the next is rate_limited and says when to come back', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  for (let attempt = 0; attempt < 10; attempt++) assert.match((await createToken(page)).token, /^tok_/);
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type, error.retry_after], ['rate_limited', 'rate_limit_error', 1800]);
  assert.match(error.request_id, /^req_/);
});

test('one card makes five tokens an hour, from whatever session', async (t) => {
  const first = await openPage(t);
  await typeCard(first, { number: LIMITED });
  for (let attempt = 0; attempt < 5; attempt++) assert.match((await createToken(first)).token, /^tok_/);
  const second = await openPage(t);
  await typeCard(second, { number: LIMITED });
  const { error } = await createToken(second);
  assert.deepEqual([error.code, error.type], ['rate_limited', 'rate_limit_error']);
  assert.ok(error.retry_after > 3000 && error.retry_after <= 3600, error.retry_after);
  await second.evaluate(() => window.fields.card.clear());
  await typeCard(second);
  assert.match((await createToken(second)).token, /^tok_/, 'another card is free');
});

test('a key of the other environment: environment_mismatch', async (t) => {
  const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const head = `pk_production_${'0'.repeat(32)}`;
  let sum = crc32(head);
  let check = '';
  for (; check.length < 6; sum = Math.floor(sum / 62)) check = base62[sum % 62] + check;
  const { code, type } = await refusal(t, { key: head + check });
  assert.deepEqual([code, type], ['environment_mismatch', 'authentication_error']);
});

test('a revoked key: public_key_revoked', async (t) => {
  const admin = await openPortal(t, '/login');
  await signIn(admin, credentials.users.find(({ role }) => role === 'application_admin'));
  await admin.goto(`${portal}/developers/keys/new?kind=public`);
  await admin.getByLabel('Name').fill('Pages to be ended');
  await admin.getByRole('button', { name: 'Create key' }).click();
  const key = await admin.getByRole('group', { name: 'Key', exact: true }).textContent();
  await admin.getByRole('link', { name: 'View key' }).click();
  await admin.getByRole('link', { name: 'Revoke', exact: true }).click();
  await admin.getByRole('button', { name: 'Revoke key' }).click();
  await admin.getByText('Key revoked').first().waitFor();
  const { code, type } = await refusal(t, { key: key.trim() });
  assert.deepEqual([code, type], ['public_key_revoked', 'authentication_error']);
});

test('a page that claims another origin is refused: origin_not_allowed', async (t) => {
  const page = await newPage(t);
  // The frame cannot say it of itself: anyone who talks to the service without one is refused by it.
  await page.route('**/client/session', (route) =>
    route.continue({
      postData: JSON.stringify({ ...route.request().postDataJSON(), page_origin: 'https://other.example' }),
    }),
  );
  await page.goto(site.put(merchantPage()));
  assert.equal(await page.evaluate(() => window.started), false);
  const { code, type } = await page.evaluate(() => window.pay.lastError);
  assert.deepEqual([code, type], ['origin_not_allowed', 'invalid_request_error']);
});

test('a merchant that takes nothing now: payment_method_disabled', async (t) => {
  const page = await newPage(t);
  await page.route('**/client/session', (route) => route.fulfill({
    headers: { Date: new Date().toUTCString() },
    json: {
      session: 'session_of_a_test', expires_at: new Date(Date.now() + 1_800_000).toISOString(), livemode: false,
      merchant: { country: 'US', currency: 'usd' }, methods: { cc: false, ach: false, daf: false },
    },
  }));
  await page.goto(site.put(merchantPage()));
  assert.equal(await page.evaluate(() => window.started), false);
  assert.equal(await page.evaluate(() => window.pay.lastError.code), 'payment_method_disabled');
});

test('the service is away: network_error after several attempts with one key, then the same card works', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  const keys = [];
  await page.route('**/client/tokens', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    return route.abort('internetdisconnected');
  });
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type], ['network_error', 'api_connection_error']);
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1]);
  await page.unroute('**/client/tokens');
  assert.match((await createToken(page)).token, /^tok_/);
});

test('the service answers 5xx: internal_error after several attempts with one key', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  const keys = [];
  await page.route('**/client/tokens', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    return route.fulfill({ status: 500, body: 'broken' });
  });
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type], ['internal_error', 'api_error']);
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1]);
});

test('the service never answers: timeout', async (t) => {
  const page = await newPage(t);
  await page.route('**/client/session', () => {});
  await page.goto(site.put(merchantPage()));
  page.setDefaultTimeout(60_000);
  assert.equal(await page.evaluate(() => window.started), false);
  const { code, type } = await page.evaluate(() => window.pay.lastError);
  assert.deepEqual([code, type], ['timeout', 'api_connection_error']);
});

test('a frame that never loads: frame_timeout', async (t) => {
  const page = await newPage(t);
  await page.route('**/frame/controller?*', () => {});
  await page.goto(site.put(merchantPage()), { waitUntil: 'commit' });
  await page.waitForFunction(() => window.pay?.lastError, undefined, { timeout: 60_000 });
  const { code, type } = await page.evaluate(() => window.pay.lastError);
  assert.deepEqual([code, type], ['frame_timeout', 'api_connection_error']);
});

test('an ended session is renewed once, then told: not_ready', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  let asked = 0;
  await page.route('**/client/tokens', (route) => {
    asked++;
    return route.fulfill({
      status: 401,
      json: { error: { code: 'not_ready', message: 'This payment session has ended.', type: 'authentication_error' } },
    });
  });
  const { error } = await createToken(page);
  assert.deepEqual([error.code, asked], ['not_ready', 2]);
});

test('billing details that cannot be: invalid_email, invalid_token_data', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  const { error: mail } = await createToken(page, { email: 'dana' });
  assert.deepEqual([mail.code, mail.type, mail.field], ['invalid_email', 'validation_error', 'billing.email']);
  const { error: hidden } = await createToken(page, { address_line_2: `card ${VISA}` });
  assert.deepEqual([hidden.code, hidden.field], ['invalid_token_data', 'billing.address_line_2']);
  assert.ok(!JSON.stringify(hidden).includes('4242'), 'no answer repeats what was sent');
});

test('every mistake of an input has its code', async (t) => {
  const page = await openPage(t);
  const year = new Date().getFullYear() % 100;
  const month = new Date().getMonth();
  const past = month ? `${String(month).padStart(2, '0')}${year}` : `12${year - 1}`;
  for (const [name, text, code] of [
    ['number', '4242', 'incomplete_number'],
    ['number', '4242424242424241', 'invalid_number'],
    ['number', '62', 'unsupported_brand'],
    ['expiry', '1', 'incomplete_expiry'],
    ['expiry', '0099', 'invalid_expiry'],
    ['expiry', past, month ? 'invalid_expiry_month_past' : 'invalid_expiry_year_past'],
    ['expiry', `12${year - 1}`, 'invalid_expiry_year_past'],
    ['cvc', '1', 'incomplete_cvc'],
    ['postal_code', '9', 'incomplete_postal_code'],
    ['postal_code', '94_07', 'invalid_postal_code'],
  ]) {
    for (const [each, good] of Object.entries({ number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' }))
      await input(page, each).fill(each === name ? text : good);
    await leave(page);
    const { error } = (await eventsOf(page, 'change', 1)).at(-1);
    assert.deepEqual(
      [error?.code, error?.type, error?.field],
      [code, 'validation_error', `card.${name}`],
      `${name} ${text}`,
    );
    assert.equal((await createToken(page)).error.code, code);
  }
});

test('a code of four digits stays behind when the card turns out to want three: invalid_cvc', async (t) => {
  const page = await openPage(t, { types: ['cardNumber', 'cardExpiration', 'cardCvc'] });
  await input(page, 'cvc', '#cardCvc').fill('1234');
  await page.waitForSelector('#cardCvc.SvcPayField--complete');
  await input(page, 'number', '#cardNumber').fill(VISA);
  await page.waitForSelector('#cardCvc.SvcPayField--invalid');
  assert.equal(await input(page, 'cvc', '#cardCvc').inputValue(), '1234', 'nothing is cut off behind the payer’s back');
  await input(page, 'expiry', '#cardExpiration').fill(EXPIRY);
  const { error } = await createToken(page);
  assert.deepEqual([error?.code, error?.field], ['invalid_cvc', 'card.cvc']);
  await input(page, 'cvc', '#cardCvc').fill('123');
  await page.waitForSelector('#cardCvc.SvcPayField--complete');
});

test('dafQuote refuses what it cannot work with: invalid_amount, invalid_cover, invalid_percentage', async (t) => {
  const page = await newPage(t);
  await page.goto(site.put(merchantPage({ types: [] })));
  const codes = await page.evaluate(() =>
    [[0], [100, { cover: 'provider' }], [100, { servicePercentage: 100 }]].map((wrong) => {
      try {
        return window.SvcPay.dafQuote(...wrong);
      } catch ({ code, type }) {
        return `${type} ${code}`;
      }
    }),
  );
  assert.deepEqual(codes, [
    'integration_error invalid_amount',
    'integration_error invalid_cover',
    'integration_error invalid_percentage',
  ]);
});

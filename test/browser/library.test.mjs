// svcpay.js in a real browser: fields, events, options, tokens.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { AMEX, EXPIRY, VISA, createToken, enter, eventsOf, input, leave, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const SPLIT = ['cardNumber', 'cardExpiration', 'cardCvc'];

async function openPage(t, options, context) {
  const page = await newPage(t, context);
  await open(page, site.put(merchantPage(options)));
  return page;
}

test('a card becomes a token', async (t) => {
  const page = await openPage(t);
  const can = await page.evaluate(() => window.started);
  assert.equal(can.livemode, false);
  assert.equal(can.country, 'US');
  assert.equal(can.currency, 'usd');
  assert.equal(can.methods.cc, true);
  await typeCard(page);
  assert.equal(await input(page, 'number').inputValue(), '4242 4242 4242 4242');
  assert.equal(await input(page, 'expiry').inputValue(), `${EXPIRY.slice(0, 2)} / ${EXPIRY.slice(2)}`);
  const result = await createToken(page, { first_name: 'Dana', last_name: 'Reed', address_country: 'us' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { brand, last4, exp_month, exp_year, cardholder_name } = result.card;
  assert.deepEqual(
    [brand, last4, exp_month, exp_year, cardholder_name],
    ['visa', '4242', 8, 2000 + Number(EXPIRY.slice(2)), 'Dana Reed'],
  );
  assert.equal(result.billing.address_zip, '94107');
  assert.equal(result.livemode, false);
});

test('split fields become one token, whichever is passed', async (t) => {
  const page = await openPage(t, { types: SPLIT, options: { placeholder: 'here' } });
  assert.equal(await input(page, 'cvc', '#cardCvc').getAttribute('placeholder'), 'here');
  for (const [name, container, text] of [
    ['number', '#cardNumber', AMEX],
    ['expiry', '#cardExpiration', EXPIRY],
    ['cvc', '#cardCvc', '1234'],
  ]) {
    await enter(page, name, container);
    await page.keyboard.type(text);
  }
  const result = await page.evaluate(() => window.pay.createToken(window.fields.cardCvc, { address_zip: '10001' }));
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  assert.deepEqual([result.card.brand, result.card.last4, result.billing.address_zip], ['amex', '0005', '10001']);
});

test('the security code is as long as the brand wants, across frames', async (t) => {
  const page = await openPage(t, { types: SPLIT });
  const cvc = input(page, 'cvc', '#cardCvc');
  await cvc.fill('123');
  await page.waitForSelector('#cardCvc.SvcPayField--complete');
  await input(page, 'number', '#cardNumber').fill(AMEX);
  await page.waitForSelector('#cardCvc:not(.SvcPayField--complete)');
  await cvc.fill('1234');
  await page.waitForSelector('#cardCvc.SvcPayField--complete');
});

test('every event, with the container’s classes', async (t) => {
  const page = await openPage(t);
  const classes = () => page.locator('#card').evaluate(({ className }) => className.split(' ').sort());
  assert.deepEqual(await classes(), ['SvcPayField', 'SvcPayField--empty']);
  await enter(page, 'number');
  await eventsOf(page, 'focus', 1);
  assert.ok((await classes()).includes('SvcPayField--focus'));
  await page.keyboard.type(`${VISA}${EXPIRY}12394107`);
  await page.waitForSelector('.SvcPayField--complete');
  await leave(page);
  assert.deepEqual(await classes(), ['SvcPayField', 'SvcPayField--complete']);
  assert.deepEqual(await eventsOf(page, 'ready'), [{}]);
  assert.deepEqual(await eventsOf(page, 'change'), [
    { empty: false, complete: false },
    { empty: false, complete: true },
  ]);
  assert.deepEqual(await eventsOf(page, 'focus'), [{}]);
  assert.deepEqual(await eventsOf(page, 'blur', 1), [{}]);
  assert.deepEqual(await eventsOf(page, 'cardbrand'), [{ brand: 'visa' }]);
});

test('cardbrand names the reference’s brands, and none', async (t) => {
  const page = await openPage(t, { types: ['cardNumber'] });
  const numbers = {
    amex: AMEX, discover: '6011111111111117', diners_club: '36227206271667', jcb: '3566002020360505',
    mastercard: '2223003122003222', visa: VISA, none: '3',
  };
  for (const number of Object.values(numbers)) {
    await input(page, 'number', '#cardNumber').fill(number);
    await leave(page);
  }
  assert.deepEqual((await eventsOf(page, 'cardbrand', 7)).map(({ brand }) => brand), Object.keys(numbers));
});

test('an error shows while typing only when typing on cannot help, else on leaving', async (t) => {
  const page = await openPage(t, { types: ['cardNumber'] });
  const number = input(page, 'number', '#cardNumber');
  const errors = async (count) => (await eventsOf(page, 'change', count)).map(({ error }) => error?.code);
  await enter(page, 'number', '#cardNumber');
  await page.keyboard.type('4242');
  assert.deepEqual(await errors(1), [undefined]);
  await leave(page);
  assert.deepEqual(await errors(2), [undefined, 'incomplete_number']);
  assert.equal(await number.getAttribute('aria-invalid'), 'true');
  const described = await number.evaluate((element) =>
    document.getElementById(element.getAttribute('aria-describedby')),
  );
  assert.ok(described);
  assert.match(await page.frameLocator('#cardNumber iframe').getByRole('alert').textContent(), /incomplete/);
  await page.waitForSelector('#cardNumber.SvcPayField--invalid');
  await number.fill('5555555555554445');
  assert.equal((await errors(3)).at(-1), 'invalid_number');
  await number.fill('62');
  assert.equal((await errors(4)).at(-1), 'unsupported_brand');
  await number.fill(VISA);
  assert.equal((await errors(5)).at(-1), undefined);
  assert.equal(await number.getAttribute('aria-describedby'), null);
});

test('createToken always resolves, with the first error in reading order', async (t) => {
  const page = await openPage(t);
  const code = async (data) => (await createToken(page, data)).error;
  assert.deepEqual(await code(), {
    message: 'Your card number is incomplete.',
    code: 'incomplete_number',
    type: 'validation_error',
    field: 'card.number',
    doc_url: `${credentials.pay_url}/docs/errors#incomplete_number`,
  });
  await page.waitForSelector('#card.SvcPayField--invalid');
  const year = new Date().getFullYear() % 100;
  const cases = [
    [{ number: '4242424242424241', zip: '' }, 'invalid_number'],
    [{ expiry: '', cvc: '', zip: '' }, 'incomplete_expiry'],
    [{ expiry: `12${year - 1}` }, 'invalid_expiry_year_past'],
    [{ cvc: '12', zip: '' }, 'incomplete_cvc'],
    [{ zip: '9' }, 'incomplete_postal_code'],
  ];
  for (const [typed, expected] of cases) {
    for (const [name, text] of Object.entries({ number: VISA, expiry: EXPIRY, cvc: '123', zip: '94107', ...typed })) {
      await input(page, name === 'zip' ? 'postal_code' : name).fill(text);
    }
    assert.equal((await code()).code, expected);
  }
  await input(page, 'postal_code').fill('94107');
  const { code: wrong, field } = await code({ address_country: 'USA' });
  assert.deepEqual([wrong, field], ['invalid_token_data', 'billing.address_country']);
});

test('fields that are not there: field_not_mounted, not_ready', async (t) => {
  const page = await openPage(t, { types: ['cardNumber'] });
  await input(page, 'number', '#cardNumber').fill(VISA);
  const alone = await createToken(page);
  assert.equal(alone.error.code, 'field_not_mounted');
  assert.match(alone.error.message, /cardExpiration/);
  const [unmounted, missing, early] = await page.evaluate(async () => {
    window.fields.cardNumber.unmountField();
    const other = new window.SvcPay('pk', 1);
    return [
      await window.pay.createToken(window.fields.cardNumber),
      await window.pay.createToken(),
      await other.createToken(other.createField('card')),
    ];
  });
  assert.deepEqual(
    [unmounted, missing, early].map(({ error }) => error.code),
    ['field_not_mounted', 'field_not_mounted', 'not_ready'],
  );
});

test('a wrong key, a wrong merchant: false, lastError says why, and nothing is remembered', async (t) => {
  for (const [options, code] of [
    [{ key: 'pk_sandbox_unknown' }, 'invalid_public_key'],
    [{ merchant: 999999999 }, 'merchant_not_found'],
  ]) {
    const page = await newPage(t);
    await page.goto(site.put(merchantPage(options)));
    assert.equal(await page.evaluate(() => window.started), false);
    assert.equal(await page.evaluate(() => window.pay.lastError.code), code);
    assert.equal(await page.locator('#card iframe').count(), 0);
    let asked = 0;
    page.on('request', (request) => (asked += request.url().endsWith('/client/session')));
    assert.equal(await page.evaluate(() => window.pay.canMakePayments()), false);
    assert.equal(asked, 1);
  }
});

test('another application’s merchant is unknown to this key', async (t) => {
  const page = await newPage(t);
  await page.goto(site.put(merchantPage({ merchant: credentials.other.merchants.us })));
  assert.equal(await page.evaluate(() => window.started), false);
  assert.equal(await page.evaluate(() => window.pay.lastError.code), 'merchant_not_found');
});

test('mounting before canMakePayments renders nothing and throws nothing', async (t) => {
  const page = await newPage(t);
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(site.put(merchantPage({ types: [] })));
  const frames = await page.evaluate(() => {
    const pay = new window.SvcPay('pk_sandbox_of-nobody', 1);
    pay.createField('card').mount(document.body);
    const found = document.querySelectorAll('.SvcPayField, iframe[src*="pk_sandbox_of-nobody"]');
    return [...found].filter((element) => element.checkVisibility()).length; // a frame may load ahead, out of sight
  });
  assert.equal(frames, 0);
  assert.match(complaints.join(), /canMakePayments\(\) must complete/);
});

test('mistakes in the page’s code', async (t) => {
  const page = await openPage(t);
  const codes = await page.evaluate(() => {
    const attempt = (run) => {
      try {
        run();
        return 'no error';
      } catch ({ code, type }) {
        return `${type}: ${code}`;
      }
    };
    const { SvcPay, pay } = window;
    return [
      () => new SvcPay(),
      () => new SvcPay('pk', 'abc'),
      () => pay.createField('walletA'),
      () => pay.createField('constructor'),
      () => pay.createField('card').on('change', 7),
      () => pay.createField('card').mount('#nowhere'),
    ].map(attempt);
  });
  assert.deepEqual(codes, [
    'integration_error: invalid_public_key',
    'integration_error: merchant_not_found',
    'integration_error: payment_type_conflict',
    'integration_error: payment_method_disabled',
    'integration_error: invalid_handler',
    'no error',
  ]);
});

test('a field can be moved, unmounted, mounted again, cleared, destroyed', async (t) => {
  const page = await openPage(t);
  await page.evaluate(() => {
    const aside = document.createElement('aside');
    aside.id = 'aside';
    document.body.append(aside);
    window.fields.card.mount(aside);
  });
  await eventsOf(page, 'ready', 2);
  assert.deepEqual([await page.locator('#card iframe').count(), await page.locator('#aside iframe').count()], [0, 1]);
  assert.equal(await page.locator('#card').getAttribute('class'), '');
  for (let time = 0; time < 20; time++) {
    assert.equal(
      await page.evaluate(() => (window.fields.card.unmountField(), window.length)),
      1,
      'the controller stays',
    );
    await page.evaluate(() => window.fields.card.mount('#card'));
  }
  await eventsOf(page, 'ready', 3);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
  await page.evaluate(() => window.fields.card.clear());
  await page.waitForSelector('#card.SvcPayField--empty');
  assert.equal((await createToken(page)).error.code, 'incomplete_number');
  await page.evaluate(() => window.pay.destroy());
  assert.deepEqual([await page.locator('iframe').count(), await page.evaluate(() => window.length)], [0, 0]);
  assert.equal((await createToken(page)).error.code, 'not_ready');
  assert.equal(await page.evaluate(() => window.pay.canMakePayments()), false);
});

test('lost answers are asked for again with one idempotency key', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  const keys = [];
  await page.route('**/client/tokens', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    if (keys.length === 1) return route.abort('connectionreset');
    if (keys.length === 2) return route.fulfill({ status: 503, body: 'overloaded' });
    return route.continue();
  });
  assert.match((await createToken(page)).token, /^tok_/);
  assert.equal(keys.length, 3);
  assert.match(keys[0], /^[\da-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
});

// What a card field does next to being typed into: languages, browsers that fill in, swipers.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { AMEX, EXPIRY, VISA, createToken, enter, eventsOf, input, leave, open, typeCard } from './support/card.mjs';
import { accessible } from './support/axe.mjs';
import { api } from './support/api.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { SPY } from './support/spy.mjs';

const site = await startSite();
const newPage = await startBrowser();
const SPLIT = ['cardNumber', 'cardExpiration', 'cardCvc'];

async function openPage(t, options, context) {
  const page = await newPage(t, context);
  await open(page, site.put(merchantPage(options)));
  return page;
}

const css = (locator, property) => locator.evaluate((element, name) => getComputedStyle(element)[name], property);

/** Language, first error, cvc label, number’s placeholder, and the frame’s title. */
const SPOKEN = {
  en: ['Your card number is incomplete.', 'Security code', 'Card number', 'Secure card details'],
  es: [
    'El número de la tarjeta está incompleto.',
    'Código de seguridad',
    'Número de tarjeta',
    'Datos seguros de la tarjeta',
  ],
  fr: ['Le numéro de carte est incomplet.', 'Cryptogramme visuel', 'Numéro de carte', 'Données de carte sécurisées'],
  'fr-CA': ['Le numéro de carte est incomplet.', 'Code de sécurité', 'Numéro de carte', 'Données de carte sécurisées'],
};

for (const [locale, [error, label, placeholder, title]] of Object.entries(SPOKEN)) {
  test(`the fields and their errors speak ${locale}`, async (t) => {
    const page = await openPage(t, { instance: { locale } });
    const frame = page.frameLocator('#card iframe');
    assert.equal(await input(page, 'cvc').getAttribute('aria-label'), label);
    assert.equal(await input(page, 'number').getAttribute('placeholder'), placeholder);
    assert.equal(await frame.locator(':root').getAttribute('lang'), locale);
    await page.waitForFunction((expected) => document.querySelector('#card iframe').title === expected, title);
    assert.equal((await createToken(page)).error.message, error);
    await frame.getByRole('alert').filter({ hasText: error }).waitFor();
    assert.equal((await eventsOf(page, 'change', 1)).at(-1).error.message, error);
    await accessible(page, locale);
  });
}

test('each input of a card is described by its own mistake, and the first is announced', async (t) => {
  const page = await openPage(t);
  await input(page, 'number').fill(VISA);
  await input(page, 'expiry').fill('0120');
  await createToken(page);
  const described = (name) =>
    input(page, name).evaluate(
      (element) => document.getElementById(element.getAttribute('aria-describedby'))?.textContent,
    );
  assert.deepEqual(await Promise.all(['number', 'expiry', 'cvc', 'postal_code'].map(described)), [
    undefined,
    'Your card’s expiration year is in the past.',
    'Your card’s security code is incomplete.',
    'Your postal code is incomplete.',
  ]);
  assert.equal(
    await page.frameLocator('#card iframe').getByRole('alert').textContent(),
    'Your card’s expiration year is in the past.',
  );
});

test('without an option the page’s language counts, and the service’s errors follow', async (t) => {
  const page = await openPage(t, { lang: 'fr' });
  assert.equal(await input(page, 'number').getAttribute('placeholder'), 'Numéro de carte');
  await typeCard(page);
  await page.route('**/client/tokens', (route) =>
    route.fulfill({
      status: 429,
      json: { error: { code: 'rate_limited', message: 'Too many.', type: 'rate_limit_error', retry_after: 60 } },
    }),
  );
  const { message, code, type, retry_after } = (await createToken(page)).error;
  assert.deepEqual(
    [message, code, type, retry_after],
    ['Trop de tentatives. Réessayez plus tard.', 'rate_limited', 'rate_limit_error', 60],
  );
});

test('"auto" is the browser’s language, and a language without words is English', async (t) => {
  const page = await openPage(t, { instance: { locale: 'auto' } }, { locale: 'es-MX' });
  assert.equal(await input(page, 'number').getAttribute('placeholder'), 'Número de tarjeta');
  const other = await openPage(t, { instance: { locale: 'de' }, lang: 'fr' });
  assert.equal(await input(other, 'number').getAttribute('placeholder'), 'Card number');
});

test('words that cannot be had leave the fields English', async (t) => {
  const page = await newPage(t);
  await page.route('**/assets/locale-*', (route) => route.abort());
  await open(page, site.put(merchantPage({ instance: { locale: 'fr' } })));
  assert.equal(await input(page, 'number').getAttribute('placeholder'), 'Card number');
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

/** Puts text into an input of a frame as a browser that fills in a form does. */
const autofill = (page, container, autocomplete, text) =>
  page.frameLocator(`${container} iframe`).locator(`input[autocomplete=${autocomplete}]`).evaluate((element, value) => {
    element.value = value;
    element.dispatchEvent(new Event('input', { bubbles: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  }, text);

for (const container of ['#cardNumber', '#cardCvc']) {
  test(`a browser that fills the whole card in at ${container} fills the other frames`, async (t) => {
    const page = await newPage(t);
    await open(page, site.put(merchantPage({ types: SPLIT, before: SPY })));
    await autofill(page, container, 'cc-number', AMEX);
    await autofill(page, container, 'cc-exp', `${EXPIRY.slice(0, 2)}/20${EXPIRY.slice(2)}`);
    await autofill(page, container, 'cc-csc', '1234');
    for (const type of SPLIT) await page.waitForSelector(`#${type}.SvcPayField--complete`);
    assert.equal(await input(page, 'expiry', '#cardExpiration').inputValue(), `08 / ${EXPIRY.slice(2)}`);
    assert.deepEqual(
      await page
        .frameLocator(`${container} iframe`)
        .locator('input.sr')
        .evaluateAll((all) => all.map(({ value }) => value)),
      ['', ''],
      'nothing stays behind',
    );
    const result = await createToken(page);
    assert.deepEqual([result.card?.brand, result.card?.last4], ['amex', '0005'], JSON.stringify(result.error));
    assert.deepEqual(await page.evaluate((number) => window.spy.leaks(number), AMEX), []);
    assert.ok(await page.evaluate(() => window.spy.counts().port > 8));
  });
}

test('the inputs of a split card that nobody sees take no part in Tab’s order', async (t) => {
  const page = await openPage(t, { types: SPLIT });
  await accessible(page, 'split fields');
  await enter(page, 'number', '#cardNumber');
  for (const [container, name] of [['#cardExpiration', 'expiry'], ['#cardCvc', 'cvc']]) {
    await page.keyboard.press('Tab');
    await page.waitForSelector(`${container}.SvcPayField--focus`);
    assert.equal(await page.frameLocator(`${container} iframe`).locator('input:focus').getAttribute('name'), name);
  }
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => document.activeElement.id === 'after');
  await page.keyboard.press('Shift+Tab');
  await page.waitForSelector('#cardCvc.SvcPayField--focus');
});

test('what a browser fills in wrong shows at once', async (t) => {
  const page = await openPage(t, { types: SPLIT });
  await autofill(page, '#cardNumber', 'cc-exp', '01/20');
  await page.waitForSelector('#cardExpiration.SvcPayField--invalid');
  assert.equal((await eventsOf(page, 'change', 1)).at(-1).error.code, 'invalid_expiry_year_past');
});

const SWIPE = '<button type="button" id="swipe">Swipe</button>';
const YYMM = EXPIRY.slice(2) + EXPIRY.slice(0, 2);
const tracks = (number, { yymm = YYMM, second = number } = {}) =>
  `%B${number}^REED/DANA^${yymm}1010000000000?;${second}=${yymm}1010000000000?`;

async function swipe(page, text) {
  await page.locator('#swipe').click();
  await page
    .frameLocator('.SvcPayField iframe')
    .first()
    .locator('input[name=stripe]:focus')
    .waitFor({ state: 'attached' });
  await page.keyboard.insertText(text);
}

test('a swiped card needs no code: number and expiry are filled in, and the token says so', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ instance: { swipe: true }, body: SWIPE, before: SPY })));
  await swipe(page, tracks('3566002020360505'));
  await page.waitForSelector('#card.SvcPayField--complete');
  await page.frameLocator('#card iframe').getByRole('status').filter({ hasText: 'The card was read.' }).waitFor();
  assert.equal(
    await page.frameLocator('#card iframe').locator('input[name=stripe]').count(),
    0,
    'what was read is dropped',
  );
  await accessible(page, 'swiped');
  const result = await createToken(page);
  assert.deepEqual([result.card?.brand, result.card?.exp_month], ['jcb', 8], JSON.stringify(result.error));
  const { body } = await api(`/api/tokens/${result.token}`);
  assert.equal(body.entry_mode, 'swiped');
  assert.deepEqual(await page.evaluate(() => window.spy.leaks('3566002020360505')), []);
});

test('each key of a swiper goes into the frame, also across split fields', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ types: SPLIT, instance: { swipe: true }, body: SWIPE, before: SPY })));
  await page.locator('#swipe').click();
  await page.frameLocator('#cardNumber iframe').locator('input[name=stripe]:focus').waitFor({ state: 'attached' });
  await page.keyboard.type(tracks(AMEX));
  await page.keyboard.press('Enter');
  for (const type of SPLIT) await page.waitForSelector(`#${type}.SvcPayField--complete`);
  assert.deepEqual(await page.evaluate((number) => window.spy.leaks(number), AMEX), []);
  assert.match((await createToken(page)).token, /^tok_/);
  // Who then types another number has to give its code.
  await enter(page, 'number', '#cardNumber');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(VISA);
  await page.waitForSelector('#cardCvc:not(.SvcPayField--complete)');
  assert.equal((await createToken(page)).error.code, 'incomplete_cvc');
});

test('what a swiper cannot read: swipe_unreadable, swipe_tracks_disagree, an expired card', async (t) => {
  const page = await openPage(t, { instance: { swipe: true }, body: SWIPE });
  const error = async (text, code) => {
    await swipe(page, text);
    await page.waitForFunction(
      (wanted) =>
        window.seen.at(-1)[2].error?.code === wanted ||
        window.seen.some(([, name, event]) => name === 'change' && event.error?.code === wanted),
      code,
    );
    return (await eventsOf(page, 'change')).at(-1).error;
  };
  assert.deepEqual(await error('%E?;E?', 'swipe_unreadable'), {
    message: 'The card could not be read. Swipe it again.',
    code: 'swipe_unreadable',
    type: 'card_error',
    field: 'card.number',
    doc_url: `${credentials.pay_url}/docs/errors#swipe_unreadable`,
  });
  assert.equal(
    (await error(tracks(VISA, { second: '4000056655665556' }), 'swipe_tracks_disagree')).code,
    'swipe_tracks_disagree',
  );
  assert.equal(
    (await error(tracks(VISA, { yymm: '2001' }), 'invalid_expiry_year_past')).code,
    'invalid_expiry_year_past',
  );
  assert.equal((await error(tracks('4242424242424241'), 'invalid_number')).code, 'invalid_number');
});

test('what reads swipes cannot be had: the card is typed, and the next swipe asks again', async (t) => {
  const page = await newPage(t);
  await page.route('**/assets/swiper-*', (route) => route.abort(), { times: 1 });
  await open(page, site.put(merchantPage({ instance: { swipe: true }, body: SWIPE })));
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
  await swipe(page, tracks('3566002020360505'));
  await page.frameLocator('#card iframe').getByRole('status').filter({ hasText: 'The card was read.' }).waitFor();
  assert.equal((await createToken(page)).card?.last4, '0505');
});

test('a frame that is slow to answer is told, and works when it does', async (t) => {
  const page = await newPage(t);
  await page.route('**/assets/swiper-*', (route) => setTimeout(() => route.continue(), 6_500));
  await page.goto(site.put(merchantPage({ instance: { swipe: true }, body: SWIPE })));
  await page.waitForFunction(() => window.pay.lastError?.code === 'frame_blocked');
  await eventsOf(page, 'ready', 1);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('words that do not come in time: the fields are in English', async (t) => {
  const page = await newPage(t);
  await page.route('**/assets/locale-fr-*', () => {});
  await open(page, site.put(merchantPage({ instance: { locale: 'fr' } })));
  assert.equal(await input(page, 'number').getAttribute('placeholder'), 'Card number');
  assert.equal(await page.evaluate(() => window.pay.lastError), null);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('nobody swipes: swipe_timeout; and leaving the frame ends it without an error', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ instance: { swipe: true }, body: SWIPE })));
  await page.locator('#swipe').click();
  const hidden = page.frameLocator('#card iframe').locator('input[name=stripe]');
  await hidden.waitFor({ state: 'attached' });
  await leave(page);
  await hidden.waitFor({ state: 'detached' });
  assert.deepEqual(await eventsOf(page, 'change'), []);
  await page.locator('#swipe').click();
  await page.waitForFunction(() => window.seen.some(([, , { error }]) => error?.code === 'swipe_timeout'), undefined, {
    timeout: 40_000,
  });
});

test('options.swipe without its button: an integration_error at mount', async (t) => {
  const page = await newPage(t);
  await page.goto(site.put(merchantPage({ instance: { swipe: true }, body: '<a id="swipe">Swipe</a>' })));
  await page.evaluate(() => window.started);
  const { code, type } = await page.evaluate(() => window.pay.lastError);
  assert.deepEqual(
    [code, type, await page.locator('#card iframe').count()],
    ['swipe_button_missing', 'integration_error', 0],
  );
});

test('a secret key in the page is refused, and the message says to revoke it', async (t) => {
  const page = await newPage(t);
  const thrown = [];
  page.on('pageerror', (error) => thrown.push(error.message));
  await page.goto(site.put(merchantPage({ key: 'sk_sandbox_0123456789' })));
  assert.match(thrown.join(), /secret API key.*Revoke it at once/);
  assert.equal(await page.locator('iframe').count(), 0);
});

test('style follows updateField at once, in the states of hover and disabled', async (t) => {
  const page = await openPage(t, {
    types: ['cardNumber'],
    options: {
      style: {
        base: { color: 'rgb(1, 2, 3)', ':hover': { color: 'rgb(4, 5, 6)' }, ':disabled': { color: 'rgb(7, 8, 9)' } },
      },
    },
  });
  const number = input(page, 'number', '#cardNumber');
  assert.equal(await css(number, 'color'), 'rgb(1, 2, 3)');
  await number.hover();
  assert.equal(await css(number, 'color'), 'rgb(4, 5, 6)');
  await page.mouse.move(0, 0);
  await page.evaluate(() =>
    window.fields.cardNumber.updateField({
      style: { base: { textTransform: 'uppercase', textAlign: 'right' } },
      placeholder: 'Número',
      disabled: true,
    }),
  );
  await number.and(page.frameLocator('#cardNumber iframe').locator(':disabled')).waitFor();
  assert.deepEqual(
    [
      await css(number, 'color'),
      await css(number, 'textTransform'),
      await css(number, 'textAlign'),
      await number.getAttribute('placeholder'),
    ],
    ['rgb(7, 8, 9)', 'uppercase', 'right', 'Número'],
  );
  await page.evaluate(() => window.fields.cardNumber.updateField({ disabled: false }));
  await page.frameLocator('#cardNumber iframe').locator('input[name=number]:enabled').waitFor();
  assert.equal(await css(number, 'textAlign'), 'right', 'options merge');
});

// The demo shop in a real browser, against the running service: what a donor
// sees, and what the API says of it afterwards.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { AMEX, EXPIRY, VISA, input } from './support/card.mjs';
import { axeSource, credentials, looks, startBrowser } from './support/env.mjs';

const DECLINED = '4000000000000002';
const INSUFFICIENT = '4000000000009995';
const TIME_OUT = '4000000000005423';
const shop = credentials.shop_url;

const newPage = await startBrowser();

/** Opens the shop in a page of its own and waits for the card field. */
async function visit(t, { width = 1280, colorScheme = 'light' } = {}) {
  const page = await newPage(t, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  page.refusals = [];
  page.on(
    'console',
    (message) => /Content Security Policy/i.test(message.text()) && page.refusals.push(message.text()),
  );
  page.posts = [];
  page.on('request', (request) => request.url().endsWith('/donations') && page.posts.push(request.postData()));
  await page.goto(shop);
  await input(page, 'number').waitFor();
  return page;
}

async function introduce(page) {
  await page.getByLabel('First name').fill('Dana');
  await page.getByLabel('Last name').fill('Reed');
  await page.getByLabel('Email').fill('dana@example.org');
}

/** Types a card into the combined field, over whatever is there. */
async function typeCard(page, number, { expiry = EXPIRY, cvc = '123', zip = '97301' } = {}) {
  for (const [name, text] of Object.entries({ number, expiry, cvc, postal_code: zip })) {
    await input(page, name).fill('');
    await input(page, name).pressSequentially(text);
  }
}

const donate = (page) => page.locator('#donate').click();
const result = (page, state, timeout = 20_000) => page.locator(`#result[data-state=${state}]`).waitFor({ timeout });
const text = (page, selector) => page.locator(selector).textContent();
const chargeId = (page) => text(page, '[data-receipt=charge]');

/** By keyboard: right after a scroll the browser may still send a click to the frame that was there. */
async function openSandbox(page) {
  await page.getByText('Sandbox: cards to try').press('Enter');
  await page.getByRole('button', { name: /4242 4242 4242 4242/ }).waitFor();
}

async function api(path) {
  const response = await fetch(credentials.base_url + path, {
    headers: {
      Accept: 'application/json',
      'X-API-Key': credentials.secret_key,
      'X-App-ID': String(credentials.app_id),
    },
  });
  assert.equal(response.status, 200, path);
  return response.json();
}

test('a donor pays by card; the charge is captured with its fees, and a refresh shows it again', async (t) => {
  const page = await visit(t);
  await introduce(page);
  await typeCard(page, VISA);
  assert.equal(await text(page, '#donate-text'), 'Donate $50');
  await donate(page);
  await result(page, 'succeeded');
  assert.equal(await text(page, '#result-title'), 'Thank you, Dana!');
  assert.equal(await text(page, '#result-amount'), '$50.00');
  assert.equal(await text(page, '[data-receipt=card]'), 'Visa ••4242');
  assert.equal(await text(page, '[data-receipt=status]'), 'Captured');
  await keyboardIn(page.locator('#result-title'));

  const id = await chargeId(page);
  const charge = await api(`/api/charges/${id}`);
  assert.equal(charge.status, 'captured');
  assert.equal(charge.amount_captured, 5000);
  assert.equal(charge.billing.email, 'dana@example.org');
  assert.equal(charge.billing.address_zip, '97301');
  assert.ok(charge.fees.length > 0, 'the charge has fee lines');
  assert.equal(charge.fees.reduce((sum, { amount }) => sum + amount, 0), charge.fee_total);
  assert.equal(charge.net, 5000 - charge.fee_total);

  await page.reload();
  await result(page, 'succeeded');
  assert.equal(await chargeId(page), id);
  assert.equal(page.posts.length, 1, 'the refresh sent nothing');
  assert.deepEqual(page.refusals, []);
});

test('separate fields and an amount of one’s own', async (t) => {
  const page = await visit(t);
  await page.getByText('Other', { exact: true }).click();
  await page.getByLabel('Your amount').fill('1,012.34');
  assert.equal(await text(page, '#donate-text'), 'Donate $1,012.34');
  await introduce(page);
  await page.getByText('Separate fields').click();
  await input(page, 'number', '#card-number').pressSequentially(AMEX);
  await input(page, 'expiry', '#card-expiration').pressSequentially(EXPIRY);
  await input(page, 'cvc', '#card-cvc').pressSequentially('1234');
  await page.getByLabel('ZIP').fill('97301');
  await page.locator('#split [data-brand]', { hasText: 'American Express' }).waitFor();
  await donate(page);
  await result(page, 'succeeded');
  assert.equal(await text(page, '[data-receipt=card]'), 'American Express ••0005');
  const charge = await api(`/api/charges/${await chargeId(page)}`);
  assert.equal(charge.amount, 101234);
  assert.equal(charge.payment_method.brand, 'amex');
  assert.equal(charge.billing.address_zip, '97301');
});

test('a decline is told in place, what was typed stays, and another card can pay', async (t) => {
  const page = await visit(t);
  await introduce(page);
  for (const [number, words] of [
    [DECLINED, 'Your bank declined this card.'],
    [INSUFFICIENT, 'This card has insufficient funds.'],
  ]) {
    await typeCard(page, number);
    await donate(page);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    assert.match(await text(page, '#notice'), /Nothing was charged\. Please try another card/);
    assert.equal(await page.getByLabel('First name').inputValue(), 'Dana');
  }
  await typeCard(page, VISA);
  await donate(page);
  await result(page, 'succeeded');
  const nonces = page.posts.map((body) => JSON.parse(body).nonce);
  assert.equal(new Set(nonces).size, 3, 'each card is an attempt of its own');
});

test('mistakes are named in place and nothing is sent', async (t) => {
  const page = await visit(t);
  await page.getByText('Other', { exact: true }).click();
  await donate(page);
  for (const [id, words] of Object.entries({
    'amount-error': 'Choose an amount between $1 and $10,000.',
    'first_name-error': 'Enter your first name.',
    'last_name-error': 'Enter your last name.',
    'email-error': 'Enter an email address like name@example.org.',
    'card-error': 'Enter your card details.',
  })) assert.equal(await text(page, `#${id}`), words);
  assert.equal(await page.getByLabel('Your amount').getAttribute('aria-invalid'), 'true');
  await keyboardIn(page.getByLabel('Your amount')); // the first mistake

  await page.getByLabel('Your amount').fill('20');
  await introduce(page);
  await page.getByLabel('Email').blur();
  assert.equal(await page.locator('#email-error').isVisible(), false, 'a corrected input has no error');
  await input(page, 'number').pressSequentially('42424242');
  await page.getByLabel('Email').focus();
  await page.locator('#card-error', { hasText: 'Your card number is incomplete.' }).waitFor();
  await donate(page);
  assert.equal(await page.locator('#card-error').isVisible(), true);
  await typeCard(page, VISA, { expiry: '0120' });
  await page.locator('#card-error', { hasText: 'in the past' }).waitFor();
  await typeCard(page, VISA);
  await page.locator('#card-error').waitFor({ state: 'hidden' });
  assert.deepEqual(page.posts, []);
});

test('a time-out is confirmed later without another request to pay', async (t) => {
  const page = await visit(t);
  await introduce(page);
  await typeCard(page, TIME_OUT);
  await donate(page);
  await result(page, 'processing', 40_000);
  assert.equal(await text(page, '#result-title'), 'We’re confirming your gift');
  const id = await chargeId(page);
  await result(page, 'succeeded', 45_000);
  assert.equal(await chargeId(page), id);
  assert.equal((await api(`/api/charges/${id}`)).status, 'captured');
  assert.equal(page.posts.length, 1);
});

test('a double click, and the same request sent again, make one charge', async (t) => {
  const page = await visit(t);
  await introduce(page);
  await typeCard(page, VISA);
  await page.locator('#donate').dblclick();
  await result(page, 'succeeded');
  const id = await chargeId(page);
  assert.equal(page.posts.length, 1);

  const [sent] = page.posts;
  const again = (body) => page.evaluate(async (body) => {
    const response = await fetch('/donations', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    return (await response.json()).receipt;
  }, body);
  const other = JSON.stringify({ ...JSON.parse(sent), amount: 9900 });
  for (const receipt of await Promise.all([again(sent), again(sent), again(other)])) {
    assert.equal(receipt.id, id);
    assert.equal(receipt.amount, 5000);
  }
});

/** Lets requests through but loses their answers; `window.made` keeps what was charged. */
const loseAnswers = (page) => page.evaluate(() => {
  const real = window.fetch;
  window.made = [];
  window.losing = true;
  window.fetch = async (...request) => {
    const response = await real(...request);
    if (!window.losing) return response;
    window.made.push((await response.json()).receipt.id);
    throw new TypeError('the answer is lost');
  };
});

test('when answers are lost the donor is told; trying again, or a refresh, charges once', async (t) => {
  for (const goOn of [
    async (page) => { await page.evaluate(() => { window.losing = false; }); await donate(page); },
    (page) => page.reload(),
  ]) {
    const page = await visit(t);
    await introduce(page);
    await typeCard(page, VISA);
    await loseAnswers(page);
    await donate(page);
    await page.getByRole('alert').filter({ hasText: 'We can’t reach our server right now.' }).waitFor();
    const made = await page.evaluate(() => window.made);
    assert.equal(made.length, 3, 'the page sends again by itself');
    await goOn(page);
    await result(page, 'succeeded');
    assert.deepEqual([...new Set(made)], [await chargeId(page)]);
  }
});

test('a page without the library says so', async (t) => {
  const page = await newPage(t);
  await page.route(`${credentials.pay_url}/**`, (route) => route.abort());
  await page.goto(shop);
  await page.getByRole('alert').filter({ hasText: 'Cards can’t be taken right now.' }).waitFor();
});

test('the page knows no secret and talks to nobody else', async (t) => {
  const page = await visit(t);
  const seen = [];
  page.on('request', (request) => seen.push(request));
  await page.reload();
  await input(page, 'number').waitFor();
  assert.ok(seen.length > 5);
  for (const request of seen) {
    assert.ok([shop, credentials.pay_url, 'data:'].some((origin) => request.url().startsWith(origin)), request.url());
    if (request.url().startsWith(shop))
      assert.ok(!(await (await request.response()).text()).includes(credentials.secret_key), request.url());
  }
});

test('a test card’s number is copied', async (t) => {
  const page = await visit(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: shop });
  await openSandbox(page);
  await page.getByRole('button', { name: /4000 0000 0000 5423/ }).press('Enter');
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), TIME_OUT);
});

async function accessible(page, state, runOnly) {
  const violations = await page.evaluate(async ([source, options]) => {
    (0, eval)(source);
    const { violations } = await axe.run(document, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }, [axeSource, { iframes: false, ...(runOnly && { runOnly }) }]);
  assert.deepEqual(violations, [], state);
}

for (const { width, colorScheme, only } of looks) {
  test(`every state is accessible, ${colorScheme} at ${width} px`, async (t) => {
    const page = await visit(t, { width, colorScheme });
    await openSandbox(page);
    await accessible(page, 'form', only);
    await page.getByText('Separate fields').click();
    await input(page, 'cvc', '#card-cvc').waitFor();
    await donate(page);
    await accessible(page, 'errors, separate fields', only);
    await page.getByText('One field').click();
    await introduce(page);
    await typeCard(page, DECLINED);
    await donate(page);
    await page.getByRole('alert').filter({ hasText: 'declined' }).waitFor();
    await accessible(page, 'decline', only);
    await typeCard(page, VISA);
    await donate(page);
    await result(page, 'succeeded');
    await accessible(page, 'thanks', only);
  });
}

test('no width needs a horizontal scroll', async (t) => {
  const page = await visit(t);
  await page.getByText('Separate fields').click();
  await openSandbox(page);
  for (const width of [320, 390, 480, 768, 992, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});

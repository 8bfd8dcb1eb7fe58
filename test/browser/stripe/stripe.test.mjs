// The demo with a local fake of Stripe: a donor pays in the shop, and the fake reports refunds, disputes and payouts.
import assert from 'node:assert/strict';
import { api } from '../support/api.mjs';
import { EXPIRY, VISA, input } from '../support/card.mjs';
import { credentials, startBrowser } from '../support/env.mjs';
import { as } from '../support/portal.mjs';
import { test } from '../support/test.mjs';

// Stripe's test cards.
const INSUFFICIENT = '4000000000009995';
const REFUND_FAILS = '4000000000005126';
const DISPUTED = '4000000000000259';

const newPage = await startBrowser();

/** Fills in the shop's form with a card, and clicks Donate. */
async function donate(t, number) {
  const page = await newPage(t, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(credentials.shop_url);
  await input(page, 'number').waitFor();
  await page.getByLabel('First name').fill('Dana');
  await page.getByLabel('Last name').fill('Reed');
  await page.getByLabel('Email').fill('dana@example.org');
  for (const [name, text] of Object.entries({ number, expiry: EXPIRY, cvc: '123', postal_code: '97301' })) {
    await input(page, name).pressSequentially(text);
  }
  await page.locator('#donate').click();
  return page;
}

/** Donates with a card that is approved, and returns the charge. */
async function paid(t, number) {
  const page = await donate(t, number);
  await page.locator('#result[data-state=succeeded]').waitFor({ timeout: 20_000 });
  return get(`/api/charges/${await page.locator('[data-receipt=charge]').textContent()}`);
}

async function get(path) {
  const { status, body } = await api(path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function post(path, body) {
  const answer = await api(path, { method: 'POST', body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}

/** Makes everything due within a number of hours happen at Stripe now. */
async function hasten(hours) {
  const response = await fetch(`${credentials.stripe_url}/demo/hasten?by=${hours}h`, { method: 'POST' });
  assert.equal(response.status, 204);
}

/** Reads until something is found. A webhook may take a while. */
async function until(read, what) {
  for (let tries = 0; tries < 120; tries++) {
    const found = await read();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return assert.fail(`${what} is not reported`);
}

test('a card is approved at Stripe', async (t) => {
  const charge = await paid(t, VISA);
  assert.equal(charge.processor.name, 'stripe');
  assert.equal(charge.status, 'captured');
  const page = await as(t, 'application_admin', `/charges/${charge.id}`);
  await page.getByText(/^pi_/).first().waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a card is declined at Stripe, and the donor sees why', async (t) => {
  const page = await donate(t, INSUFFICIENT);
  await page.getByText('This card has insufficient funds.').waitFor();
});

test('a refund fails after it succeeded', async (t) => {
  const charge = await paid(t, REFUND_FAILS);
  const refund = await post('/api/refunds', { charge_id: charge.id });
  assert.equal(refund.status, 'succeeded');
  await hasten(96);
  const failed = await until(async () => {
    const now = await get(`/api/refunds/${refund.id}`);
    return now.status === 'failed' && now;
  }, 'the failed refund');
  assert.equal(failed.failure.code, 'account_closed');
  assert.equal((await get(`/api/charges/${charge.id}`)).amount_refunded, 0);
  const page = await as(t, 'application_admin', `/refunds/${refund.id}`);
  await page.getByText('Failed').first().waitFor();
});

test('a dispute is won with a text and a file', async (t) => {
  const charge = await paid(t, DISPUTED);
  await hasten(2);
  const dispute = await until(async () => (await get(`/api/disputes?charge_id=${charge.id}`)).data[0], 'the dispute');
  assert.equal(dispute.status, 'needs_response');
  const page = await as(t, 'organization_admin', `/disputes/${dispute.id}`);
  await page.getByLabel('Additional information').fill('winning_evidence');
  await page.locator('#saved time').waitFor();
  await page
    .getByLabel('Add a file')
    .setInputFiles({
      name: 'letter.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
    });
  await page.getByRole('button', { name: 'Add file' }).click();
  await page.getByText('File added').first().waitFor();
  await page.getByRole('button', { name: 'Review and submit' }).click();
  await page.getByText('You can only submit once.').waitFor();
  await page.getByRole('button', { name: 'Submit evidence' }).click();
  await page.getByText('Under review').first().waitFor();
  await hasten(24 * 6);
  await until(async () => (await get(`/api/disputes/${dispute.id}`)).status === 'won', 'the outcome of the dispute');
});

test('a payout is paid at Stripe', async (t) => {
  await paid(t, VISA);
  await post('/api/sandbox/clock', { advance: `${24 * 10}h` }); // the charges settle and are paid out
  const payout = await until(
    async () => (await get(`/api/payouts?merchant_id=${credentials.merchants.us}`)).data[0],
    'the payout',
  );
  await hasten(24 * 3);
  await until(async () => (await get(`/api/payouts/${payout.id}`)).status === 'paid', 'the outcome of the payout');
  const page = await as(t, 'application_admin', `/payouts/${payout.id}`);
  await page.getByText('Paid').first().waitFor();
  assert.deepEqual(page.complaints, []);
});

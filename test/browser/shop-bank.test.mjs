// The demo shop's bank accounts, each way on an instance of its own: from the click to a settled charge.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { api, settled } from './support/api.mjs';
import { accessible } from './support/axe.mjs';
import { ACCOUNT, control, fillBank, number, shownAt } from './support/bank.mjs';
import { follow, inModal } from './support/daf.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { CANADIAN, TYPED, linkButton, openLink, showAccounts, submitAccount } from './support/link.mjs';

const newPage = await startBrowser();
const { us, us_q: q, ca } = credentials.merchants;

/** The shop of a merchant, with the way from a bank account chosen and its field there. */
async function visit(t, merchant, context) {
  const page = await newPage(t, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...context });
  page.refusals = [];
  page.on(
    'console',
    (message) => /Content Security Policy/i.test(message.text()) && page.refusals.push(message.text()),
  );
  await page.goto(`${credentials.shop_url}/?merchant=${merchant}`);
  await page.locator('#ways').getByText('Bank account').click();
  if (merchant === us)
    for (const name of ['routing_number', 'account_number']) await number(page, name, '#bank').waitFor();
  else await linkButton(page, 'bank').waitFor();
  return page;
}

const notice = (page, text) => page.getByRole('alert').filter({ hasText: text }).waitFor();

/** The charge that the result reports, and that it is on its way. */
async function pending(page, type, amount) {
  await page.locator('#result[data-state=succeeded]').waitFor();
  assert.equal(await page.locator('[data-receipt=status]').textContent(), 'Bank payment processing');
  assert.match(await page.locator('[data-receipt=account]').textContent(), /\S ••\d{4}$/);
  assert.equal(await page.locator('[data-receipt=card]').isVisible(), false);
  const { body } = await api(`/api/charges/${await page.locator('[data-receipt=charge]').textContent()}`);
  assert.deepEqual([body.status, body.type, body.amount], ['pending', type, amount]);
  assert.deepEqual(page.refusals, []);
  return body;
}

test('processor P: the form in the page, from the click to a settled charge', async (t) => {
  const page = await visit(t, us);
  await page.getByText('$100', { exact: true }).click();
  await fillBank(page, ACCOUNT, '#bank');
  await page.getByRole('button', { name: 'Donate $100' }).click();
  const charge = await pending(page, 'ach', 10_000);
  assert.equal(await page.locator('#result-title').textContent(), 'Thank you, Dana!');
  assert.deepEqual([charge.merchant_id, charge.currency, charge.billing.email], [us, 'usd', 'dana@example.org']);
  await settled(charge.id);
  await page.reload();
  await page.locator('[data-receipt=status]', { hasText: 'Settled' }).waitFor();
});

test('processor Q: an account that its bank shows, from the click to a settled charge', async (t) => {
  const page = await visit(t, q);
  assert.equal(await page.locator('h1').textContent(), 'Every stray deserves a way home.');
  await openLink(page, 'bank');
  await showAccounts(page);
  await inModal(page).locator('.funds button', { hasText: 'Rainy Day Savings' }).click();
  await inModal(page).locator('#mandate').check();
  await inModal(page).getByRole('button', { name: 'Authorize' }).click();
  const charge = await pending(page, 'ach', 5_000);
  assert.deepEqual([charge.merchant_id, charge.payment_method.account_type], [q, 'savings']);
  await settled(charge.id);
});

test('pre-authorized debit in Canada, from the click to a settled charge', async (t) => {
  const page = await visit(t, ca);
  await page.getByText('$25', { exact: true }).click();
  await openLink(page, 'bank');
  await submitAccount(page, CANADIAN);
  const charge = await pending(page, 'acss', 2_500);
  assert.equal(await page.locator('#result-amount').textContent(), 'CA$25.00');
  assert.equal(await page.locator('#result-title').textContent(), 'Thank you, Léa!');
  assert.deepEqual([charge.merchant_id, charge.currency], [ca, 'cad']);
  await settled(charge.id);
});

test('mistakes in the form are shown at their inputs; a debit that is not accepted is told, and the next account gives', async (t) => {
  const page = await visit(t, us);
  const donate = page.locator('#donate');
  await donate.click();
  await page.locator('#bank .SvcPay__field--error').first().waitFor();
  assert.equal(
    await shownAt(page, 'account_holder_first_name', '#bank'),
    'Enter the first and last name of the account holder.',
  );
  await keyboardIn(control(page, 'account_holder_first_name', '#bank'));
  await fillBank(page, { ...ACCOUNT, account: '000555555559' }, '#bank');
  await donate.click();
  await notice(page, 'Your bank declined this gift.');
  await number(page, 'account_number', '#bank').fill(ACCOUNT.account);
  await donate.click();
  await settled((await pending(page, 'ach', 5_000)).id);
});

test('an account that must be verified first is told of', async (t) => {
  const page = await visit(t, q);
  await openLink(page, 'bank');
  await follow(page, 'Enter account details instead');
  await submitAccount(page, TYPED);
  await notice(page, 'This account must be verified before it can be debited');
});

test('the button waits for an amount, and each way keeps what was typed', async (t) => {
  const page = await visit(t, us);
  await fillBank(page, { first: 'Dana' }, '#bank');
  await page.locator('#ways').getByText('Card').click();
  assert.deepEqual(await Promise.all(['#about', '#card-way', '#bank-way'].map((id) => page.locator(id).isVisible())), [
    true, true, false,
  ]);
  await page.locator('#ways').getByText('Bank account').click();
  assert.equal(await control(page, 'account_holder_first_name', '#bank').inputValue(), 'Dana');
  const other = await visit(t, ca);
  await other.getByText('Other', { exact: true }).click();
  await other.frameLocator('#bank iframe').locator('button:disabled').waitFor();
  await other.getByLabel('Your amount').fill('12');
  await other.frameLocator('#bank iframe').locator('button:enabled').waitFor();
  assert.equal(await other.locator('#debit').textContent(), 'A debit of CA$12 from your account');
});

for (const colorScheme of ['light', 'dark']) {
  for (const [name, merchant] of Object.entries({ P: us, Q: q, Canada: ca })) {
    test(`the shop of ${name} at 390 px, ${colorScheme}`, async (t) => {
      const page = await visit(t, merchant, { viewport: { width: 390, height: 800 }, colorScheme });
      await accessible(page, 'the form');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    });
  }
}

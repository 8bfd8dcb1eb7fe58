// Bank accounts at merchants of processor Q: sign in at a bank, or type the numbers.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { api } from './support/api.mjs';
import { createToken, eventsOf, open } from './support/card.mjs';
import { follow, inModal } from './support/daf.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import {
  TYPED, authorized, linkButton, mistakes, openLink, showAccounts, signIn, submitAccount,
} from './support/link.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const heading = (page, name) => inModal(page).getByRole('heading', { name });
const press = (page, name) => inModal(page).getByRole('button', { name }).click();

async function openPage(t, { context, headers, ...options } = {}) {
  const page = await newPage(t, context);
  page.said = [];
  page.on('console', (message) => page.said.push(message.text()));
  await open(
    page,
    site.put(merchantPage({ types: ['bankaccount'], merchant: credentials.merchants.us_q, ...options }), { headers }),
  );
  return page;
}

async function agree(page) {
  await inModal(page).locator('#mandate').check();
  await press(page, 'Authorize');
}

test('a payer signs in at a bank, chooses an account and agrees; the token is active', async (t) => {
  const page = await openPage(t);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
  await openLink(page, 'bankaccount');
  await inModal(page).getByLabel('Search for a bank').fill('cascade');
  await inModal(page).getByText('1 bank found').waitFor();
  await showAccounts(page);
  await heading(page, 'Choose an account').waitFor();
  await inModal(page).locator('.funds button', { hasText: 'Rainy Day Savings' }).click();
  await heading(page, 'Authorize debits').waitFor();
  await press(page, 'Authorize');
  await inModal(page).locator('[data-code=mandate_not_accepted]').waitFor();
  const text = await inModal(page).locator('#mandate-text').textContent();
  await agree(page);
  assert.deepEqual(await authorized(page, 'achAuthorized'), [{}]);
  const result = await createToken(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { last4, account_type, status } = result.bank_account;
  assert.deepEqual([last4, account_type, status], ['6789', 'savings', 'active']);
  assert.deepEqual(result.billing, { first_name: 'Dana', last_name: 'Reed', email: 'good@bank.example' });
  const { body: token } = await api(`/api/tokens/${result.token}`);
  const { body: mandate } = await api(`/api/mandates/${token.mandate}`);
  assert.deepEqual([mandate.text, mandate.scheme, mandate.status], [text, 'ach', 'active']);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized', 'once only');
});

test('typed numbers wait for the two deposits, whose amounts make the token active', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'bankaccount');
  await follow(page, 'Enter account details instead');
  await submitAccount(page, { ...TYPED, type: '', routing: '110000001' }, { agree: false });
  await inModal(page).getByRole('alert').waitFor();
  assert.deepEqual(await mistakes(page), {
    type: 'incomplete_account_type', routing: 'invalid_routing_number', mandate: 'mandate_not_accepted',
  });
  await submitAccount(page, TYPED);
  await authorized(page, 'achAuthorized');
  const result = await createToken(page);
  assert.equal(result.bank_account?.status, 'pending_verification', JSON.stringify(result));
  const wrong = await api(`/api/tokens/${result.token}/verify`, { method: 'POST', body: { amounts: [1, 2] } });
  assert.deepEqual([wrong.status, wrong.body.error.code], [422, 'verification_failed']);
  const right = await api(`/api/tokens/${result.token}/verify`, { method: 'POST', body: { amounts: [32, 45] } });
  assert.deepEqual([right.status, right.body.status], [200, 'active']);
});

test('every customer of the sandbox’s banks', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'bankaccount');
  const bank = inModal(page).locator('.funds button', { hasText: 'Dogwood Federal' });
  await bank.click();
  await signIn(page, 'good@bank.example', 'wrong');
  await inModal(page).getByText('Email address and password do not match. Check both and try again.').first().waitFor();
  await press(page, 'Cancel and go back');
  await inModal(page).getByText('You came back without showing an account').waitFor();
  for (const username of ['none@bank.example', 'locked@bank.example']) {
    await bank.click();
    await signIn(page, username);
    await follow(page, 'Go back to your payment');
    await inModal(page).getByText('Dogwood Federal could not show an account').waitFor();
  }
  await bank.click();
  for (let time = 0; time < 3; time++) await signIn(page, 'nobody@bank.example');
  await follow(page, 'Go back to your payment');
  await bank.click();
  await signIn(page, 'code@bank.example');
  await inModal(page).getByRole('textbox', { name: 'Code' }).fill('111111');
  await press(page, 'Continue');
  await inModal(page).getByText('This is not the code that we sent. Try again.').first().waitFor();
  await inModal(page).getByRole('textbox', { name: 'Code' }).fill('135790');
  await press(page, 'Continue');
  await press(page, 'Share accounts');
  await inModal(page).locator('.funds button', { hasText: 'Everyday Checking' }).click();
  await follow(page, 'Back');
  await inModal(page).locator('.funds button', { hasText: 'Everyday Checking' }).click();
  await agree(page);
  await authorized(page, 'achAuthorized');
  assert.equal((await createToken(page)).billing?.last_name, 'Vale');
});

test('whoever leaves has authorized nothing; options of the form of processor P are told not to apply', async (t) => {
  const page = await openPage(t, { options: { customizeFields: { email: { label: 'Mail' } } } });
  assert.ok(page.said.some((text) => /option "customizeFields" does not apply/.test(text)));
  assert.equal(await linkButton(page, 'bankaccount').textContent(), 'Pay from your bank account');
  await openLink(page, 'bankaccount');
  await press(page, 'Cancel');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(await eventsOf(page, 'achAuthorized'), []);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
});

test('a page under the strictest policy works without a violation', async (t) => {
  const nonce = 'cmFuZG9t';
  const pay = credentials.pay_url;
  const headers = {
    'Content-Security-Policy': `default-src 'none'; script-src ${pay} 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${pay}; connect-src 'self'`,
  };
  const page = await openPage(t, { nonce, headers });
  await openLink(page, 'bankaccount');
  await showAccounts(page, { username: 'single@bank.example' });
  await inModal(page).locator('.funds button').click();
  await agree(page);
  await authorized(page, 'achAuthorized');
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(page.said.filter((text) => /Content Security Policy/i.test(text)), []);
});

for (const scheme of ['light', 'dark']) {
  test(`axe on every page of the modal, at 390 pixels, by keyboard, ${scheme}`, async (t) => {
    const page = await openPage(t, {
      dark: scheme === 'dark',
      style: scheme === 'dark' ? 'body { background: #18181b; color: #f4f4f5; }' : '',
      context: { colorScheme: scheme, viewport: { width: 390, height: 800 } },
    });
    await linkButton(page, 'bankaccount').press('Enter');
    const look = async (state) => {
      await accessible(page, state);
      assert.ok(await inModal(page).locator('html').evaluate((root) => root.scrollWidth <= root.clientWidth), state);
    };
    await heading(page, 'Where is your account?').waitFor();
    await look('banks');
    await inModal(page).locator('.funds button').first().press('Enter');
    await heading(page, 'Sign in').waitFor();
    await look('sign in');
    await inModal(page).getByLabel('Email address').fill('good@bank.example');
    await inModal(page).getByLabel('Password').fill('sandbox-bank');
    await page.keyboard.press('Enter');
    await heading(page, 'Share your accounts?').waitFor();
    await look('consent');
    await inModal(page).getByRole('button', { name: 'Share accounts' }).press('Enter');
    await heading(page, 'Choose an account').waitFor();
    await look('accounts');
    await inModal(page).locator('.funds button').first().press('Enter');
    await heading(page, 'Authorize debits').waitFor();
    await look('mandate');
    await inModal(page).locator('#mandate').press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await authorized(page, 'achAuthorized');
  });
}

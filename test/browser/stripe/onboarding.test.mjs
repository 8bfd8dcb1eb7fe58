// An administrator creates a merchant's Stripe account in the portal and goes through the fake's onboarding.
import assert from 'node:assert/strict';
import { api } from '../support/api.mjs';
import { credentials } from '../support/env.mjs';
import { as, look } from '../support/portal.mjs';
import { test } from '../support/test.mjs';

/** A new merchant, which has no account at Stripe. */
async function newMerchant(name) {
  const { status, body } = await api('/api/merchants', {
    method: 'POST',
    body: { name, country: 'US', organization_id: credentials.organization_id },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

const status = (page, key) => page.locator('dl > div', { has: page.getByText(key, { exact: true }) });

test('a merchant is onboarded at Stripe', async (t) => {
  const id = await newMerchant('Orchard Fund');
  const at = `/merchants/${id}/processing`;
  const page = await as(t, 'application_admin', at);
  await look(page, 'a merchant without a Stripe account');
  await page.getByRole('link', { name: 'Create Stripe account' }).click();
  await page.getByLabel('Email address').fill('pay@orchard.example.org');
  await look(page, 'the form for a Stripe account');
  await page.getByRole('button', { name: 'Create Stripe account' }).click();
  await page.getByText('Stripe account created').first().waitFor();
  await status(page, 'Charges').getByText('Not enabled').waitFor();
  await look(page, 'a Stripe account that was just created');

  await page.getByRole('link', { name: 'Continue onboarding' }).click();
  await page.getByRole('heading', { name: /^Onboarding of acct_/ }).waitFor();
  await page.getByText('company.tax_id').waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByText('Stripe still needs details.').first().waitFor();
  await page.getByText(/company tax id/).first().waitFor();
  await status(page, 'Charges').getByText('Not enabled').waitFor();

  await page.getByRole('link', { name: 'Continue onboarding' }).click();
  await page.getByRole('button', { name: 'Complete onboarding' }).click();
  await page.getByText('Onboarding is complete.').first().waitFor();
  for (const key of ['Charges', 'Payouts']) await status(page, key).getByText('Enabled', { exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Continue onboarding' }).count(), 0);
  await look(page, 'a Stripe account that is onboarded');
  assert.deepEqual(page.complaints, []);
});

test('a link to onboarding that was used leads to a new one', async (t) => {
  const id = await newMerchant('Harbor Fund');
  const page = await as(t, 'application_admin', `/merchants/${id}/processing`);
  await page.getByRole('link', { name: 'Create Stripe account' }).click();
  await page.getByLabel('Email address').fill('pay@harbor.example.org');
  await page.getByRole('button', { name: 'Create Stripe account' }).click();
  const links = [];
  page.on('request', (request) => /\/setup\/c\//.test(request.url()) && links.push(request.url()));
  await page.getByRole('link', { name: 'Continue onboarding' }).click();
  await page.getByRole('heading', { name: /^Onboarding of acct_/ }).waitFor();
  await page.goto(links[0]);
  await page.getByRole('heading', { name: /^Onboarding of acct_/ }).waitFor();
  assert.equal(new Set(links).size, 2, 'a link works once');
});

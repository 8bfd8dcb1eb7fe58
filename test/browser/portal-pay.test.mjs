// Refunds as people make them: the dialog by mouse and keyboard, twice and late, with a script and without one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from './support/env.mjs';
import { open, signIn, sound } from './support/portal.mjs';

const person = (role) => credentials.users.find((user) => user.role === role);

/** A new charge over an amount in cents, made by the application. */
async function charged(amount, { test_case = 'approved', ...more } = {}) {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': credentials.secret_key, 'X-App-ID': String(credentials.app_id) };
  const post = async (path, body) => (await fetch(credentials.base_url + '/api' + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const merchant_id = credentials.merchants.us;
  const token = await post('/sandbox/tokens', { test_case, merchant_id });
  return post('/charges', { merchant_id, amount, token: token.id ?? token.token, ...more });
}

async function refunds(charge) {
  const headers = { 'X-API-Key': credentials.secret_key, 'X-App-ID': String(credentials.app_id) };
  return (await (await fetch(`${credentials.base_url}/api/refunds?charge_id=${charge.id}`, { headers })).json()).data;
}

const sessions = {};

/** A page of somebody with a role, who signs in once for all tests. */
async function as(t, role, options) {
  if (sessions[role]) return open(t, '', { storageState: sessions[role], ...options });
  const page = await open(t, '/login', options);
  await signIn(page, person(role));
  sessions[role] = await page.context().storageState();
  return page;
}

const go = (page, path) => page.goto(credentials.portal_url + path);

test('a refund by keyboard: chips, what it comes to, once however often it is pressed', async (t) => {
  const charge = await charged(10_000);
  const page = await as(t, 'organization_staff');
  await go(page, `/charges/${charge.id}`);
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('Amount').inputValue(), '100.00');
  await dialog.getByLabel(/^Note/).fill('called us');
  await dialog.getByRole('button', { name: '50 %' }).click();
  await dialog.getByRole('button', { name: 'Refund $50.00' }).first().waitFor({ state: 'attached' });
  assert.equal(await dialog.getByLabel(/^Note/).inputValue(), 'called us');
  await dialog.getByLabel('Amount').fill('30');
  await dialog.getByText('The payer gets $30.00 back').waitFor();
  assert.equal(await dialog.locator('.banner').count(), 1);
  await dialog.getByRole('button', { name: 'Refund $30.00' }).last().dblclick();
  await page.getByText('$30.00 USD is refunded.').first().waitFor();
  await page.goBack().catch(() => {});
  await page.reload();
  assert.deepEqual((await refunds(charge)).map(({ amount, note }) => [amount, note]), [[3000, 'called us']]);
  assert.deepEqual(page.complaints, []);
});

test('the second of two tabs sees what the first has refunded', async (t) => {
  const charge = await charged(10_000);
  const page = await as(t, 'organization_admin');
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await go(tab, `/charges/${charge.id}`);
    await tab.getByRole('link', { name: 'Refund', exact: true }).first().click();
    await tab.getByRole('dialog').getByLabel('Amount').fill('60');
    await tab.getByText('The payer gets $60.00 back').waitFor();
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Refund $60.00' }).last().click();
  await page.getByText('$60.00 USD is refunded.').first().waitFor();
  const late = other.getByRole('dialog');
  await late.getByRole('button', { name: 'Refund $60.00' }).last().click();
  await late.getByText('Meanwhile something else became of this charge').waitFor();
  assert.equal(await late.getByLabel('Amount').inputValue(), '60');
  assert.equal((await refunds(charge)).length, 1);
  await late.getByRole('button', { name: 'Full' }).click();
  await late.getByText('The payer gets $40.00 back').waitFor();
  await late.getByRole('button', { name: 'Refund $40.00' }).last().click();
  await other.getByText('$40.00 USD is refunded.').first().waitFor();
  assert.equal((await refunds(charge)).length, 2);
});

test('the forms work without a script', async (t) => {
  const charge = await charged(8_000);
  const page = await as(t, 'application_admin', { javaScriptEnabled: false });
  await go(page, `/charges/${charge.id}`);
  await page.getByRole('link', { name: 'Refund', exact: true }).first().click();
  await page.getByLabel('Amount').fill('900');
  await page.getByRole('button', { name: /^Refund \$/ }).last().click();
  await page.getByRole('link', { name: /At most \$80.00/ }).waitFor();
  await page.getByRole('button', { name: '50 %' }).click();
  assert.equal(await page.getByLabel('Amount').inputValue(), '40.00');
  await page.getByRole('button', { name: 'Refund $40.00' }).last().click();
  await page.getByText('$40.00 USD is refunded.').first().waitFor();
  assert.equal((await refunds(charge)).length, 1);

  const held = await charged(5_000, { capture: false });
  await go(page, `/charges/${held.id}`);
  await page.getByRole('link', { name: 'Capture', exact: true }).click();
  await page.getByLabel('Amount').fill('20');
  await page.getByRole('button', { name: 'Capture' }).click();
  await page.getByText('The charge is captured.').first().waitFor();
});

test('who may not refund is offered nothing, and refused', async (t) => {
  const charge = await charged(1_000);
  const page = await as(t, 'support_staff');
  const answer = await go(page, `/charges/${charge.id}/refund`);
  assert.equal(answer.status(), 403);
  await page.getByText('refund:create').waitFor();
  assert.equal((await refunds(charge)).length, 0);
});

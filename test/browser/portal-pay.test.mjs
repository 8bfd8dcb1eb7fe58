// Refunds as people make them: the dialog by mouse and keyboard, twice and late, with a script and without one.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { flow } from './support/flows.mjs';
import { as, portal, sound } from './support/portal.mjs';

const headers = {
  'Content-Type': 'application/json',
  'X-API-Key': credentials.secret_key,
  'X-App-ID': String(credentials.app_id),
};

/** A new charge over an amount in cents, made by the application. */
async function charged(amount, { test_case = 'approved', ...more } = {}) {
  const post = async (path, body) =>
    (await fetch(credentials.base_url + '/api' + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const merchant_id = credentials.merchants.us;
  const token = await post('/sandbox/tokens', { test_case, merchant_id });
  const charge = await post('/charges', { merchant_id, amount, token: token.id, ...more });
  assert.equal(charge.object, 'charge', JSON.stringify(charge));
  return charge;
}

/** What was returned of a charge, in cents, the first refund first. */
async function refunded(charge) {
  const { data } = await (
    await fetch(`${credentials.base_url}/api/refunds?charge_id=${charge.id}`, { headers })
  ).json();
  return data.map(({ amount }) => amount).reverse();
}

const show = (page, charge, more = '') => page.goto(`${portal}/charges/${charge.id}${more}`);
const opener = (page) => page.getByRole('link', { name: 'Refund', exact: true }).first();
const pay = (page, amount) => page.getByRole('button', { name: `Refund ${amount}` }).last();
const done = (page, amount) => page.getByText(`${amount} USD refunded`).first().waitFor();

flow('refund', async (page, { scripted }) => {
  const charge = await charged(8_000);
  await show(page, charge);
  await opener(page).click();
  assert.equal(await page.getByLabel('Amount').inputValue(), '80.00', 'what is left is filled in');
  await page.getByLabel(/^Note/).fill('called us');
  await page.getByLabel('Amount').fill('900');
  if (scripted) await page.getByRole('status').getByText('You can refund up to $80.00').waitFor();
  await page.getByRole('button', { name: /^Refund/ }).last().click();
  await page.getByRole('alert').getByRole('link', { name: /You can refund up to \$80.00/ }).waitFor();
  await page.getByRole('button', { name: '50%' }).click();
  await page.getByText('The payer gets $40.00 back').waitFor();
  assert.equal(await page.getByLabel('Amount').inputValue(), '40.00');
  assert.equal(await page.getByLabel(/^Note/).inputValue(), 'called us', 'what was typed stays');
  await pay(page, '$40.00').click();
  await done(page, '$40.00');
  assert.deepEqual(await refunded(charge), [4_000]);
});

test('a refund by keyboard: chips, what it comes to, once however often it is pressed', async (t) => {
  const charge = await charged(10_000);
  const page = await as(t, 'organization_staff');
  await show(page, charge);
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.waitFor();
  await sound(page, 'the dialog', { covered: true });
  await dialog.getByLabel(/^Note/).fill('called us');
  await dialog.getByRole('button', { name: '50%' }).click();
  await dialog.getByText('The payer gets $50.00 back').waitFor();
  assert.equal(await dialog.getByLabel(/^Note/).inputValue(), 'called us');
  await dialog.getByLabel('Amount').fill('30');
  await dialog.getByText('The payer gets $30.00 back').waitFor();
  assert.equal(await dialog.locator('.banner').count(), 1);
  await pay(dialog, '$30.00').dblclick();
  await done(page, '$30.00');
  assert.deepEqual(await refunded(charge), [3_000]);
  assert.deepEqual(page.complaints, []);
});

test('what is typed the moment that a dialog shows counts', async (t) => {
  const charge = await charged(10_000);
  const page = await as(t, 'organization_admin');
  await show(page, charge);
  await page.evaluate(() => {
    const typed = new MutationObserver(() => {
      const amount = document.querySelector('#dialog [name=amount]');
      if (!amount) return;
      typed.disconnect();
      amount.value = '30';
      amount.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    typed.observe(document.getElementById('dialog'), { childList: true, subtree: true });
  });
  await opener(page).click();
  await page.getByText('The payer gets $30.00 back').waitFor();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`two clicks, going back and loading again refund once, ${how}`, async (t) => {
    const charge = await charged(10_000);
    const page = await as(t, 'organization_admin', '', { javaScriptEnabled });
    await show(page, charge);
    await opener(page).click();
    await page.getByLabel('Amount').fill('30');
    if (javaScriptEnabled) await page.getByText('The payer gets $30.00 back').waitFor();
    await page.getByRole('button', { name: /^Refund \$/ }).last().dblclick();
    await done(page, '$30.00');
    await page.reload();
    assert.deepEqual(await refunded(charge), [3_000], 'two clicks, and the page loaded again');
    await page.goBack();
    const again = page.getByRole('button', { name: /^Refund \$/ }).last();
    assert.equal(await again.count(), javaScriptEnabled ? 0 : 1, 'a dialog is gone, a page is there again');
    if (!javaScriptEnabled) {
      await again.click();
      await page.getByRole('alert').getByText('You’ve already submitted this refund').waitFor();
    }
    await page.reload();
    assert.deepEqual(await refunded(charge), [3_000], 'gone back to the form, and pressed again');
  });
}

test('the second of two tabs sees what the first has refunded', async (t) => {
  const charge = await charged(10_000);
  const page = await as(t, 'organization_admin');
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await show(tab, charge);
    await opener(tab).click();
    await tab.getByRole('dialog').getByText('The payer gets $100.00 back').waitFor();
    await tab.getByRole('dialog').getByLabel('Amount').fill('');
    await tab.getByRole('dialog').getByLabel('Amount').pressSequentially('60', { delay: 50 });
    await tab.getByText('The payer gets $60.00 back').waitFor();
  }
  await pay(page.getByRole('dialog'), '$60.00').click();
  await done(page, '$60.00');
  const late = other.getByRole('dialog');
  await pay(late, '$60.00').click();
  await late.getByText('This charge just changed').waitFor();
  assert.equal(await late.getByLabel('Amount').inputValue(), '60');
  assert.deepEqual(await refunded(charge), [6_000]);
  await late.getByRole('button', { name: 'Full' }).click();
  await late.getByText('The payer gets $40.00 back').waitFor();
  await pay(late, '$40.00').click();
  await done(other, '$40.00');
  assert.deepEqual(await refunded(charge), [6_000, 4_000]);
});

test('a charge is captured without a script', async (t) => {
  const held = await charged(5_000, { capture: false });
  const page = await as(t, 'application_admin', '', { javaScriptEnabled: false });
  await show(page, held);
  await page.getByRole('link', { name: 'Capture', exact: true }).click();
  await page.getByLabel('Amount').fill('20');
  await page.getByRole('button', { name: 'Capture' }).click();
  await page.getByText('Charge captured').first().waitFor();
  assert.deepEqual(page.complaints, []);
});

test('who may not refund is offered nothing, and refused', async (t) => {
  const charge = await charged(1_000);
  const page = await as(t, 'support_staff');
  await show(page, charge);
  assert.equal(await opener(page).count(), 0);
  const answer = await show(page, charge, '/refund');
  assert.equal(answer.status(), 403);
  await page.getByText('refund:create').waitFor();
  assert.deepEqual(await refunded(charge), []);
});

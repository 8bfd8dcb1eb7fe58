// Card rules in the portal: previewed and saved, entries on the lists, and the card of a charge that is blocked.
import assert from 'node:assert/strict';
import { api } from './support/api.mjs';
import { credentials } from './support/env.mjs';
import { flow } from './support/flows.mjs';
import { as, look, portal } from './support/portal.mjs';
import { test } from './support/test.mjs';

const { us, ca } = credentials.merchants;

/** Adds an entry to a list, after a mistake, and removes it. */
async function lists(page, value, seen) {
  await page.getByRole('link', { name: 'Block list' }).click();
  await page.getByRole('heading', { name: 'Block and allow lists' }).waitFor();
  if (seen) await look(page, 'the lists without an entry');
  await page.getByRole('link', { name: 'Add entries' }).first().click();
  await page.getByLabel('Values', { exact: true }).fill(`${value}\nnot an address`);
  await page.getByRole('button', { name: 'Add entries' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Line 2: This is not an email address.' }).click();
  if (seen) await look(page, 'entries with a mistake');
  await page.getByLabel('Values', { exact: true }).fill(`${value}\nsecond-${value}`);
  await page.getByLabel(/^Note/).fill('Reported by the bank');
  await page.getByRole('button', { name: 'Add entries' }).click();
  await page.getByText('2 entries added').first().waitFor();
  if (seen) await look(page, 'the lists with entries');
  await page.getByRole('searchbox').fill(`second-${value}`);
  await page.getByRole('searchbox').press('Enter');
  await page.getByText('1 entry on this page').first().waitFor();
  await page.getByRole('checkbox', { name: `Select Email address second-${value}` }).check();
  await page.getByRole('button', { name: 'Remove entries' }).click();
  await page.getByRole('heading', { name: 'Remove 1 entry' }).waitFor();
  if (seen) await look(page, 'an entry that is removed');
  await page.getByRole('button', { name: 'Remove 1 entry' }).click();
  await page.getByText('1 entry removed').first().waitFor();
}

flow('card rules', async (page, { role, scripted }) => {
  const seen = scripted && role === 'application_admin';
  await page.goto(`${portal}/merchants/${ca}/card-rules`);
  if (seen) await look(page, 'card rules');
  const minimum = page.getByRole('switch', { name: /^Minimum amount/ });
  const country = page.getByRole('switch', { name: /^Card country/ });
  await minimum.check();
  await country.check();
  await page.getByRole('textbox', { name: 'Block payments below' }).fill('none');
  await page.getByLabel('Countries', { exact: true }).fill('Atlantis');
  await page.getByRole('button', { name: 'Preview rules' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Enter an amount, such as 5.00.' }).click();
  if (seen) await look(page, 'card rules with mistakes');
  await page.getByRole('textbox', { name: 'Block payments below' }).fill(scripted ? '0.01' : '0.02');
  await page.getByLabel('Countries', { exact: true }).fill('aq');
  await page.getByRole('button', { name: 'Preview rules' }).click();
  await page.getByRole('heading', { name: 'What these rules would have blocked' }).waitFor();
  await page.getByRole('button', { name: 'Save rules' }).click();
  await page.getByText('Card rules saved').first().waitFor();
  assert.equal(await page.getByLabel('Countries', { exact: true }).inputValue(), 'Antarctica');
  await lists(page, `${role}-${scripted}@blocked.example`, seen);

  await page.goto(`${portal}/merchants/${ca}/card-rules`);
  await minimum.uncheck();
  await country.uncheck();
  assert.equal(await page.getByRole('textbox', { name: 'Block payments below' }).isVisible(), false);
  await page.getByRole('button', { name: 'Save rules' }).click();
  await page.getByText('Card rules saved').first().waitFor();
});

test('a preview shows payments that rules would have blocked', async (t) => {
  const token = await api('/api/sandbox/tokens', { method: 'POST', body: { test_case: 'approved', merchant_id: us } });
  const { body: charge } = await api('/api/charges', {
    method: 'POST',
    body: { merchant_id: us, amount: 1_234_567, token: token.body.id },
  });
  const page = await as(t, 'organization_admin', `/merchants/${us}/card-rules`);
  await page.getByRole('switch', { name: /^Minimum amount/ }).check();
  await page.getByRole('textbox', { name: 'Block payments below' }).fill('999,999.99');
  await page.getByRole('button', { name: 'Preview rules' }).click();
  await page.getByRole('heading', { name: 'Newest examples' }).waitFor();
  await look(page, 'a preview');
  await page.locator(`a[href$="${charge.id}"]`).click();
  await page.getByText('Not on a list').waitFor();

  await page.getByRole('link', { name: 'Block card' }).click();
  await page.getByText('This charge doesn’t change.').waitFor();
  await look(page, 'a card that is blocked');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Allow card' }).click();
  await page.getByRole('button', { name: 'Allow card' }).click();
  await page.getByText('On the allow list').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Card removed from the list').first().waitFor();

  const staff = await as(t, 'organization_staff', `/merchants/${us}/card-rules`);
  await staff.getByText('Managed by: ').waitFor();
  assert.equal(await staff.getByRole('button', { name: 'Save rules' }).count(), 0);
  await staff.getByRole('button', { name: 'Preview rules' }).click();
  await staff.getByRole('heading', { name: 'What these rules would have blocked' }).waitFor();
  await look(staff, 'card rules that are read');
  assert.deepEqual([page.complaints, staff.complaints], [[], []]);
});

// What people do with donations, disputes and payouts, with a script and without one.
import assert from 'node:assert/strict';
import { test } from '../support/test.mjs';
import { credentials } from '../support/env.mjs';
import { as, portal, sound } from '../support/portal.mjs';

const visit = (t, path, options) => as(t, 'organization_admin', path, options);

/** Where the first row of a list leads. */
const first = (page) => page.locator('#results .row-link').first().getAttribute('href');
const address = (href) => new URL(href, portal).href;

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`the status of a donation is set in the list and taken back, ${how}`, async (t) => {
    const page = await visit(t, '/donations?kind=nonintegrated', { javaScriptEnabled });
    const row = page.locator('tbody tr').first();
    const before = await row.locator('.status').textContent();
    const wanted = before === 'Canceled' ? 'Completed' : 'Canceled';
    await row.getByRole('link', { name: 'Set status' }).click();
    await page.getByRole('radio', { name: wanted, exact: true }).check();
    await page.getByLabel('Check number').fill('1042');
    await page.getByRole('button', { name: 'Save status' }).click();
    await page.getByText(`The donation is marked as ${wanted.toLowerCase()}.`).first().waitFor();
    assert.equal(await row.locator('.status').textContent(), wanted);
    assert.match(page.url(), /kind=nonintegrated$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 donation restored').first().waitFor();
    assert.equal(await row.locator('.status').textContent(), before);
    assert.deepEqual(page.complaints, []);
  });

  test(`evidence is kept, given a file and reviewed, ${how}`, async (t) => {
    const page = await visit(t, '/disputes?status=needs_response', { javaScriptEnabled });
    await page.goto(address(await first(page)));
    const words = `They came to the gala, ${how}.`;
    await page.getByLabel('Additional information').fill(words);
    if (javaScriptEnabled) {
      await page.locator('#saved time').waitFor();
      await page.reload();
      assert.equal(await page.getByLabel('Additional information').inputValue(), words);
    }
    const name = `receipt ${javaScriptEnabled}.pdf`;
    await page
      .getByLabel('Add a file')
      .setInputFiles({
        name,
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
      });
    await page.getByRole('button', { name: 'Add file' }).click();
    await page.getByText('File added').first().waitFor();
    await page.getByText(name, { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Additional information').inputValue(), words);
    await page.getByRole('button', { name: 'Review and submit' }).click();
    await page.getByText('You can only submit once.').waitFor();
    await page.getByText(words).waitFor();
    if (javaScriptEnabled) await sound(page, 'review');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: `Remove: ${name}` }).click();
    await page.getByText('File removed').first().waitFor();
    assert.deepEqual(page.complaints, []);
  });

  test(`a payout opens into its entries, ${how}`, async (t) => {
    const page = await visit(t, '/payouts', { javaScriptEnabled });
    await page.goto(address(await first(page)));
    await page.locator('summary', { hasText: 'Fees' }).click();
    await page.locator('.sum details[open]').getByRole('link', { name: 'Show these entries' }).click();
    await page.getByRole('heading', { name: 'Entries: Fees' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Reconciliation CSV' }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^po_.*\.csv$/);
    assert.deepEqual(page.complaints, []);
  });
}

test('several donations are set at once by keyboard', async (t) => {
  const page = await visit(t, '/donations?kind=nonintegrated');
  const boxes = page.locator('tbody input[type=checkbox]');
  for (const i of [0, 1]) {
    await boxes.nth(i).focus();
    await page.keyboard.press('Space');
  }
  await page.getByText('2 selected').waitFor();
  const set = page.getByRole('group', { name: 'Bulk actions' }).getByRole('button', { name: 'Set status' });
  await set.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Set the status of 2 donations' }).waitFor();
  await sound(page, 'several');
  await page.getByRole('button', { name: 'Save status' }).click();
  await page.getByRole('alert').getByText('Choose a status.').waitFor();
  await page.getByRole('radio', { name: 'Initiated', exact: true }).last().check();
  await page.getByRole('button', { name: 'Save status' }).last().click();
  await page.getByText(/marked as initiated/).first().waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a bank account that is mistyped stays in its dialog, without its number', async (t) => {
  const page = await visit(t, `/merchants/${credentials.merchants.us}/payouts`);
  await page.getByRole('link', { name: 'Replace', exact: true }).click();
  await page.getByLabel('Last name').fill('Trust');
  await page.getByLabel('Routing number').fill('110000001');
  await page.getByLabel('Account number').fill('000123456789');
  await page.getByRole('button', { name: 'Save bank account' }).click();
  await page.getByRole('alert').getByText('The routing number is not valid.').waitFor();
  assert.equal(await page.getByLabel('Routing number').inputValue(), '110000001');
  assert.equal(await page.getByLabel('Account number').inputValue(), '');
  await page.keyboard.press('Escape');
  await page.getByText('Payouts go to this account.').waitFor();
  assert.deepEqual(page.complaints, []);
});

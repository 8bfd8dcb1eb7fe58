// Dialogs of the portal, opened over a page and standing as a page of their own: how often a merchant is paid out.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { open, portal, signIn, sound } from './support/portal.mjs';

const admin = credentials.users.find((user) => user.role === 'organization_admin');
const { us } = credentials.merchants;
const tab = `/merchants/${us}/payouts`;

async function at(t, path, options) {
  const page = await open(t, '/login', options);
  await signIn(page, admin);
  await page.goto(portal + path);
  return page;
}

/** The ids that a page has more than once. */
const twice = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, i, all) => all.indexOf(id) !== i),
  );

async function monthly(page, day) {
  await page.getByLabel('Every month').check();
  await page.getByLabel('Day of the month').fill(day);
  await page.getByRole('button', { name: 'Save schedule' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';

  test(`a dialog that is a page of its own stays one ${how} a script`, async (t) => {
    const page = await at(t, `${tab}/schedule`, { javaScriptEnabled });
    await monthly(page, '32');
    await page.getByText('Schedule not saved').waitFor();
    assert.equal(await page.getByLabel('Day of the month').inputValue(), '32');
    assert.equal(await page.locator('dialog[open]').count(), 0, 'no dialog opens above it');
    if (javaScriptEnabled) {
      assert.deepEqual(await twice(page), []);
      await sound(page, 'a schedule that is wrong');
    }
    await monthly(page, '15');
    await page.getByText('Monthly, on day 15').waitFor();
    await page.getByRole('link', { name: 'Change schedule' }).click();
    await page.getByLabel('Every business day').check();
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await page.getByText('Every business day').first().waitFor();
    assert.deepEqual(page.complaints, []);
  });
}

test('a dialog shows its mistakes where it stands', async (t) => {
  const page = await at(t, tab);
  await page.getByRole('link', { name: 'Change schedule' }).click();
  await page.locator('dialog[open]').waitFor();
  await monthly(page, '0');
  await page.locator('dialog[open]').getByText('Schedule not saved').waitFor();
  assert.deepEqual(await twice(page), []);
  await sound(page, 'a dialog with a mistake', { covered: true });
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
});

// Two tabs of one session: another place in one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from './support/env.mjs';
import { open, portal, signIn, sound } from './support/portal.mjs';

const admin = credentials.users.find(({ role }) => role === 'system_admin');

/** A page of an administrator whose session no other test switches. */
async function administrator(t, path, options) {
  const page = await open(t, '/login', options);
  await signIn(page, admin);
  await page.goto(portal + path);
  return page;
}

/** Another tab of the same session. */
async function beside(page, path) {
  const tab = await page.context().newPage();
  tab.setDefaultTimeout(15_000);
  await tab.goto(portal + path);
  return tab;
}

/** Asks for another part of a page with a list. */
async function look(page) {
  const search = page.locator('form[data-filters] input[type=search]');
  await search.fill('7.00');
  await search.press('Enter');
}

async function switchTo(tab, name) {
  await tab.locator('.switcher summary').click();
  await tab.locator('.switcher').getByRole('button', { name }).click();
  await tab.locator('.switcher summary').getByText(name).waitFor();
}

const told = (page) => page.complaints.filter((one) => !/status of 409/.test(one));

for (const javaScriptEnabled of [true, false]) {
  test(`a tab that is left behind in another place changes nothing ${javaScriptEnabled ? 'with' : 'without'} a script`, async (t) => {
    const page = await administrator(t, '/fees/defaults', { javaScriptEnabled });
    const tab = await beside(page, '/system');
    await switchTo(tab, 'Harbor Donations');
    await page.getByLabel('Capture', { exact: true }).fill('9.99');
    await page.getByRole('button', { name: 'Save defaults' }).click();
    await page.getByText('You switched to Harbor Donations in another tab. This page is still of Riverside Giving; nothing was changed.').waitFor();
    if (javaScriptEnabled) await sound(page, 'a page of another place');
    await tab.goto(`${portal}/fees`);
    assert.equal(await tab.getByText('$9.99').count(), 0);
    await page.getByRole('button', { name: 'Switch back to Riverside Giving' }).click();
    await page.waitForURL(`${portal}/fees/defaults`);
    await page.getByRole('button', { name: 'Save defaults' }).click();
    await page.waitForURL(`${portal}/fees`);
    assert.deepEqual(told(page), []);
  });
}

test('a page of one place shows no part of another', async (t) => {
  const page = await administrator(t, '/charges');
  const tab = await beside(page, '/system');
  await switchTo(tab, 'Harbor Donations');
  await look(page);
  await page.locator('#notice').getByText('This page is still of Riverside Giving').waitFor();
  await sound(page, 'a part of another place');
  await page.keyboard.press('Control+k'); // leads to whole pages
  await page.keyboard.type('payouts');
  await page.locator('#palette a[href="/portal/payouts"]').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Go on in Harbor Donations' }).click();
  await page.locator('.switcher summary').getByText('Harbor Donations').waitFor();
  assert.deepEqual(told(page), []);
});

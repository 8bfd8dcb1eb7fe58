// Two tabs of one session: another place in one, and the end of the session in both.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
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
    await page
      .getByText(
        'You switched to Harbor Donations in another tab. This page is for Riverside Giving. Nothing was changed.',
      )
      .waitFor();
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
  await page.locator('#notice').getByText('This page is for Riverside Giving').waitFor();
  await sound(page, 'a part of another place');
  await page.keyboard.press('Control+k'); // leads to whole pages
  await page.keyboard.type('payouts');
  await page.locator('#palette a[href="/portal/payouts"]').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Continue in Harbor Donations' }).click();
  await page.locator('.switcher summary').getByText('Harbor Donations').waitFor();
  assert.deepEqual(told(page), []);
});

const dialog = (page, name) => page.getByRole('alertdialog', { name });
const soon = 'You’ll be signed out in 2 minutes';
const last = 'Your session ends in 2 minutes';
const over = 'You’re signed out';

async function typing(t) {
  const page = await open(t, '/login');
  await page.clock.install();
  await signIn(page, admin);
  await page.goto(`${portal}/merchants/new`);
  await page.locator('#name').fill('Parish Kitchen');
  return page;
}

test('who is idle is asked to stay, in every tab; after the end what was typed is still there', async (t) => {
  const page = await typing(t);
  const tab = await beside(page, '/charges');
  await page.clock.fastForward('12:50');
  await page.clock.runFor(1000);
  assert.equal(await dialog(page, soon).count(), 0, 'too early');
  await page.clock.fastForward('00:15');
  await dialog(page, soon).waitFor();
  await dialog(tab, soon).waitFor();
  await keyboardIn(page.getByRole('button', { name: 'Stay signed in' }));
  await sound(page, 'before the end', { covered: true });
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await dialog(page, soon).waitFor({ state: 'detached' });
  await dialog(tab, soon).waitFor({ state: 'detached' });

  await page.clock.fastForward('13:05');
  await dialog(page, soon).waitFor();
  const stays = page.waitForResponse(`${portal}/stay`);
  await page.keyboard.press('Escape');
  assert.equal((await stays).status(), 204);
  await dialog(page, soon).waitFor({ state: 'detached' });

  await page.clock.fastForward('15:05');
  await dialog(page, over).waitFor();
  await sound(page, 'after the end', { covered: true });
  assert.equal(await page.getByRole('link', { name: 'Sign in in another tab' }).getAttribute('href'), '/portal/login');
  await tab.goto(`${portal}/charges`); // signed in again
  await dialog(page, over).waitFor({ state: 'detached' });
  assert.equal(await page.locator('#name').inputValue(), 'Parish Kitchen');
  assert.deepEqual(page.complaints, []);
});

test('what is asked for in one tab keeps the other', async (t) => {
  const page = await typing(t);
  const tab = await beside(page, '/charges');
  await page.clock.fastForward('12:00');
  const answered = tab.waitForResponse((response) => response.url().includes('/charges?'));
  await look(tab);
  await answered;
  await page.clock.fastForward('05:00');
  assert.equal(await dialog(page, soon).count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('a session that may last no longer says so, and one that ended elsewhere, too', async (t) => {
  const page = await typing(t);
  await page.route(
    '**/portal/stay',
    (route) => route.fulfill({ status: 204, headers: { 'Portal-Session': '900 100' } }),
    { times: 1 },
  );
  await page.clock.fastForward('13:05');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await dialog(page, last).waitFor();
  await sound(page, 'before the last end', { covered: true });
  await page.getByRole('button', { name: 'Continue' }).click();
  await dialog(page, last).waitFor({ state: 'detached' });
  await page.clock.fastForward('01:45');
  await dialog(page, over).waitFor();

  await page.reload();
  await page.clock.fastForward('13:05');
  await dialog(page, soon).waitFor();
  await page.route('**/portal/stay', (route) => route.abort(), { times: 1 });
  const failed = page.waitForEvent('requestfailed');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await failed;
  await dialog(page, soon).waitFor(); // it is asked again
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await dialog(page, over).waitFor();
  assert.deepEqual(page.complaints.filter((one) => !/ERR_FAILED/.test(one)), []);
});

test('who signs in after the end finds the page again that their form stood on', async (t) => {
  const page = await typing(t);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Add merchant' }).click();
  await page.getByLabel('Password').waitFor();
  await page.getByLabel('Email address').fill(admin.email);
  await page.getByLabel('Password').fill(admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${portal}/merchants/new`);
  assert.deepEqual(page.complaints, []);
});

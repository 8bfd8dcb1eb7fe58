// What people look for, who may do what, and what was done: with a script and, for forms, without one.
import assert from 'node:assert/strict';
import { test } from '../support/test.mjs';
import { credentials } from '../support/env.mjs';
import { flow } from '../support/flows.mjs';
import { as, look, portal, sound } from '../support/portal.mjs';

const headers = { 'X-API-Key': credentials.secret_key, 'X-App-ID': String(credentials.app_id) };
const ask = (path) => fetch(credentials.base_url + path, { headers });
const donation = (await (await ask('/api/dafDonations?limit=1')).json()).data[0];
const request = (await ask('/api/charges?limit=1')).headers.get('Request-Id');

/** What someone pastes, and where the first thing that is found leads. */
const pasted = [
  ['4242', /\/charges\/ch_/],
  ['maya.whitfield@example.com', /\/charges\/ch_/],
  ['$740.00', /\/(charges|disputes)\//],
  ['riverside food', /\/merchants\/\d+$/],
  [donation.tracking_id, new RegExp(`/donations/${donation.id}$`)],
];
const readsRequests = ['system_admin', 'support_staff', 'application_admin'];

flow('search', async (page, { role, scripted }) => {
  const finds = readsRequests.includes(role)
    ? [...pasted, [request, new RegExp(`/developers/logs/${request}$`)]]
    : pasted;
  await page.goto(`${portal}/roles`);
  if (!scripted) await page.getByRole('link', { name: 'Search' }).click();
  for (const [words, leads] of finds) {
    if (scripted) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(words);
      await page.waitForFunction(
        (pattern) => new RegExp(pattern).test(document.querySelector('#palette .menu-item')?.getAttribute('href')),
        leads.source,
      );
      await page.keyboard.press('Escape');
      await page.locator('#palette .menu-item').first().waitFor({ state: 'hidden' });
    } else {
      await page.getByLabel('Search or go to').fill(words);
      await page.getByRole('button', { name: 'Search' }).click();
      assert.match(await page.locator('main .menu-item').first().getAttribute('href'), leads, words);
    }
  }
  if (readsRequests.includes(role)) return;
  await page.goto(`${portal}/search?q=${request}`);
  await page.getByText('No results.').waitFor();
});

test('the keyboard alone leads to a page and to what was found', async (t) => {
  const page = await as(t, 'support_staff', '/roles');
  await page.keyboard.press('/');
  await page.keyboard.type('audit');
  await page.locator('#palette a[href="/portal/audit"]').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('#palette .menu-item').length === 1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(donation.tracking_id);
  await page.locator(`#palette a[href$="${donation.id}"]`).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/donations/${donation.id}`);
  assert.deepEqual(page.complaints, []);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`support views as the staff of an organization, and is itself again, ${how}`, async (t) => {
    const page = await as(t, 'support_staff', '', { javaScriptEnabled });
    await page.locator('.account').click();
    await page.getByRole('link', { name: 'View as' }).click();
    const form = page.locator('form[action="/portal/view-as"]');
    await form.getByRole('button', { name: 'View as this role' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Role').selectOption({ label: 'Organization staff, Riverside Community Trust' });
    await form.getByLabel('Reason').fill('Ticket 4711');
    await form.getByRole('button', { name: 'View as this role' }).click();
    const bar = page.getByText('Viewing as Organization staff, Riverside Community Trust.');
    await bar.waitFor();
    if (javaScriptEnabled) await sound(page, 'a view');
    await page.goto(portal + '/team');
    await page.getByText('team:read').first().waitFor();
    await page.getByRole('button', { name: 'Exit' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.goto(portal + '/audit?what=view_as:start');
    await page.getByText('view the portal as another role').first().waitFor();
    assert.deepEqual(page.complaints.filter((one) => !/403/.test(one)), []);
  });

  test(`whoever runs the service adds an application, ${how}`, async (t) => {
    const page = await as(t, 'system_admin', '/system', { javaScriptEnabled });
    await page.getByRole('link', { name: 'Add an application' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`Parish Pay ${how}`);
    await page.getByRole('button', { name: 'Add an application' }).click();
    await page.getByRole('main').getByText(`Parish Pay ${how}`, { exact: true }).first().waitFor();
    if (javaScriptEnabled) await look(page, 'the system page');
    assert.deepEqual(page.complaints, []);
  });
}

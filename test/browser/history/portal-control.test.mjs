// What people look for, who may do what, and what was done: with a script and, for forms, without one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '../support/env.mjs';
import { open, portal, signIn, sound } from '../support/portal.mjs';

const user = (role) => credentials.users.find((one) => one.role === role);

async function visit(t, role, path, options) {
  const page = await open(t, '/login', options);
  await signIn(page, user(role));
  await page.goto(portal + path);
  return page;
}

test('support finds by the keyboard whatever somebody pastes', async (t) => {
  const page = await visit(t, 'support_staff', '/roles');
  const found = page.locator('#palette .menu-item');
  for (const [words, leads] of [
    ['4242', /\/charges\/ch_/],
    ['maya.whitfield@example.com', /\/charges\/ch_/],
    ['$740.00', /\/(charges|disputes)\//],
    ['riverside food', /\/merchants\/\d+$/],
    ['evergreen', /\/donations\/daf_/],
  ]) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.locator('#palette a[href*="/portal/"]').filter({ visible: true }).first().waitFor();
    await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector('#palette .menu-item')?.getAttribute('href')), leads.source);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await found.first().waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('/');
  await page.keyboard.type('audit');
  await page.locator('#palette a[href="/portal/audit"]').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  assert.deepEqual(page.complaints, []);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`support views as the staff of an organization, and is itself again, ${how}`, async (t) => {
    const page = await visit(t, 'support_staff', '', { javaScriptEnabled });
    await page.locator('.account').click();
    await page.getByRole('link', { name: 'View as' }).click();
    const form = page.locator('form[action="/portal/view-as"]');
    await form.getByRole('button', { name: 'View as this role' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Role').selectOption({ label: 'Organization staff, Riverside Community Trust' });
    await form.getByLabel('Reason').fill('Ticket 4711');
    await form.getByRole('button', { name: 'View as this role' }).click();
    const bar = page.getByText('You view as: Organization staff, Riverside Community Trust.');
    await bar.waitFor();
    if (javaScriptEnabled) await sound(page, 'a view');
    await page.goto(portal + '/team');
    await page.getByText('team:read').first().waitFor();
    await page.getByRole('button', { name: 'End the view' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.goto(portal + '/audit?what=view_as:start');
    await page.getByText('view the portal as somebody else').first().waitFor();
    assert.deepEqual(page.complaints.filter((one) => !/403/.test(one)), []);
  });

  test(`whoever runs the service adds an application, ${how}`, async (t) => {
    const page = await visit(t, 'system_admin', '/system', { javaScriptEnabled });
    await page.getByRole('link', { name: 'Add an application' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`Parish Pay ${how}`);
    await page.getByRole('button', { name: 'Add an application' }).click();
    await page.getByRole('main').getByText(`Parish Pay ${how}`, { exact: true }).first().waitFor();
    if (javaScriptEnabled) {
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await sound(page, `the system page at ${width}`);
      }
    }
    assert.deepEqual(page.complaints, []);
  });
}

// The portal's first pages in a real browser, against the running service.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { credentials, looks } from './support/env.mjs';
import { fits, open, portal, signIn, sound as soundHere, submit, weigh } from './support/portal.mjs';

const [user] = credentials.users;
const roles = {
  system_admin: 'System administrator',
  support_staff: 'Support staff',
  application_admin: 'Application administrator',
  organization_admin: 'Organization administrator',
  organization_staff: 'Organization staff',
};

for (const javaScriptEnabled of [true, false]) {
  test(`everybody signs in and out ${javaScriptEnabled ? 'with' : 'without'} a script`, async (t) => {
    const page = await open(t, '/', { javaScriptEnabled });
    await page.goto(credentials.base_url);
    assert.equal(new URL(page.url()).pathname, '/portal/login');
    for (const one of credentials.users) {
      await signIn(page, one);
      assert.equal(page.url(), portal);
      await page.getByText(roles[one.role]).first().waitFor();
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name === '__Host-svcpay');
      assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.sameSite, cookie.path], [true, true, 'Lax', '/']);
      await page.locator('.account').click();
      await page.locator('.menu-head').getByText(one.email).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You’re signed out.').waitFor();
    }
    await page.goto(portal);
    assert.equal(new URL(page.url()).pathname, '/portal/login');
    assert.deepEqual(page.complaints, []);
  });
}

test('a mistake is told above the form, which has the focus, and beside its field', async (t) => {
  const page = await open(t, '/login');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const alert = page.getByRole('alert');
  await keyboardIn(alert);
  await alert.getByRole('link', { name: 'Enter your password.' }).click();
  await keyboardIn(page.getByLabel('Password'));
  await submit(page, user.email, 'not the password');
  await page.getByText('The email address or the password is wrong').waitFor();
  assert.equal(await page.getByLabel('Email address').inputValue(), user.email);
  assert.equal(await page.getByLabel('Password').inputValue(), '');
  assert.deepEqual(page.complaints, []);
});

test('the theme changes in place, stays, and needs no script', async (t) => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const page = await open(t, '/login', { colorScheme: 'light' });
  const light = await ground(page);
  await page.getByLabel('Email address').fill('dana@example.org');
  const kept = page.waitForResponse((response) => response.url().endsWith('/portal/theme'));
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await kept;
  assert.equal(await page.getByLabel('Email address').inputValue(), 'dana@example.org', 'what was typed stays');
  const dark = await ground(page);
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await ground(page), dark);
  assert.deepEqual(page.complaints, []);

  const bare = await open(t, '/login', { javaScriptEnabled: false, colorScheme: 'dark' });
  await bare.getByRole('button', { name: 'Light theme' }).click();
  await bare.locator('html[data-theme=light]').waitFor();
  assert.equal(new URL(bare.url()).pathname, '/portal/login');
});

test('a code is copied by its button, which exists only with a script', async (t) => {
  const page = await open(t, '/_kit', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('button', { name: 'Copy: A short text' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'req_01kb3y');
  const bare = await open(t, '/_kit', { javaScriptEnabled: false });
  assert.equal(await bare.getByRole('button', { name: /^Copy/ }).count(), 0);
});

for (const { width, colorScheme, only } of looks) {
  test(`all pages are accessible and fit: ${colorScheme}, ${width} pixels`, async (t) => {
    const page = await open(t, '/login', { width, colorScheme });
    const sound = async (name) => {
      await soundHere(page, name, { only });
      await page.setViewportSize({ width: 320, height: 800 });
      await fits(page, `${name}, 320 pixels`);
      await page.setViewportSize({ width, height: 800 });
    };
    await sound('sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await sound('mistake');
    await signIn(page);
    await sound('home');
    await page.goto(`${portal}/_kit`);
    await sound('kit');
    await page.goto(`${portal}/nothing`);
    await sound('missing');
    assert.deepEqual(page.complaints, []);
  });
}

test('a first visit weighs at most 150 KB over the wire', async (t) => {
  for (const path of ['/login', '/_kit', '/_kit/list', '/_kit/home']) {
    const bytes = await weigh(t, path);
    assert.ok(bytes > 50_000 && bytes <= 150_000, `${path} weighs ${bytes} bytes`);
  }
});

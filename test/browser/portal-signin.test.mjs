// The ways in: invitation, forgotten password, second factor, passkey, sessions; with a script, and the forms without.
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { look, open, portal, signIn, submit } from './support/portal.mjs';

const password = 'correct horse battery';
const administrator = credentials.users.find(({ role }) => role === 'application_admin');

/** The address that the newest mail to someone leads to; mails leave within a second or two. */
async function mailed(page, email, subject) {
  for (let tries = 0; tries < 40; tries++) {
    await page.goto(`${portal}/_inbox`);
    const letter = page.locator('.card', { hasText: `To ${email}` }).filter({ hasText: subject }).first();
    if (await letter.count()) return letter.locator('a.btn').getAttribute('href');
    await page.waitForTimeout(500);
  }
  throw new Error(`no mail to ${email}: ${subject}`);
}

/** Someone new, who was invited and has accepted. */
async function newcomer(t, options) {
  const page = await open(t, '/login', options);
  page.setDefaultTimeout(45_000); // passwords take their time on a busy machine
  const email = `${randomUUID()}@signin.example`;
  await signIn(page, administrator);
  await page.goto(`${portal}/team/invite`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Role', { exact: true }).selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText(`Invitation sent to ${email}`).first().waitFor(); // seen, and heard
  await page.context().clearCookies();
  await page.goto(await mailed(page, email, 'invited you'));
  await page.getByLabel('Your name').fill('Nora New');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('Invitation accepted.').waitFor();
  return { page, email };
}

async function signOut(page) {
  await page.locator('.account').click();
  await page.getByRole('button', { name: 'Sign out' }).last().click();
  await page.getByText('You’re signed out.').waitFor();
}

/** The code that an authenticator app shows (RFC 6238). */
function code(secret, later = 0) {
  const bits = [...secret]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const sum = createHmac('sha1', key).update(counter).digest();
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Sets an authenticator app up and returns its secret and the recovery codes. */
async function withApp(page) {
  await page.goto(`${portal}/settings`);
  await page.getByRole('link', { name: 'Set up' }).click();
  const secret = (await page.getByRole('group', { name: 'App secret' }).innerText()).replaceAll(' ', '');
  const left = 30_000 - (Date.now() % 30_000); // a code of the time before the last counts no more
  if (left < 5_000) await page.waitForTimeout(left);
  await page.getByLabel('2. Enter the code').fill(code(secret, -1));
  await page.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await page.getByRole('group', { name: 'Recovery codes' }).innerText()).trim().split('\n');
  assert.equal(codes.length, 10);
  await page.getByRole('link', { name: 'I’ve saved these codes' }).click();
  return { secret, codes };
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`somebody is invited, forgets the password and chooses another, ${how}`, async (t) => {
    const { page, email } = await newcomer(t, { javaScriptEnabled });
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.goto(await mailed(page, email, 'Reset password'));
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByRole('alert').getByText('15 to 128 characters').waitFor();
    await page.getByLabel('New password').fill('another good long one');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Password updated.').waitFor();
    await submit(page, email, 'another good long one');
    await page.waitForURL(portal);
    assert.deepEqual(page.complaints, []);
  });

  test(`a second factor is set up and asked for, a recovery code is taken once, ${how}`, async (t) => {
    const { page, email } = await newcomer(t, { javaScriptEnabled });
    await submit(page, email, password);
    await page.waitForURL(portal);
    const { secret, codes } = await withApp(page);
    await signOut(page);
    await submit(page, email, password);
    await page.getByRole('heading', { name: 'Two-step verification' }).waitFor();
    await page.getByLabel('6-digit code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    await page.getByLabel('6-digit code').fill(code(secret));
    await page.keyboard.press('Enter');
    await page.waitForURL(portal);
    for (const ok of [true, false]) {
      await signOut(page);
      await submit(page, email, password);
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(codes[0].toLowerCase());
      await page.keyboard.press('Enter');
      if (!ok) return page.getByRole('alert').getByText('was used already').waitFor();
      await page.waitForURL(portal);
    }
  });

  test(`a file that takes a proof is fetched from its list, ${how}`, async (t) => {
    const page = await open(t, '/login', { javaScriptEnabled });
    await signIn(page, administrator);
    const list = `${portal}/charges?status=captured`;
    await page.goto(`${portal}/proof?return=${encodeURIComponent('/portal/charges.csv?status=captured')}`);
    assert.equal(
      new URL(await page.getByRole('link', { name: 'Cancel' }).first().getAttribute('href'), list).href,
      list,
    );
    await page.getByLabel('Password').fill(administrator.password);
    const proven = async () => {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(list);
      await page.getByText('Your file is ready.').first().waitFor();
      if (!javaScriptEnabled) await page.getByRole('link', { name: 'Download' }).click();
    };
    const [file] = await Promise.all([page.waitForEvent('download'), proven()]);
    assert.match(file.suggestedFilename(), /\.csv$/);
    assert.equal(page.url(), list);
    assert.deepEqual(page.complaints, []);
  });

  test(`a person signs another session out and chooses a time zone, ${how}`, async (t) => {
    const { page, email } = await newcomer(t, { javaScriptEnabled });
    await submit(page, email, password);
    await page.waitForURL(portal);
    const other = await open(t, '/login', { javaScriptEnabled });
    other.setDefaultTimeout(45_000);
    await submit(other, email, password);
    await other.waitForURL(portal);
    await page.goto(`${portal}/settings`);
    await page.getByText('(current session)').first().waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).locator('visible=true').first().click();
    await page.getByText('Session signed out').first().waitFor();
    await other.goto(`${portal}/settings`);
    await other.getByText('Your session expired.').waitFor();
    await page.getByLabel('Time zone').selectOption('America/Denver');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.locator('html[data-theme=dark]').waitFor();
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'America/Denver');
    assert.deepEqual(page.complaints, []);
  });
}

test('a passkey is added, signs in and proves who is there', async (t) => {
  const { page, email } = await newcomer(t);
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await submit(page, email, password);
  await page.waitForURL(portal);
  await page.goto(`${portal}/settings`);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('Laptop of Nora');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
  await page.getByRole('link', { name: 'I’ve saved these codes' }).click();
  await page.getByText('Laptop of Nora').first().waitFor();
  await signOut(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(portal);
  await signOut(page);
  await submit(page, email, password); // the password alone is not enough
  await page.getByRole('heading', { name: 'Two-step verification' }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(portal);
  await page.goto(`${portal}/proof?return=/portal/settings`);
  await page.getByLabel('Recovery code').waitFor();
  assert.equal(await page.getByLabel('Password').count(), 0, 'a password is no proof beside a passkey');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`${portal}/settings`);
  await page.getByRole('link', { name: 'Remove Laptop of Nora' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Passkey removed').first().waitFor();
  assert.deepEqual(page.complaints, []);
});

test('the pages of signing in are sound', async (t) => {
  const { page, email } = await newcomer(t);
  const show = async (path, name) => {
    await page.goto(portal + path);
    await look(page, name);
  };
  await show('/_inbox', 'inbox');
  await show('/login', 'login');
  await show('/forgot', 'forgot');
  await page.getByLabel('Email address').fill(email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await look(page, 'sent');
  await page.goto(await mailed(page, email, 'Reset password'));
  await look(page, 'reset');
  await page.goto(`${portal}/login`);
  await submit(page, email, password);
  await page.waitForURL(portal);
  for (const path of ['/settings', '/settings/password', '/settings/passkeys/new', '/settings/authenticator'])
    await show(path, path);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('alert').waitFor();
  await look(page, 'a wrong code');
  await withApp(page);
  await look(page, 'settings with an app');
  await show('/proof?return=/portal/settings', 'proof');
  await signOut(page);
  await submit(page, email, password);
  await page.getByLabel('6-digit code').waitFor();
  await look(page, 'second step');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await look(page, 'a second step without a code');
  await show('/2fa?by=recovery', 'recovery');
  assert.deepEqual(page.complaints, []);
});

// The developer tools in a real browser: a key is rolled, a failing webhook repaired, a card field shown.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { typeCard } from './support/card.mjs';
import { credentials } from './support/env.mjs';
import { flow } from './support/flows.mjs';
import { as, look, portal } from './support/portal.mjs';

const developers = `${portal}/developers`;

const api = (path, { key = credentials.secret_key, ...options } = {}) =>
  fetch(credentials.base_url + path, {
    ...options,
    headers: { 'X-API-Key': key, 'X-App-ID': String(credentials.app_id), 'Content-Type': 'application/json' },
  });

/**
 * Loads a page until it says something, as someone without a script does. Where a form is still on its way, what it
 * leads to comes instead.
 */
async function until(page, words) {
  for (let tries = 0; tries < 60; tries++) {
    if (await page.getByText(words).first().isVisible()) return;
    await new Promise((done) => setTimeout(done, 250));
    await page.goto(page.url()).catch((error) => {
      if (!/interrupted by another navigation/.test(error.message)) throw error;
    });
  }
  assert.fail(`the page never says ${words}`);
}

flow('key roll', async (page, { role, scripted }) => {
  const name = `Server of ${role} ${scripted}`;
  const seen = scripted && role === 'application_admin';
  await page.goto(`${developers}/keys`);
  await page.getByRole('link', { name: 'New key' }).first().click();
  await page.getByRole('link', { name: 'Secret key' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  if (seen) await look(page, 'a key with a mistake');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy it now').waitFor();
  const old = await page.getByRole('group', { name: 'Key', exact: true }).textContent();
  assert.match(old, /^sk_sandbox_/);
  assert.equal((await api('/api/me', { key: old })).status, 200);
  await page.getByRole('link', { name: 'View key' }).click();

  await page.getByRole('link', { name: 'Roll', exact: true }).click();
  await page.getByText('24 hours').waitFor();
  await page.getByRole('button', { name: 'Roll key' }).click();
  await page.getByText('Copy it now').waitFor();
  const next = await page.getByRole('group', { name: 'Key', exact: true }).textContent();
  assert.notEqual(next, old);
  if (seen) await look(page, 'a new key');
  assert.deepEqual(
    [(await api('/api/me', { key: old })).status, (await api('/api/me', { key: next })).status],
    [200, 200],
    'both work',
  );
  await page.getByRole('link', { name: 'View both keys' }).click();
  await until(page, '2 requests in the last hour used the old key');
  await page.getByText('New key').first().waitFor();
  if (seen) await look(page, 'both keys');

  await page.getByRole('link', { name: 'Revoke', exact: true }).click();
  await page.getByText('2 requests in the last hour still used this key.').waitFor();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Key revoked').first().waitFor();
  await page.getByText('Revoked', { exact: true }).waitFor();
  for (let tries = 0; tries < 60 && (await api('/api/me', { key: old })).status === 200; tries++)
    await new Promise((done) => setTimeout(done, 250));
  assert.deepEqual(
    [(await api('/api/me', { key: old })).status, (await api('/api/me', { key: next })).status],
    [401, 200],
    'the old one does not work',
  );
});

flow('failing webhook', async (page, { role, scripted, t }) => {
  const seen = scripted && role === 'application_admin';
  const got = [];
  let status = 502;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (status === 200) got.push(request.headers['webhook-id']);
      response.writeHead(status).end(status === 200 ? '' : 'no upstream');
    });
  }).listen(0);
  t.after(() => server.close());
  await page.goto(`${developers}/webhooks/new`);
  await page.getByLabel('URL').fill(`http://localhost:${server.address().port}/hooks`);
  await page.getByLabel('merchant.*').check();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByText('Copy the secret now').waitFor();
  assert.match(await page.getByRole('group', { name: 'Signing secret' }).textContent(), /^whsec_/);
  await page.getByRole('link', { name: 'View endpoint' }).click();
  if (seen) await look(page, 'an endpoint without deliveries');
  const made = await api('/api/merchants', {
    method: 'POST',
    body: JSON.stringify({ name: 'Riverside', country: 'US', organization_id: credentials.organization_id }),
  });
  assert.equal(made.status, 201, await made.text());
  await until(page, 'HTTP 502');
  await page.getByText('Events aren’t being delivered').waitFor();
  if (seen) await look(page, 'an endpoint that fails');
  await page
    .getByRole('link', { name: /^HTTP 502/ })
    .first()
    .click();
  await page.getByText('no upstream').first().waitFor();
  if (seen) await look(page, 'a delivery that failed');
  await page.getByRole('link', { name: `localhost:${server.address().port}` }).click();

  status = 200;
  await page.getByRole('link', { name: 'Send test event' }).first().click();
  await page.getByLabel('Event').selectOption('merchant.created');
  await page.getByRole('button', { name: 'Load sample payload' }).click();
  assert.match(await page.getByLabel('data.object').inputValue(), /Riverside/);
  if (seen) await look(page, 'a test event');
  await page.getByLabel('data.object').fill('{"object": "merchant", "name": "made up"}');
  await page.getByRole('button', { name: 'Send test event' }).click();
  await until(page, 'HTTP 200');
  await page.getByRole('link', { name: `localhost:${server.address().port}` }).click();
  await page.getByRole('link', { name: 'Replay', exact: true }).first().click();
  await page.getByText('Missed events only').waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  // the endpoint's page, which is below the dialog, says what is done, too
  await page.waitForURL(/\/replays\/[^/]+$/);
  await until(page, /^Done$/);
  if (seen) await look(page, 'a replay');
  await page.getByRole('link', { name: `localhost:${server.address().port}` }).click();
  for (let tries = 0; tries < 60 && (await page.getByText(/(was|were)n’t delivered/).count()) > 0; tries++) {
    await new Promise((done) => setTimeout(done, 250));
    await page.reload();
  }
  assert.equal(await page.getByText(/(was|were)n’t delivered/).count(), 0, 'everything has arrived');
  assert.ok(got.length >= 2, `${got.length} came`);
  if (seen) await look(page, 'an endpoint that works');
});

test('the quick start shows a field with a key of the visitor’s own, which makes a token', async (t) => {
  const page = await as(t, 'application_admin');
  await page.goto(`${developers}/keys/new?kind=public`);
  await page.getByLabel('Name', { exact: true }).fill('Portal');
  await page.getByLabel('Origins').fill(credentials.base_url);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Add it to your pages').waitFor();
  await page
    .getByRole('link', { name: 'Quick start' })
    .first()
    .or(page.getByRole('link', { name: 'View key' }))
    .first()
    .click();
  await page.goto(`${developers}/start`);
  await page.getByLabel('Public key').selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Show' }).click();
  await page.locator('[data-field] iframe').first().waitFor();
  await page.locator('[data-make]:not([disabled])').waitFor();
  await look(page, 'the quick start');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Enter a card number first.').waitFor();
  await page.locator('[data-field]').evaluate((element) => (element.id = 'card'));
  await typeCard(page);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Token created').waitFor();
  const token = await page.locator('[data-token]').textContent();
  assert.match(token, /^tok_/);
  assert.match(await page.locator('#start-charge').textContent(), new RegExp(token));
  assert.deepEqual(page.complaints, []);
  for (const path of ['', '/keys', '/webhooks']) {
    const answer = await page.goto(developers + path);
    assert.doesNotMatch(answer.headers()['content-security-policy'], /frame-src/, 'no other page frames anything');
  }
});

test('the other tools are sound when they find nothing, or what they are asked for', async (t) => {
  const missing = '/api/charges/ch_01m84v25jxmpctx018pxc7t0ac'; // as wide as ids are
  await api(missing);
  const page = await as(t, 'application_admin');
  for (const [name, path] of Object.entries({
    'a restricted key': '/keys/new?kind=restricted',
    'no such key': '/idempotency?key=nobody',
    'no events': '/events?q=nothing',
  })) {
    await page.goto(developers + path);
    await look(page, name);
  }
  await page.goto(`${developers}/logs?outcome=refused`);
  await page.getByRole('link', { name: `GET ${missing}` }).first().click();
  await page.getByText('resource_missing').first().waitFor();
  await look(page, 'a request');

  await page.goto(`${developers}/signature`);
  await page.getByLabel('Headers').fill('webhook-id: evt_1\nwebhook-timestamp: 1\nwebhook-signature: v1,AAAA');
  await page.getByLabel('Body').fill('{}');
  await page.getByLabel('Signing secret').fill('whsec_AAAA');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Signature invalid').waitFor();
  await look(page, 'a verdict');
  assert.deepEqual(page.complaints, []);
});

test('on a telephone the tab of a page is in view, however many come before it', async (t) => {
  const page = await as(t, 'application_admin', '/developers/logs', { width: 390 });
  const reached = await page.locator('.tabbar').evaluate((bar) => {
    const [all, here] = [bar, bar.querySelector('[aria-current]')].map((element) => element.getBoundingClientRect());
    return { scrolls: bar.scrollWidth > bar.clientWidth, inView: here.left >= all.left && here.right <= all.right };
  });
  assert.deepEqual(reached, { scrolls: true, inView: true });
});

test('support staff sees requests without what was in them, and changes nothing', async (t) => {
  const page = await as(t, 'support_staff');
  await page.goto(`${developers}/logs`);
  await page.getByText('Payloads and IP addresses are hidden').waitFor();
  await page.locator('.row-link').first().click();
  await page.waitForURL(/\/logs\/req_/);
  await page.getByText('Payloads and IP addresses are hidden').first().waitFor();
  await look(page, 'a request that is redacted');
  await page.goto(`${developers}/keys`);
  assert.equal(await page.getByRole('link', { name: 'New key' }).count(), 0);
  assert.equal((await page.goto(`${developers}/keys/new`)).status(), 403);
  assert.deepEqual(page.complaints.filter((words) => !words.includes('403')), []);
});

/** An endpoint whose server holds its answers while `held` is a list; its page is shown. */
async function listening(t, held = null) {
  const receiver = { held };
  const server = createServer((request, response) => {
    request.resume().on('end', () => (receiver.held ? receiver.held.push(response) : response.end()));
  }).listen(0);
  t.after(() => (server.close(), server.closeAllConnections()));
  receiver.release = () => {
    for (const response of receiver.held) response.end();
    receiver.held = null;
  };
  const page = await as(t, 'application_admin', '/developers/webhooks/new');
  await page.getByLabel('URL').fill(`http://localhost:${server.address().port}/hooks`);
  await page.getByLabel('merchant.*').check();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('link', { name: 'View endpoint' }).click();
  return { page, receiver, at: page.url() };
}

/** Loads an endpoint's page until a delivery there has a status. */
async function delivered(page, status) {
  for (let tries = 0; tries < 60; tries++) {
    if (await page.locator('.list tbody .status', { hasText: status }).count()) return;
    await new Promise((done) => setTimeout(done, 250));
    await page.reload();
  }
  assert.fail(`no delivery is ${status}`);
}

const happened = (name) =>
  api('/api/merchants', {
    method: 'POST',
    body: JSON.stringify({ name, country: 'US', organization_id: credentials.organization_id }),
  });
const said = (page, words) => page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById('said').textContent), words.source, { timeout: 60_000 }); // a busy machine's jobs
const looksAgain = (page) => page.waitForResponse((response) => response.request().headers()['portal-poll'] === '1');
const remember = (page) => page.evaluate(() => void (window.remembered = document.activeElement));
const remembered = (page) =>
  page.evaluate(() => document.activeElement !== document.body && document.activeElement === window.remembered);

test('the progress of a replay refreshes and keeps the keyboard focus', async (t) => {
  const { page, receiver, at } = await listening(t);
  await happened('Hillside');
  await delivered(page, 'Delivered');
  receiver.held = [];
  const cancel = page.getByRole('button', { name: 'Cancel replay' });
  for (let tries = 0; tries < 10 && (await cancel.count()) === 0; tries++) {
    // most are looked through within the second
    await page.goto(`${at}/replay`);
    await page.locator('[name=which][value=all]').check();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.waitForURL(/\/replays\/[^/]+$/);
  }
  await page.getByRole('link', { name: 'Deliveries' }).focus();
  await remember(page);
  await said(page, /^Queued$/);
  await page.locator('#progress[data-over]').waitFor();
  assert.equal(await cancel.isVisible(), false, 'nothing is left to cancel');
  for (let times = 0; times < 2; times++) await looksAgain(page);
  assert.ok(await remembered(page), 'the keyboard is where it was');

  await page.route('**/replays/*', (route) => route.abort());
  for (let times = 0; times < 2; times++) await page.waitForEvent('requestfailed');
  assert.equal(await page.getByRole('alert').count(), 0, 'what looks again by itself complains of nothing');
  await page.unroute('**/replays/*');
  receiver.release();
  await said(page, /^Done\. Delivered: [1-9]\d*\. Failed or canceled: 0\.$/);
  assert.ok(await remembered(page), 'the keyboard is where it was');
  await look(page, 'a replay that is over');
});

test('a delivery is drawn anew once something has become of it, and the keyboard stays', async (t) => {
  const { page, receiver } = await listening(t, []); // from the beginning: other tests create merchants too
  await happened('Lakeside');
  await delivered(page, 'Retrying');
  await page.locator('.row-link').first().click();
  await page.getByText('No attempt yet').waitFor();
  const again = page.getByRole('button', { name: 'Resend' });
  await again.focus();
  await remember(page);
  for (let times = 0; times < 2; times++) await looksAgain(page);
  assert.ok(await remembered(page), 'nothing is drawn anew');
  receiver.release();
  await said(page, /^HTTP 200$/);
  await page.getByText('Attempt 1').waitFor();
  await keyboardIn(again);
  assert.deepEqual(page.complaints, []);
});

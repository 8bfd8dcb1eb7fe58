// Evidence that keeps itself: with answers that are lost or late, and with colleagues at the same draft.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { as, look, portal } from './support/portal.mjs';

const headers = {
  'Content-Type': 'application/json',
  'X-API-Key': credentials.secret_key,
  'X-App-ID': String(credentials.app_id),
};

async function api(method, path, body) {
  const answer = await fetch(`${credentials.base_url}/api${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path} is answered ${answer.status}`);
  return answer.json();
}

/** The path of a new dispute's page. */
async function disputed() {
  const merchant_id = credentials.merchants.us;
  const token = await api('POST', '/sandbox/tokens', { test_case: 'approved', merchant_id });
  const charge = await api('POST', '/charges', { merchant_id, amount: 4_000, token: token.id });
  await api('POST', `/sandbox/charges/${charge.id}/simulate`, { outcome: 'chargeback' });
  const { data } = await api('GET', `/disputes?charge_id=${charge.id}`);
  return `/disputes/${data[0].id}`;
}

const words = (page) => page.getByLabel('Additional information');
const saved = (page) => page.locator('#saved time').waitFor();
const offline = (page) => page.getByText('We couldn’t reach SvcPay.');
const odd = (page) => page.complaints.filter((one) => !/^htmx:|ERR_FAILED|status of 409/.test(one));

/** What the draft is for anyone who opens it now. */
async function kept(page) {
  await page.reload();
  return words(page).inputValue();
}

test('words whose answer was lost are nobody else’s', async (t) => {
  const page = await as(t, 'organization_admin', await disputed());
  const lose = async (route) => {
    await route.fetch(); // it is kept
    await route.abort();
  };
  await page.route('**/evidence', lose);
  await words(page).fill('They came to gala.');
  await offline(page).waitFor();
  await Promise.all([page.waitForEvent('requestfailed'), words(page).fill('They came to the gala.')]);
  assert.equal(await offline(page).count(), 1);
  await look(page, 'a draft whose answers are lost');
  await page.unroute('**/evidence');
  await words(page).fill('They all came.');
  await saved(page);
  assert.equal(await offline(page).count(), 0, 'it can be reached again');
  assert.equal(await kept(page), 'They all came.');

  await page.route('**/evidence', lose, { times: 1 });
  await words(page).fill('All of them came.');
  await offline(page).waitFor();
  await words(page).fill('All came.');
  await page.getByRole('button', { name: 'Save draft' }).click(); // before it keeps itself
  await page.locator('.told').getByText('Saved').waitFor();
  assert.equal(await kept(page), 'All came.');
  assert.deepEqual(odd(page), []);
});

test('who writes on while an answer is late keeps all of it', async (t) => {
  const page = await as(t, 'organization_admin', await disputed());
  const given = [];
  page.on('requestfailed', (request) => given.push(request.url()));
  const answers = (async () => [
    await page.waitForResponse('**/evidence'),
    await page.waitForResponse('**/evidence'),
  ])();
  await page.route('**/evidence', async (route) => {
    const answer = await route.fetch();
    await new Promise((wait) => setTimeout(wait, 4_000));
    await route.fulfill({ response: answer });
  }, { times: 1 });
  await Promise.all([page.waitForRequest('**/evidence'), words(page).fill('They came.')]);
  await words(page).fill('They did come.');
  await answers;
  await saved(page);
  assert.deepEqual(given, [], 'nothing is given up');
  assert.equal(await kept(page), 'They did come.');
  assert.deepEqual(page.complaints, []);
});

test('what a colleague wrote is told of, and stays until it was seen', async (t) => {
  const path = await disputed();
  const page = await as(t, 'organization_admin', path);
  const other = await as(t, 'organization_staff', path);
  await words(page).fill('They came.');
  await saved(page);
  await words(other).fill('They never came.');
  await other.getByText('Someone else edited this draft.').waitFor();
  assert.equal(await kept(page), 'They came.');
  await other.getByRole('button', { name: 'Save draft' }).click();
  await other.getByText('Someone else edited this draft').waitFor();
  assert.equal(await other.locator('del').first().textContent(), 'They came.');
  await other.getByRole('button', { name: 'Save draft' }).click();
  await other.waitForURL(portal + path);
  assert.equal(await kept(page), 'They never came.');
  assert.deepEqual([odd(page), odd(other)], [[], []]);
});

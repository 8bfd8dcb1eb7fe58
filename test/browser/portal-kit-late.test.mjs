// Parts of the kit that come late, fail or move, in a real browser.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { open } from './support/portal.mjs';

test('what comes later comes by itself, or by a link', async (t) => {
  const page = await open(t, '/_kit');
  await page.getByText('$1,204,118.50').waitFor();
  await page.goto(page.url() + '/detail');
  const entries = page.locator('.timeline > li:not(.timeline-more)');
  const before = await entries.count();
  await page.getByRole('link', { name: 'Show earlier entries' }).click();
  await page.getByText('Authorized', { exact: true }).waitFor();
  assert.ok((await entries.count()) > before);
  const bare = await open(t, '/_kit', { javaScriptEnabled: false });
  await bare.getByRole('link', { name: 'Totals' }).click();
  await bare.getByText('$1,204,118.50').waitFor();
});

test('an answer that does not come is told on the page, once, until one comes', async (t) => {
  const page = await open(t, '/_kit/list');
  await page.route('**/list?*', (route) => route.abort());
  const told = page.getByText('We couldn’t reach SvcPay.');
  for (let tries = 0; tries < 3; tries++) {
    await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('link', { name: 'Amount' }).click()]);
    await told.first().waitFor();
  }
  assert.equal(await told.count(), 1);
  assert.ok(page.url().endsWith('/_kit/list'));
  await page.unroute('**/list?*');
  await page.getByRole('link', { name: 'Amount' }).click();
  await page.waitForURL('**/list?sort=-amount');
  await told.waitFor({ state: 'detached' });
});

test('charts have a title, a description and their numbers in a table', async (t) => {
  const page = await open(t, '/_kit/home');
  const chart = page.getByRole('img', { name: /Volume a day/ });
  assert.match(await chart.evaluate((svg) => svg.querySelector('desc').textContent), /^The highest is \$[\d,.]+ \(/);
  assert.equal(await chart.locator('.line').count(), 2);
  const table = page.getByRole('table', { name: 'Volume a day' });
  assert.equal(await table.count(), 0);
  await page.getByText('View as table').first().click();
  assert.equal(await table.getByRole('row').count(), 31);
});

test('nothing moves for who wants nothing to move', async (t) => {
  const page = await open(t, '/_kit');
  const moving = () => page.evaluate(() => document.getAnimations().length);
  assert.equal(await moving(), 0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  assert.ok((await moving()) > 0, 'waiting buttons turn');
});

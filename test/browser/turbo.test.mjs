// The guide's example for Turbo, in pages that Turbo replaces.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, input } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { startSite } from './support/merchant.mjs';
import { fileOf } from './support/react.mjs';

const site = await startSite();
const newPage = await startBrowser();

const guide = readFileSync(new URL('../../api/guides/library.md', import.meta.url), 'utf8');
const [, example] = /## Turbo[^]*?```js\n([^]*?)```/.exec(guide);
const mine = example
  .replace('pk_sandbox_example', credentials.public_key)
  .replace('1042', String(credentials.merchants.us));

const headers = { 'Content-Type': 'text/javascript' };
const turbo = site.put(readFileSync(fileOf('@hotwired/turbo'), 'utf8'), { headers });
const script = site.put(mine, { headers });
/** A page whose links lead to pages of the same site. */
const put = (title, body) =>
  site.put(`<!doctype html><html lang="en"><head><title>${title}</title>
    <script src="${new URL(turbo).pathname}"></script><script src="${credentials.pay_url}/3.2/svcpay.js"></script>
    <script src="${new URL(script).pathname}"></script></head><body><h1>${title}</h1>${body}</body></html>`);
const about = put('About', '<a href="page-3">Give</a>');
const give = put(
  'Give',
  `<div id="card"></div><a href="${new URL(about).pathname}">About</a> <a href="page-4">More</a>`,
);
const more = put('More', '<div id="card"></div>');
assert.deepEqual([give, more].map((address) => new URL(address).pathname), ['/page-3', '/page-4']);

/** Fills in the card of the page that is shown, which has one field. */
async function fillCard(page) {
  await page.locator('#card iframe').waitFor();
  for (const [name, text] of Object.entries({ number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' })) {
    assert.equal(await input(page, name).inputValue(), '', `${name} is empty`);
    await input(page, name).fill(text);
  }
  await page.locator('.SvcPayField--complete').waitFor();
  assert.equal(await page.locator('#card iframe').count(), 1);
}

test('the guide’s example for Turbo works from page to page, and back', async (t) => {
  const page = await newPage(t);
  const said = [];
  page.on('console', (message) => /error|warning/.test(message.type()) && said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  const shown = async (title) => {
    await page.getByRole('heading', { name: title }).waitFor();
    await page.waitForFunction(() => !document.documentElement.hasAttribute('data-turbo-preview'));
  };
  await page.goto(about);
  await page.evaluate(() => (window.first = true));
  await page.getByRole('link', { name: 'Give' }).click();
  await shown('Give');
  await fillCard(page);
  await page.getByRole('link', { name: 'About' }).click();
  await shown('About');
  assert.equal(await page.locator('iframe').count(), 0, 'a page without a form has no frames');
  await page.goBack();
  await shown('Give');
  await fillCard(page);
  await page.getByRole('link', { name: 'More' }).click();
  await shown('More');
  await fillCard(page);
  await page.goBack();
  await shown('Give');
  await fillCard(page);
  assert.equal(await page.evaluate(() => window.first), true, 'Turbo replaced the pages');
  assert.equal(await page.locator('iframe').count(), 2, 'the card and its controller');
  assert.deepEqual(said, []);
});

// The page of the documentation that shows every field at work.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { EXPIRY, VISA, enter } from './support/card.mjs';
import { credentials, looks, startBrowser } from './support/env.mjs';
import { openSheet, payAs } from './support/wallet.mjs';

const newPage = await startBrowser();

/** The gallery with every field ready. */
async function openGallery(t, { width = 1280, ...options } = {}) {
  const page = await newPage(t, { viewport: { width, height: 900 }, ...options });
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  await page.goto(`${credentials.base_url}/docs/library`);
  await page.locator('.example').first().waitFor();
  for (const id of await page.locator('.live .field').evaluateAll((all) => all.map((each) => each.id))) {
    await page.locator(`#${id}`).evaluate((place) => place.scrollIntoView()); // what is far away has not begun
    // A frame with something in it, or a button or form in the page itself.
    await page.waitForFunction((name) => document.querySelector(`#${name} iframe, #${name} form, #${name} > div`), id);
    if (await page.locator(`#${id} > iframe`).count())
      await page.frameLocator(`#${id} > iframe`).locator('form, button').first().waitFor();
  }
  return page;
}

for (const { only, ...look } of looks) {
  test(`the gallery is sound, ${look.width} ${look.colorScheme}`, async (t) => {
    const page = await openGallery(t, look);
    await accessible(page, 'gallery', only);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it scrolls sideways');
    assert.deepEqual(page.complaints, []);
  });
}

test('each field of the gallery works by the code beside it', async (t) => {
  const page = await openGallery(t);
  for (const name of ['card', 'french', 'swiped']) {
    await enter(page, 'number', `#${name}`);
    await page.keyboard.type(`${VISA}${EXPIRY}12394107`);
    await page.locator(`#${name}-pay`).click();
    await page.locator(`section:has(#${name}) output`).filter({ hasText: 'tok_' }).waitFor();
  }
  await page.locator('#styled').scrollIntoViewIfNeeded();
  await page.frameLocator('#styled iframe').locator('input[name=number]').waitFor();
  await page.locator('#styled-off').click();
  await page.frameLocator('#styled iframe').locator('input[name=number]:disabled').waitFor();
  await page.locator('#abroad').scrollIntoViewIfNeeded();
  const abroad = page.frameLocator('#abroad iframe');
  await abroad.getByLabel('Postal code (optional)').waitFor();
  await page.locator('#abroad-us').click();
  await abroad.getByLabel('ZIP or postal code', { exact: true }).waitFor();
  assert.match(await page.locator('#about-card .both code').textContent(), /pay\.createField\('card'\)/);
  assert.match(await page.locator('#about-card details code').textContent(), /<CardField id="card"/);
});

for (const wallet of ['A', 'B']) {
  test(`wallet ${wallet} of the gallery makes a token`, async (t) => {
    const page = await openGallery(t);
    const place = page.locator(`#wallet-${wallet.toLowerCase()}`);
    await place.evaluate((element) => element.scrollIntoView({ block: 'center' })); // the page may still be scrolling
    await openSheet(page, wallet);
    await payAs(page, /Dana Reed/);
    await page.locator(`#wallet-${wallet.toLowerCase()}-output`).filter({ hasText: 'tok_' }).waitFor();
    assert.deepEqual(page.complaints, []);
  });
}

test('without a key of its own the gallery asks for one', async (t) => {
  const page = await newPage(t);
  await page.route('**/docs/library', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(credentials.public_key, '') });
  });
  await page.goto(`${credentials.base_url}/docs/library`);
  await page.getByLabel('Public key').fill(credentials.public_key);
  await page.getByLabel('Merchant id').fill(String(credentials.merchants.us));
  await page.unroute('**/docs/library');
  await page.getByRole('button', { name: 'Show the fields' }).click();
  await page.frameLocator('#card iframe').locator('form').waitFor();
});

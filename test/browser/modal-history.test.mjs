// Modals and the browser's history: a modal is one entry, whatever its steps, and Back closes it.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { eventsOf, open } from './support/card.mjs';
import { dialog, inModal, openModal } from './support/daf.mjs';
import { FUNDS, authorize, heading, press, signIn } from './support/donor.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

/** A page with a DAF button, in which a donor has opened the modal. */
async function begin(t) {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ types: ['daf'], options: { price: '125.00' } })));
  const before = await entries(page);
  await openModal(page);
  await inModal(page).getByLabel('First name').fill('Dana');
  return { page, before };
}

const entries = (page) => page.evaluate(() => history.length);
const goBack = (page) => page.evaluate(() => history.back()); // as the button does; Playwright's waits for a new page

test('a donation from the first page to the last is one entry in the history', async (t) => {
  const { page, before } = await begin(t);
  await inModal(page).getByLabel('Amount').first().fill('nothing');
  await press(page, 'Continue');
  await inModal(page).getByRole('alert').waitFor(); // the same page, with what is wrong
  assert.equal(await inModal(page).getByLabel('First name').inputValue(), 'Dana');
  await inModal(page).getByLabel('Amount').first().fill('125');
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: FUNDS.integrated }).click();
  await signIn(page, 'single@fund.example', 'wrong');
  await inModal(page).getByRole('alert').waitFor();
  await signIn(page, 'single@fund.example');
  await authorize(page);
  assert.equal((await eventsOf(page, 'dafAuthorized', 1)).length, 1);
  assert.ok((await entries(page)) <= before + 1, `${await entries(page)} entries, ${before} before`);
});

test('a closed modal leaves the page’s own scroll lock alone', async (t) => {
  const { page } = await begin(t);
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await eventsOf(page, 'dafCanceled', 1);
  const overflow = await page.evaluate(() => {
    document.documentElement.style.overflow = 'clip'; // as a dialog of the page's own does
    window.fields.daf.unmountField();
    return document.documentElement.style.overflow;
  });
  assert.equal(overflow, 'clip');
});

for (const steps of [0, 2]) {
  test(`Back closes the modal, after ${steps} steps`, async (t) => {
    const { page } = await begin(t);
    const address = page.url();
    if (steps) {
      await press(page, 'Continue');
      await inModal(page).locator('.funds button', { hasText: FUNDS.integrated }).click();
      await heading(page, 'Sign in').waitFor();
    }
    await goBack(page);
    await dialog(page).waitFor({ state: 'detached' });
    assert.equal((await eventsOf(page, 'dafCanceled', 1)).length, 1);
    assert.equal(page.url(), address);
    assert.equal(await page.evaluate(() => document.documentElement.style.overflow), '');
  });
}

test('a page that replaces its body under a modal can be scrolled again', async (t) => {
  const { page } = await begin(t);
  assert.equal(await page.evaluate(() => document.documentElement.style.overflow), 'hidden');
  await page.evaluate(() => {
    const body = document.createElement('body');
    body.append('Another page');
    document.body.replaceWith(body);
  });
  await page.waitForFunction(() => document.documentElement.style.overflow === '');
});

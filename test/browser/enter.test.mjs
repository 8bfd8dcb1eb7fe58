// Enter in a field, as in any input of the page's form.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { enter, input, open } from './support/card.mjs';
import { number } from './support/bank.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

/** A page whose field is in a form; `window.submitted` counts. */
async function openForm(t, type, { options, button = '<button id="give">Give</button>' } = {}) {
  const page = await newPage(t);
  const html = merchantPage({ types: [type], options }).replace(
    `<div id="${type}"></div>`,
    `<form id="form" onsubmit="event.preventDefault(); window.submitted++"><div id="${type}"></div>${button}</form>`,
  );
  await open(page, site.put(html.replace('<script>', '<script>window.submitted = 0;')));
  return page;
}

const submitted = (page, times) => page.waitForFunction((count) => window.submitted === count, times);

test('Enter in a card field submits the form of the page, by its button if that can be clicked', async (t) => {
  const page = await openForm(t, 'card');
  await enter(page, 'cvc');
  await page.keyboard.press('Enter');
  await submitted(page, 1);
  await page.evaluate(() => (document.querySelector('#give').disabled = true));
  await page.keyboard.press('Enter');
  await page.evaluate(() => (document.querySelector('#give').disabled = false));
  await page.keyboard.press('Enter');
  await submitted(page, 2);

  const bare = await openForm(t, 'card', { button: '' });
  await enter(bare, 'number');
  await bare.keyboard.press('Enter');
  await submitted(bare, 1);
});

test('submitOnEnter: false leaves Enter alone', async (t) => {
  const page = await openForm(t, 'card', { options: { submitOnEnter: false } });
  await enter(page, 'number');
  await page.keyboard.press('Enter');
  await page.evaluate(() => window.fields.card.updateField({ submitOnEnter: true }));
  await page.keyboard.press('Enter');
  await submitted(page, 1); // and not twice
});

test('submitOnEnter: false holds in every input of the bank form', async (t) => {
  const page = await openForm(t, 'bankaccount', { options: { submitOnEnter: false } });
  const plain = page.locator('#bankaccount input:not([inert])');
  assert.equal(await plain.count(), 4, 'names, email, agreement');
  const press = async () => {
    for (const each of await plain.all()) await each.press('Enter');
  };
  await press();
  await number(page, 'routing_number').press('Enter');
  await page.evaluate(() => window.fields.bankaccount.updateField({ submitOnEnter: true }));
  assert.equal(await page.evaluate(() => window.submitted), 0);
  await press();
  await submitted(page, 4);
});

test('Enter in a number of the bank form submits, too', async (t) => {
  const page = await openForm(t, 'bankaccount');
  await number(page, 'account_number').focus();
  await number(page, 'account_number').press('Enter');
  await submitted(page, 1);
  assert.equal(await input(page, 'account_number', '[data-field=account_number]').count(), 1);
});

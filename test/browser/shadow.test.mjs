// Fields in shadow trees of the page, which frames.length leaves out.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, VISA } from './support/card.mjs';
import { ACCOUNT, fillBank, number } from './support/bank.mjs';
import { startBrowser } from './support/env.mjs';
import { keyboardIn } from './support/focus.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

/** A page with a field in a shadow tree, once it is ready. */
async function openShadow(t, type) {
  const page = await newPage(t);
  await page.goto(site.put(merchantPage({ types: [], body: '<div id="host"></div>' })));
  await page.evaluate(async (name) => {
    const place = document.createElement('div');
    place.id = 'place';
    document.querySelector('#host').attachShadow({ mode: 'open' }).append(place);
    const field = (window.field = window.pay.createField(name));
    await window.pay.canMakePayments();
    await new Promise((resolve) => {
      field.once('ready', resolve);
      field.mount(place);
    });
  }, type);
  return page;
}

const pay = (page) => page.evaluate(() => window.pay.createToken(window.field));

async function typeCard(page) {
  const card = page.frameLocator('#place iframe');
  const texts = { number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' };
  for (const [name, text] of Object.entries(texts)) await card.locator(`input[name=${name}]`).fill(text);
}

test('a card in a shadow tree makes a token, also with the next controller', async (t) => {
  const page = await openShadow(t, 'card');
  await typeCard(page);
  assert.match((await pay(page)).token, /^tok_/);
  await page.evaluate(() => document.querySelector('iframe[title="Payment service"]').remove());
  const second = await pay(page);
  assert.match(second.token ?? JSON.stringify(second), /^tok_/);
});

test('a bank form in a shadow tree has its look, and its number boxes can be clicked and typed into', async (t) => {
  const page = await openShadow(t, 'bankaccount');
  const box = page.locator('#place [data-field=routing_number] iframe');
  await box.click();
  await keyboardIn(number(page, 'routing_number', '#place'));
  await page.keyboard.type(ACCOUNT.routing);
  assert.equal(await number(page, 'routing_number', '#place').inputValue(), ACCOUNT.routing);
  const [frame, back] = await Promise.all(
    [box, page.locator('#place [data-field=routing_number] input')].map((element) => element.boundingBox()),
  );
  assert.deepEqual(frame, back, 'the frame covers the box that the page draws');
  await fillBank(page, { ...ACCOUNT, first: '3M', last: 'Smith 3rd' }, '#place');
  const result = await pay(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
});

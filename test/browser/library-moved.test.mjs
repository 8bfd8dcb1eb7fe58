// Pages that move, replace or take away what the library put into them, without a word to it.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, createToken, eventsOf, input, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const SPLIT = ['cardNumber', 'cardExpiration', 'cardCvc'];

async function openPage(t, options, context, script) {
  const page = await newPage(t, context);
  if (script) await page.addInitScript(script);
  await open(page, site.put(merchantPage(options)));
  return page;
}

/** Fills in a card in parts, whose containers are named like their types. */
async function fill(page, prefix = '') {
  for (const [type, name, text] of [
    ['cardNumber', 'number', VISA],
    ['cardExpiration', 'expiry', EXPIRY],
    ['cardCvc', 'cvc', '123'],
  ]) {
    await input(page, name, `#${prefix}${type}`).fill(text);
  }
}

const CONTROLLER = 'iframe[hidden]';

async function goesOn(t, script) {
  const page = await openPage(t, { types: SPLIT }, undefined, script);
  const tokenized = async (what) => assert.match((await createToken(page)).token ?? '', /^tok_/, what);
  const session = () => page.waitForResponse('**/client/session');
  await fill(page);
  await Promise.all([
    session(),
    page.locator(CONTROLLER).evaluate((frame) => document.querySelector('main').append(frame)),
  ]);
  await tokenized('the controller is moved: what was typed is still there');
  await page.locator(CONTROLLER).evaluate((frame) => frame.remove());
  await tokenized('the controller is gone');
  await page.evaluate(() => {
    const root = document.createElement('div');
    root.append(...document.body.childNodes);
    document.body.append(root);
  });
  await eventsOf(page, 'ready', 6);
  await fill(page);
  await tokenized('all of them are moved');
  await page.evaluate(() => {
    document.body.replaceChildren();
    for (const [name, field] of Object.entries(window.fields)) {
      document.body.append(Object.assign(document.createElement('div'), { id: name }));
      field.mount(`#${name}`);
    }
  });
  await eventsOf(page, 'ready', 9);
  await fill(page);
  await tokenized('the page is made anew');
  await page.locator(CONTROLLER).evaluate((frame) => frame.remove());
  assert.equal((await page.evaluate(() => window.pay.canMakePayments())).country, 'US');
  await page.evaluate(() => window.pay.destroy());
  assert.equal(await page.locator('iframe').count(), 0);
}

test('a page that moves, or takes away, the frames of an instance: it goes on', (t) => goesOn(t));

/** A browser whose user blocks all cookies may refuse channels. */
const withoutChannels = () => {
  window.BroadcastChannel = class {
    constructor() {
      throw new DOMException('refused', 'SecurityError');
    }
  };
};

test('the same in a browser that refuses channels', (t) => goesOn(t, withoutChannels));

test('a field that the page moves is empty again, and the page is told', async (t) => {
  const page = await openPage(t);
  const container = page.locator('#card');
  const move = async (ready) => {
    await container.evaluate((element) => document.querySelector('main').append(element));
    await eventsOf(page, 'ready', ready);
  };
  await move(2);
  assert.deepEqual(await eventsOf(page, 'change'), [], 'nothing was in it');
  await typeCard(page);
  await page.waitForSelector('#card.SvcPayField--complete');
  assert.equal(await page.frameLocator('#card iframe').locator('.icon.visa').count(), 1);
  await move(3);
  assert.deepEqual((await eventsOf(page, 'change')).slice(1), [
    { empty: false, complete: true },
    { empty: true, complete: false },
  ]);
  assert.deepEqual([(await eventsOf(page, 'focus')).length, (await eventsOf(page, 'blur')).length], [1, 1]);
  assert.equal(await container.getAttribute('class'), 'SvcPayField SvcPayField--empty');
  assert.equal((await createToken(page)).error.code, 'incomplete_number');
  await page.waitForSelector('#card.SvcPayField--invalid');
  await move(4);
  assert.deepEqual(
    (await eventsOf(page, 'change')).at(-1),
    { empty: true, complete: false },
    'what was wrong is gone with it',
  );
  await typeCard(page);
  await page.frameLocator('#card iframe').locator('.icon.visa').waitFor();
  assert.match((await createToken(page)).token ?? '', /^tok_/);
});

test('a field that the page moves has the options’ postal code in it again, and only what is new is told', async (t) => {
  const page = await openPage(t, { options: { value: { postalCode: '10001' } } });
  const move = async (ready) => {
    await page.locator('#card').evaluate((element) => document.querySelector('main').append(element));
    await eventsOf(page, 'ready', ready);
  };
  await move(2);
  const partly = { empty: false, complete: false };
  assert.deepEqual(await eventsOf(page, 'change'), [partly]);
  await typeCard(page, { zip: '' });
  await page.waitForSelector('#card.SvcPayField--complete');
  await move(3);
  assert.deepEqual(await eventsOf(page, 'change'), [partly, { empty: false, complete: true }, partly]);
});

/** Keeps the signals that end listeners, to be counted. */
const SIGNALS = `window.signals = new Set();
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, handler, options) {
    if (options?.signal) window.signals.add(options.signal);
    return add.call(this, type, handler, options);
  };`;

/**
 * Makes the fields of a page again on the same instance, some times in a row: in new containers, or in those that are
 * there.
 */
const remake = (page, { emptied = false, times = 1 } = {}) => page.evaluate(([same, rounds]) => {
  for (let round = 0; round < rounds; round++) {
    for (const type of Object.keys(window.fields)) {
      const old = document.getElementById(type);
      if (same) old.replaceChildren();
      else old.replaceWith(Object.assign(document.createElement('div'), { id: type }));
      const field = window.fields[type] = window.pay.createField(type);
      field.on('ready', (event) => window.seen.push([type, 'ready', event]));
      field.mount(`#${type}`);
    }
  }
}, [emptied, times]);

test('a page that makes its fields anew and unmounts none: the old ones are let go of', async (t) => {
  const page = await openPage(t, { types: SPLIT, before: SIGNALS });
  await page.evaluate(() => (window.first = window.fields.cardNumber));
  const tokenized = async (what, ready) => {
    await eventsOf(page, 'ready', ready);
    await fill(page);
    const { token, error } = await createToken(page);
    assert.match(token ?? JSON.stringify(error), /^tok_/, what);
  };
  await remake(page);
  assert.equal((await page.evaluate(() => window.pay.createToken(window.first))).error?.code, 'field_not_mounted');
  await tokenized('in new containers', 6);
  await remake(page, { emptied: true });
  await tokenized('in emptied containers', 9);
  await remake(page, { times: 2 });
  await tokenized('before they had loaded', 12);
  await remake(page);
  await eventsOf(page, 'ready', 15);
  assert.equal(
    await page.evaluate(() => [...window.signals].filter(({ aborted }) => !aborted).length),
    3,
    'listeners go with their field',
  );
});

test('a page that takes fields away: createToken says so at once', async (t) => {
  const page = await openPage(t, { types: SPLIT });
  await fill(page);
  await page.evaluate(() => document.querySelector('#cardCvc').remove());
  const took = await page.evaluate(async () => {
    const began = performance.now();
    const { error } = await window.pay.createToken(window.fields.cardCvc);
    return [error.code, performance.now() - began < 1000];
  });
  assert.deepEqual(took, ['field_not_mounted', true]);
});

test('fields that are mounted in what is not in the page yet are kept', async (t) => {
  const page = await openPage(t, { types: SPLIT });
  await page.evaluate(() => {
    const aside = document.createElement('aside');
    for (const [type, field] of Object.entries(window.fields)) {
      const place = Object.assign(document.createElement('div'), { id: `aside-${type}` });
      field.mount(place);
      aside.append(place);
    }
    document.body.append(aside);
  });
  await eventsOf(page, 'ready', 6);
  await fill(page, 'aside-');
  assert.match((await createToken(page)).token ?? '', /^tok_/);
});

test('a field’s frame loads ahead of its mount, once; destroy removes one that was never mounted', async (t) => {
  const page = await newPage(t);
  const asked = [];
  page.on('request', (request) => request.url().includes('/frame/field') && asked.push(request.url()));
  await open(page, site.put(merchantPage()));
  assert.equal(asked.length, 1);
  const [ahead, left] = await page.evaluate(([key, merchant]) => {
    const pay = new window.SvcPay(key, merchant);
    pay.createField('card');
    const frames = () => document.querySelectorAll('body > iframe[src*="/frame/field"]').length;
    return [frames(), (pay.destroy(), frames())];
  }, [credentials.public_key, credentials.merchants.us]);
  assert.deepEqual([ahead, left], [1, 0]);
});

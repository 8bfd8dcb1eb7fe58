// What a page keeps of fields that come and go: nothing.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { open } from './support/card.mjs';
import { endures } from './support/endurance.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const { us: merchant } = credentials.merchants;

test('a thousand times mounted and unmounted, a card field leaves no frame, listener, port or memory', async (t) => {
  await endures(await newPage(t), site, { type: 'card', merchant, frames: 2 });
});

test('a thousand times mounted and unmounted, the bank form leaves no frame, listener, port or memory', async (t) => {
  await endures(await newPage(t), site, { type: 'bankaccount', merchant, frames: 3 });
});

test('split fields are ready within 300 ms of mount', async (t) => {
  const page = await newPage(t);
  const types = ['cardNumber', 'cardExpiration', 'cardCvc'];
  await open(page, site.put(merchantPage({ types })));
  const times = await page.evaluate(async (names) => {
    const took = [];
    for (let time = 0; time < 12; time++) {
      for (const name of names) window.fields[name].unmountField();
      const began = performance.now();
      await Promise.all(names.map((name) => new Promise((resolve) => {
        window.fields[name].once('ready', resolve);
        window.fields[name].mount(`#${name}`);
      })));
      took.push(performance.now() - began);
    }
    return took;
  }, types);
  // Other tests run next to this one: the least is what it takes on its own.
  assert.ok(Math.min(...times) <= 300, times.map(Math.round).join(', '));
});

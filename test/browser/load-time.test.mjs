// How long a card field takes to load far from the service: how many requests wait for each other, next to a frame that
// a page has in its HTML. Times are printed, not tested.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { longestRow, startDistance } from './support/distance.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const ROUND_TRIP = 150;

const site = await startSite();
const { log, flags } = await startDistance(ROUND_TRIP);
const newPage = await startBrowser({ flags });

/** The milliseconds from the page's first script to the event `ready` of all its fields. */
async function timeOfFields(page, address) {
  await page.goto(address);
  return page.evaluate(async () => {
    const missing = () => Object.keys(window.fields).length - window.seen.filter(([, name]) => name === 'ready').length;
    while (missing()) await new Promise((resolve) => setTimeout(resolve, 2));
    return performance.now() - window.began;
  });
}

/** The same of a frame in the page's HTML. */
async function timeOfFrame(page) {
  const { origin } = new URL(credentials.pay_url);
  const html = `<!doctype html><script>window.began = performance.now();</script>
    <iframe src="${origin}/3.2/frame/button" onload="window.took = performance.now() - window.began"></iframe>`;
  await page.goto(site.put(html));
  await page.waitForFunction(() => window.took);
  return page.evaluate(() => window.took);
}

/** What was asked for at the pay origin since, without what the page's own server has. */
const ofService = (entries) => entries.filter(({ url }) => url.startsWith(credentials.pay_url));
const nameOf = ({ url }) => new URL(url).pathname.split('/').slice(2).join('/');

const CANNOT_MOVE = 'delete Element.prototype.moveBefore;';
const SPLIT = ['cardNumber', 'cardExpiration', 'cardCvc'];

for (const { types, before = '', cold = 3, warm = 2 } of [
  { types: ['card'] },
  { types: SPLIT },
  { types: SPLIT, before: CANNOT_MOVE, cold: 4, warm: 3 }, // as in Safari
]) {
  const how = before ? ', where a frame cannot load ahead' : '';
  test(`at most ${cold} requests wait for each other until ${types} can be used, and ${warm} with a warm cache${how}`, async (t) => {
    const page = await newPage(t);
    const address = site.put(merchantPage({ types, before: `window.began = performance.now();${before}` }));
    const frame = await timeOfFrame(page);
    for (const [cache, most] of [
      ['cold', cold],
      ['warm', warm],
    ]) {
      log.length = 0;
      const took = await timeOfFields(page, address);
      const row = longestRow(ofService(log)).map(nameOf);
      const times = `${Math.round(took)} ms, a frame in HTML ${Math.round(frame)} ms`;
      t.diagnostic(`${types}, ${cache} cache, ${ROUND_TRIP} ms round trip: ${times}; ${row.join(' → ')}`);
      assert.ok(row.length <= most, row.join(' → '));
    }
  });
}

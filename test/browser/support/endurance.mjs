// A thousand times mounted and unmounted: what a page keeps of a field.
import assert from 'node:assert/strict';
import { fillBank } from './bank.mjs';
import { createToken, open, typeCard } from './card.mjs';
import { openLink } from './link.mjs';
import { merchantPage } from './merchant.mjs';
import { cancel, openSheet } from './wallet.mjs';

/** Counts the ports that the page's own document holds open. */
const COUNT_PORTS = `window.openPorts = 0;
  window.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      openPorts++;
      const close = this.port1.close.bind(this.port1);
      this.port1.close = () => { openPorts--; close(); };
    }
  };`;

/** Mounts and unmounts the page's field so often, each time once it is ready. */
const cycle = (page, times) => page.evaluate(async (count) => {
  const [[name, field]] = Object.entries(window.fields);
  for (let time = 0; time < count; time++) {
    field.unmountField();
    await new Promise((resolve) => {
      field.once('ready', resolve);
      field.mount(`#${name}`);
    });
  }
  window.seen.length = 0;
}, times);

/** Opens a wallet's sheet and leaves it: wallet B's is the provider's, and outlives who asked for it. */
async function payable(page, wallet) {
  await openSheet(page, wallet);
  await cancel(page);
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/** What still works after all that: a card makes its token, a button opens its modal. */
async function works(page, type) {
  if (type === 'card') await typeCard(page);
  else if (type === 'bankaccount' && (await page.locator('.SvcPay__form').count())) await fillBank(page);
  else if (type.startsWith('wallet')) return payable(page, type.at(-1));
  else return openLink(page, type);
  assert.match((await createToken(page)).token, /^tok_/);
}

/** What is alive in the page and in the controller's frame after a forced collection. */
async function alive(page, sessions) {
  const found = [];
  for (const session of sessions) {
    for (let time = 0; time < 3; time++) await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (wanted) => metrics.find(({ name }) => name === wanted).value;
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    found.push({ heap: usedSize, listeners: of('JSEventListeners'), frames: of('Frames'), nodes: of('Nodes') });
  }
  const [own, controller] = found;
  return {
    own,
    controller,
    ports: await page.evaluate(() => window.openPorts),
    windows: await page.evaluate(() => window.length),
  };
}

/**
 * Mounts and unmounts a merchant's field on a page of the site a thousand times. It may leave no frame, listener, port
 * or memory; `frames` stand in the page while it is mounted. Afterwards it still works.
 */
export async function endures(page, site, { type, merchant, frames }) {
  page.setDefaultTimeout(280_000);
  await open(page, site.put(merchantPage({ types: [type], merchant, before: COUNT_PORTS }), { host: 'shop' }));
  const controller = page.frames().find((frame) => frame.url().includes('/frame/controller'));
  const sessions = [await page.context().newCDPSession(page), await page.context().newCDPSession(controller)];
  for (const session of sessions) {
    await session.send('HeapProfiler.enable');
    await session.send('Performance.enable');
  }
  await cycle(page, 200);
  const before = await alive(page, sessions);
  for (let part = 0; part < 4; part++) await cycle(page, 200);
  const after = await alive(page, sessions);
  for (const where of ['own', 'controller']) {
    assert.ok(
      after[where].heap - before[where].heap <= 1_000_000,
      `${where}: ${before[where].heap} → ${after[where].heap} bytes`,
    );
    for (const what of ['listeners', 'frames', 'nodes'])
      assert.ok(
        after[where][what] <= before[where][what] + 5,
        `${where} ${what}: ${before[where][what]} → ${after[where][what]}`,
      );
  }
  assert.deepEqual([after.ports, after.windows], [frames, frames], 'the controller and one field');
  await page.evaluate(() => Object.values(window.fields)[0].setPrice?.('25.00'));
  await works(page, type);
  await page.evaluate(() => window.pay.destroy());
  assert.deepEqual(
    await page.evaluate(() => [window.openPorts, window.length, document.querySelectorAll('iframe').length]),
    [0, 0, 0],
  );
}

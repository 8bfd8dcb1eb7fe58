// Every page of the portal, as each role comes upon it: sound in both themes, on a telephone and on a desk.
import assert from 'node:assert/strict';
import { test } from '../support/test.mjs';
import { credentials } from '../support/env.mjs';
import { look, open, portal, signIn } from '../support/portal.mjs';
import { walk } from '../support/walk.mjs';

const heaviest = 150_000; // bytes over the wire of a first visit, with font, styles and scripts
const known = new Set();

/** Counts what the browser fetches for a page, as if it had never been here. */
async function scales(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on(
    'Network.requestWillBeSent',
    ({ type, request }) => type === 'Document' && request.url.startsWith(portal) && (bytes = 0),
  );
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  return () => bytes;
}

for (const user of credentials.users) {
  test(`every page that ${user.role} is led to is sound`, { timeout: 1_800_000 }, async (t) => {
    const page = await open(t, '/login');
    await signIn(page, user);
    const weight = await scales(page);
    const wrong = [];
    let looked = 0;
    const visit = async (_, kind) => {
      looked++;
      await look(page, kind).catch((error) => wrong.push(error.message));
    };
    let weighed = 0;
    const opened = async (_, kind) => {
      await page.waitForLoadState('load');
      const bytes = weight();
      weighed = Math.max(weighed, bytes);
      if (bytes < 40_000 || bytes > heaviest) wrong.push(`${kind} weighs ${bytes} bytes`);
    };
    const { seen, broken } = await walk(page, portal, visit, { known, opened });
    t.diagnostic(`${seen.size} kinds of pages, ${looked} of them unlike those before, at most ${weighed} bytes`);
    assert.deepEqual([...broken, ...wrong], []);
    assert.deepEqual(page.complaints, []);
    assert.ok(seen.size > 10, `${user.role} saw ${[...seen.keys()]}`);
  });
}

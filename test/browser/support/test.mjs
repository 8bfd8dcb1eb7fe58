// Tests that end: each has a time of its own, and one that fails leaves what its pages showed.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { after, before, test as run } from 'node:test';

export { after, before };

/** After how long a test counts as one that hangs, in ms; those of many pages take a minute on a busy machine. */
const limit = 240_000;

const failed = new WeakSet();

/** As the test runner's own `test`: a name, options, and what is tested. */
export function test(name, ...rest) {
  const tested = rest.pop();
  return run(name, { timeout: limit, ...rest[0] }, async (t) => {
    try {
      await tested(t);
    } catch (error) {
      failed.add(t);
      throw error;
    }
  });
}

/** Whether a test that has ended failed, or took too long. */
export const hasFailed = (t) => failed.has(t) || t.signal.aborted;

/** Where pages of tests that failed are kept, until the next run. */
const failures = new URL('../../../.screenshots/failed/', import.meta.url);

/** Keeps a picture of the page of a test that failed, and what the page logged. A page that hangs has no picture. */
export async function keepFailure(t, page, logged) {
  const name = `${basename(process.argv[1], '.test.mjs')}-${t.name}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  await mkdir(failures, { recursive: true });
  await writeFile(new URL(`${name}.log`, failures), [page.url(), ...logged, ''].join('\n'));
  await page.screenshot({ path: new URL(`${name}.png`, failures).pathname, timeout: 5_000 }).catch(() => {});
  t.diagnostic(`the page and its log are in .screenshots/failed/${name}.*`);
}

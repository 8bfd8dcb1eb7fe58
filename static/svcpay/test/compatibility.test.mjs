// docs/library-compatibility.md names tests that are there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const read = (path) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('each line of the compatibility page names a test, or says that it does not hold yet', async () => {
  const rows = (await read('docs/library-compatibility.md'))
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('| subject |') && !line.startsWith('| subject'));
  assert.ok(rows.length > 35, `${rows.length} lines`);
  for (const row of rows) {
    const tests = [...row.matchAll(/`([\w./-]+test\.(?:mjs|go))`((?:, “[^”]+”)+)/g)].flatMap(([, file, all]) =>
      [...all.matchAll(/“([^”]+)”/g)].map(([, name]) => [file, name]));
    assert.ok(tests.length || row.includes('**does not hold yet**'), `no test: ${row}`);
    for (const [file, name] of tests) {
      assert.ok((await read(file)).includes(name), `${file} has no test “${name}”`);
      assert.ok(/Chromium|all|Node|–/.test(row.split('|').at(-2)), `no engine: ${row}`);
    }
  }
});

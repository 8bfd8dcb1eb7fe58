// The flows that people go through most, each as every role that may: docs/portal.md has the table of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from './test.mjs';
import { as } from './portal.mjs';

const document = readFileSync(new URL('../../../docs/portal.md', import.meta.url), 'utf8');

/** Who goes through a flow, as its row of the table says. */
export function rolesOf(name) {
  const row = document.split('\n').find((line) => line.startsWith(`| ${name} |`));
  assert.ok(row, `docs/portal.md has no flow ${name}`);
  return [...row.split('|')[3].matchAll(/`(\w+)`/g)].map(([, role]) => role);
}

/**
 * Tests a flow as each role that may go through it, with a script and without one. `steps(page, { role, scripted, t })`
 * has a page of someone who is signed in.
 */
export function flow(name, steps) {
  for (const role of rolesOf(name)) {
    for (const scripted of [true, false]) {
      test(`${name}: ${role} ${scripted ? 'with' : 'without'} a script`, async (t) => {
        const page = await as(t, role, '', { javaScriptEnabled: scripted });
        await steps(page, { role, scripted, t });
        assert.deepEqual(page.complaints, []);
      });
    }
  }
}

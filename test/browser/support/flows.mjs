// The flows that people go through most: docs/portal.md has the table of them, with who may.
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
 * Tests a flow with a script as the first role that may go through it, and without one as the last, or with EVERY_LOOK
 * both ways as each role. `steps(page, { role, scripted, t })` has a page of someone who is signed in.
 */
export function flow(name, steps) {
  const roles = rolesOf(name);
  for (const role of roles) {
    for (const scripted of [true, false]) {
      if (!process.env.EVERY_LOOK && role !== roles.at(scripted ? 0 : -1)) continue;
      test(`${name}: ${role} ${scripted ? 'with' : 'without'} a script`, async (t) => {
        const page = await as(t, role, '', { javaScriptEnabled: scripted });
        await steps(page, { role, scripted, t });
        assert.deepEqual(page.complaints, []);
      });
    }
  }
}

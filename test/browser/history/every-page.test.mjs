// Every page of the portal, as each role comes upon it: sound in both themes, on a telephone and on a desk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '../support/env.mjs';
import { legible, open, portal, signIn, sound } from '../support/portal.mjs';
import { walk } from '../support/walk.mjs';

// A theme changes colors and nothing else.
const looks = [
  { width: 390, colorScheme: 'dark', check: sound },
  { width: 390, colorScheme: 'light', check: legible },
  { width: 1280, colorScheme: 'light', check: sound },
  { width: 1280, colorScheme: 'dark', check: legible },
];
const known = new Set();

for (const user of credentials.users) {
  test(`every page that ${user.role} is led to is sound`, async (t) => {
    const page = await open(t, '/login');
    await signIn(page, user);
    const wrong = [];
    const { seen, broken } = await walk(page, portal, async (_, kind) => {
      for (const { width, colorScheme, check } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await check(page, `${kind} ${width} ${colorScheme}`).catch((error) => wrong.push(error.message.split('\n').slice(0, 12).join(' ')));
      }
    }, known);
    assert.deepEqual([...broken, ...wrong], []);
    assert.deepEqual(page.complaints, []);
    assert.ok(seen.size > 10, `${user.role} saw ${[...seen]}`);
    t.diagnostic(`${seen.size} kinds of pages`);
  });
}

// Every page of the portal, as each role comes upon it: sound in both themes, on a telephone and on a desk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '../support/env.mjs';
import { open, portal, signIn, sound } from '../support/portal.mjs';
import { walk } from '../support/walk.mjs';

const looks = [390, 1280].flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme })));
const known = new Set();

for (const user of credentials.users) {
  test(`every page that ${user.role} is led to is sound`, async (t) => {
    const page = await open(t, '/login');
    await signIn(page, user);
    const wrong = [];
    const kinds = await walk(page, portal, async (_, kind, answer) => {
      if (answer.status() !== 200) wrong.push(`${kind}: ${answer.status()}`);
      for (const { width, colorScheme } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await sound(page, `${kind} ${width} ${colorScheme}`).catch((error) => wrong.push(error.message.split('\n').slice(0, 12).join(' ')));
      }
    }, known);
    assert.deepEqual(wrong, []);
    assert.deepEqual(page.complaints, []);
    assert.ok(kinds.size > 10, `${user.role} saw ${[...kinds]}`);
  });
}

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { load } from './load.mjs';

const { firstWord } = await load('proof/sha256');
const { solve } = await load('proof/index');

/** The SHA-256 of a seed and two numbers, as the service computes it. */
function digest(seed, i, n) {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(i, 0);
  numbers.writeUInt32BE(n, 4);
  return createHash('sha256').update(seed).update(numbers).digest();
}

const seeded = () => randomBytes(27).toString('base64url');

test('one block has the first word that SHA-256 has', () => {
  for (let round = 0; round < 200; round++) {
    const seed = seeded();
    const block = new Uint32Array(16);
    const text = Buffer.concat([Buffer.from(seed), randomBytes(8)]);
    for (let i = 0; i < 11; i++) block[i] = text.readUInt32BE(4 * i);
    block[11] = 0x80000000;
    block[15] = 352;
    assert.equal(firstWord(block), createHash('sha256').update(text).digest().readUInt32BE(0));
  }
});

test('a solution has a number for each puzzle', async () => {
  const seed = seeded();
  const solution = await solve({ seed, bits: 9, puzzles: 16 });
  assert.equal(solution.length, 16);
  for (const [i, n] of solution.entries()) assert.ok(digest(seed, i, n).readUInt32BE(0) < 2 ** 23, `${i}: ${n}`);
});

test('a search lets other work go on', async () => {
  let ran = false;
  setImmediate(() => (ran = true));
  await solve({ seed: seeded(), bits: 13, puzzles: 16 });
  assert.ok(ran);
});

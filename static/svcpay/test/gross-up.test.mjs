import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from './load.mjs';

const { cover, rateOf, PROVIDER_RATE } = await load('shared/gross-up');

test('the table of the service', async () => {
  const rows = JSON.parse(await readFile(new URL('../../../internal/daf/testdata/grossup.json', import.meta.url)));
  assert.ok(rows.length >= 20);
  for (const { goal, rates, amount } of rows) {
    assert.equal(cover(goal, rates.map(rateOf)) ?? null, amount, `${goal} at ${rates}`);
  }
});

/** Half up, with integers of any size. */
const fee = (amount, rate) => Number((2n * BigInt(amount) * BigInt(rate) + 100_000n) / 200_000n);
const leaves = (amount, rates) => amount - rates.reduce((sum, rate) => sum + fee(amount, rate), 0);

test('100,000 goals are covered by the smallest whole dollar', () => {
  for (let i = 0; i < 100; i++) {
    const service = (i * 7919) % (i % 4 ? 10_001 : 100_001);
    const rates = i % 2 ? [service, PROVIDER_RATE] : [service];
    const first = 1 + ((i * 999_983) % 200_000);
    let smallest = 100;
    for (let goal = first; goal < first + 1000; goal++) {
      while (smallest <= 99_999_900 && leaves(smallest, rates) < goal) smallest += 100;
      assert.equal(cover(goal, rates), smallest <= 99_999_900 ? smallest : undefined, `${goal} at ${rates}`);
    }
  }
});

test('percentages become exact rates', () => {
  for (let rate = 0; rate <= 100_000; rate++)
    assert.equal(rateOf(Number(`${Math.floor(rate / 1000)}.${String(rate % 1000).padStart(3, '0')}`)), rate);
});

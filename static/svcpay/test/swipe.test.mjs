import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from './load.mjs';

const { readTracks, ENGLISH } = await load('field/swipe');

const ONE = '%B4242424242424242^REED/DANA A.MS^30081010000000000?';
const TWO = ';4242424242424242=30081010000000000?';
const read = { number: '4242424242424242', expiry: '0830' };

test('both tracks, or either, tell number and expiry', () => {
  for (const text of [ONE + TWO, `${ONE}\n${TWO}\n`, ONE, TWO, `%E?${TWO}`, `${ONE};E?`, ONE.toLowerCase()])
    assert.deepEqual(readTracks(text), read, text);
  assert.deepEqual(readTracks('%B3782 822463 10005^REED/DANA^3008101?'), { number: '378282246310005', expiry: '0830' });
});

test('what cannot be used is told by a code', () => {
  for (const text of [
    '',
    '4242424242424242',
    '%E?;E?',
    ';4242424242424242=30',
    '%B42^A^3008?',
    ';42424242424242424242=3008101?',
    '%A4242424242424242^A^3008?',
  ]) {
    assert.equal(readTracks(text), 'swipe_unreadable', text);
  }
  assert.equal(readTracks(ONE + TWO.replace('3008', '3108')), 'swipe_tracks_disagree');
  assert.equal(readTracks(ONE.replace('4242^', '4241^') + TWO), 'swipe_tracks_disagree');
});

const folder = new URL('../src/locales/', import.meta.url);
const words = async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'));
/** Codes of the service whose messages payers may read. */
const SERVICE = [
  'invalid_email', 'invalid_token_data', 'rate_limited', 'network_error', 'timeout', 'internal_error', 'not_ready',
];
/** What the bank form says besides, whose English is next to its inputs. */
const BANK = [
  ...[
    'account_holder_first_name', 'account_holder_last_name', 'email', 'account_type', 'routing_number',
    'account_number',
  ].map((name) => `label_${name}`),
  'placeholder_account_type',
  'placeholder_routing_number',
  'type_checking',
  'type_savings',
  'mandate_not_accepted',
  'incomplete_email',
  ...['account_holder_name', 'account_type', 'routing_number', 'account_number'].flatMap((name) => [
    `incomplete_${name}`,
    `invalid_${name}`,
  ]),
];

test('each language has every word, a region only such as its language has', async () => {
  const expected = [
    ...Object.keys(await words('en.json')),
    ...Object.keys(ENGLISH),
    ...SERVICE,
    ...BANK,
  ].sort();
  const files = await readdir(folder);
  assert.deepEqual(files.sort(), ['en.json', 'es.json', 'fr-CA.json', 'fr.json']);
  for (const name of ['es.json', 'fr.json']) {
    const own = await words(name);
    assert.deepEqual(Object.keys(own).sort(), expected, name);
    for (const [key, text] of Object.entries(own)) assert.ok(text.trim(), `${name} ${key}`);
  }
  const french = await words('fr.json');
  for (const [key, text] of Object.entries(await words('fr-CA.json')))
    assert.ok(key in french && french[key] !== text, key);
});

test('every code that a check can give has its words', async () => {
  const source = await readFile(new URL('../src/field/checks.ts', import.meta.url), 'utf8');
  const codes = [...source.matchAll(/'((?:incomplete|invalid|unsupported)_\w+)'/g)].map(([, code]) => code);
  const english = await words('en.json');
  assert.ok(codes.length > 8);
  assert.deepEqual(codes.filter((code) => !english[code]), []);
});

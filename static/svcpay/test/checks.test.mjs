import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from './load.mjs';

const { checkNumber, checkExpiry, checkCvc, checkPostalCode, expiryOf } = await load('field/checks');
const { brandOf } = await load('field/brands');

const verdict = ({ valid, possible, code }) => (valid ? 'valid' : `${code}${possible ? '' : '!'}`);

// A trailing "!" marks what typing on cannot mend, so that it shows at once.
const numbers = {
  '': 'incomplete_number',
  4: 'incomplete_number',
  424242: 'incomplete_number',
  4242424242424242: 'valid',
  4242424242424241: 'invalid_number',
  5555555555554444: 'valid',
  5555555555554445: 'invalid_number!',
  2223003122003222: 'valid',
  378282246310005: 'valid',
  378282246310006: 'invalid_number!',
  6011111111111117: 'valid',
  3566002020360505: 'valid',
  36227206271667: 'valid',
  62: 'unsupported_brand!',
  6304000000000000: 'unsupported_brand!',
  2200: 'unsupported_brand!',
  99: 'invalid_number!',
};

test('card numbers', () => {
  for (const [digits, expected] of Object.entries(numbers))
    assert.equal(verdict(checkNumber(digits)), expected, `number ${digits}`);
});

test('a number is of a brand here as it is in the service', async () => {
  const cards = JSON.parse(
    await readFile(new URL('../../../internal/sensitive/testdata/cards.json', import.meta.url), 'utf8'),
  );
  for (const [digits, brand] of Object.entries(cards)) {
    const { valid } = checkNumber(digits);
    assert.deepEqual([valid, valid ? brandOf(digits).name : ''], [brand !== '', brand], `number ${digits}`);
  }
});

const now = new Date(2026, 10, 21);
const expiries = {
  '': 'incomplete_expiry',
  0: 'incomplete_expiry',
  1: 'incomplete_expiry',
  12: 'incomplete_expiry',
  123: 'incomplete_expiry',
  1226: 'valid',
  1126: 'valid',
  1026: 'invalid_expiry_month_past!',
  1225: 'invalid_expiry_year_past!',
  1220: 'invalid_expiry_year_past',
  12203: 'incomplete_expiry',
  20: 'incomplete_expiry',
  20300: 'incomplete_expiry',
  '0820': 'invalid_expiry_year_past',
  '0146': 'valid',
  '0147': 'invalid_expiry!',
  13: 'invalid_expiry!',
  '00': 'invalid_expiry!',
};

test('expiration dates, to the last day of the month', () => {
  for (const [digits, expected] of Object.entries(expiries))
    assert.equal(verdict(checkExpiry(digits, now)), expected, `expiry ${digits}`);
  for (const [digits, next] of [['1126', Date.UTC(2026, 11, 1, 12)], ['1226', Date.UTC(2027, 0, 1, 12)]]) {
    assert.equal(verdict(checkExpiry(digits, new Date(next - 1))), 'valid', `${digits} while its month lasts anywhere`);
    assert.match(verdict(checkExpiry(digits, new Date(next))), /_past!$/, `${digits} in the next month everywhere`);
  }
  assert.deepEqual(expiryOf('0830'), { month: 8, year: 2030 });
});

test('security codes have the length of the brand', () => {
  assert.equal(verdict(checkCvc('12', [3])), 'incomplete_cvc');
  assert.equal(verdict(checkCvc('123', [3])), 'valid');
  assert.equal(verdict(checkCvc('123', [4])), 'incomplete_cvc');
  assert.equal(verdict(checkCvc('1234', [4])), 'valid');
  assert.equal(verdict(checkCvc('123', [3, 4])), 'valid');
  assert.equal(verdict(checkCvc('1234', [3])), 'invalid_cvc!');
});

test('postal codes of several countries', () => {
  for (const code of ['94107', 'H2X 1Y4', 'SW1A 1AA', '1010', '12345-6789'])
    assert.equal(verdict(checkPostalCode(code)), 'valid', code);
  assert.equal(verdict(checkPostalCode('94')), 'incomplete_postal_code');
  assert.equal(verdict(checkPostalCode('94_07')), 'invalid_postal_code!');
});

test('brands, groups and accepted networks', () => {
  const expected = {
    '': ['none', '{{9999}} {{9999}} {{9999}} {{9999}} {{999}}'],
    4: ['visa', '{{9999}} {{9999}} {{9999}} {{9999999}}'],
    401178: ['visa', '{{9999}} {{9999}} {{9999}} {{9999999}}'],
    493698: ['visa', '{{9999}} {{9999}} {{9999}} {{9999999}}'],
    6: ['none', '{{9999}} {{9999}} {{9999}} {{9999}} {{999}}'],
    55: ['mastercard', '{{9999}} {{9999}} {{9999}} {{9999}}'],
    37: ['amex', '{{9999}} {{999999}} {{99999}}'],
    36: ['diners_club', '{{9999}} {{999999}} {{999999999}}'],
    6011: ['discover', '{{9999}} {{9999}} {{9999}} {{9999999}}'],
    3566: ['jcb', '{{9999}} {{9999}} {{9999}} {{9999999}}'],
  };
  for (const [digits, [name, pattern]] of Object.entries(expected)) {
    const brand = brandOf(digits);
    assert.deepEqual([brand.name, brand.pattern, brand.accepted], [name, pattern, true], `brand of ${digits}`);
  }
  assert.equal(brandOf('62').accepted, false);
});

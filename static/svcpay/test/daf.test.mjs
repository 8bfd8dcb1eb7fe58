import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { centsOf, wholeDollarsOf } = await load('loader/price');
const { dafQuote } = await load('loader/quote');

test('a price is digits, a point and two digits', () => {
  assert.equal(centsOf('0.00'), 0);
  assert.equal(centsOf('0.07'), 7);
  assert.equal(centsOf('1234.56'), 123456);
  for (const wrong of [
    '',
    '25',
    '25.0',
    '25.000',
    '.50',
    '-1.00',
    '+1.00',
    '1,000.00',
    '1e3.00',
    ' 5.00',
    '5.00\n',
    '٥.٠٠',
    25,
    25.5,
    null,
    undefined,
    ['5.00'],
    '99999999999999999.00',
  ]) {
    assert.throws(() => centsOf(wrong), { code: 'invalid_price', type: 'integration_error' }, String(wrong));
  }
});

test('donor-advised funds grant whole dollars: anything else is rounded up with a warning', (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  assert.equal(wholeDollarsOf('25.00'), 2500);
  assert.equal(warn.mock.callCount(), 0);
  for (const [price, cents] of [
    ['25.01', 2600],
    ['25.99', 2600],
    ['0.01', 100],
    ['8.20', 900],
  ])
    assert.equal(wholeDollarsOf(price), cents);
  assert.equal(warn.mock.callCount(), 4);
  assert.match(warn.mock.calls[0].arguments[0], /25\.01 becomes 26\.00/);
  assert.throws(() => wholeDollarsOf('0.00'), { code: 'invalid_price' });
});

test('dafQuote covers the fee of the service, or both', () => {
  assert.equal(dafQuote(10000), 10300);
  assert.equal(dafQuote(10000, { cover: 'service' }), 10300);
  assert.equal(dafQuote(10000, { cover: 'all' }), 10600);
  assert.equal(dafQuote(123456), 126000);
  assert.equal(dafQuote(123456, { cover: 'all' }), 129900);
  assert.equal(dafQuote(666, { cover: 'all' }), 700);
  assert.equal(dafQuote(10000, { servicePercentage: 0 }), 10000);
  assert.equal(dafQuote(10000, { servicePercentage: 1.125 }), 10200);
  const refused = (code, ...args) => assert.throws(() => dafQuote(...args), { code, type: 'integration_error' });
  for (const amount of [0, -1, 1.5, NaN, '100', undefined, 99_999_900]) refused('invalid_amount', amount);
  refused('invalid_cover', 100, { cover: 'provider' });
  for (const servicePercentage of [-1, 100, NaN, '2%']) refused('invalid_percentage', 100, { servicePercentage });
});

test('each version offers the field types that it has', async () => {
  for (const [version, offered] of [['1.1', false], ['1.2', false], ['3.0', false], ['3.2', true]]) {
    const { typeOf } = await load('loader/types', version);
    assert.equal(typeOf('cardCvc').method, 'cc');
    if (offered) assert.equal(typeOf('daf').method, 'daf');
    else
      assert.throws(() => typeOf('daf'), {
        code: 'version_unsupported',
        type: 'integration_error',
        message: /needs svcpay\.js 3\.2; this page loads/,
      });
    for (const type of ['walletC', 'constructor', '', undefined])
      assert.throws(() => typeOf(type), { code: 'payment_method_disabled' });
  }
});

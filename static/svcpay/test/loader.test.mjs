import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { bankDataOf, billingOf } = await load('shared/token-data');
const { clean, merge } = await load('loader/options');
const { Events } = await load('loader/events');

test('tokenData becomes billing details', (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  assert.deepEqual(billingOf(undefined), {});
  assert.deepEqual(billingOf({ first_name: 'Dana', phone: 555, address_country: 'us', email: '', last_name: null }), {
    first_name: 'Dana', phone: '555', address_country: 'US',
  });
  assert.equal(warn.mock.callCount(), 0);
  assert.deepEqual(billingOf({ nickname: 'D', country: 'US' }), {});
  assert.equal(warn.mock.callCount(), 2);
});

test('white space of every member of tokenData is tidied', () => {
  const texts =
    'first_name middle_name last_name address_line_1 address_line_2 address_city address_state address_zip email phone'.split(
      ' ',
    );
  for (const name of texts) {
    assert.deepEqual(billingOf({ [name]: '\u00a0 12\tElm \r\n\u3000Street \r\n' }), { [name]: '12 Elm Street' });
    assert.deepEqual(billingOf({ [name]: ' \n' }), {});
  }
  assert.deepEqual(billingOf({ address_country: ' us\n' }), { address_country: 'US' });
  assert.deepEqual(billingOf({ address_country: ' ' }), {});
  assert.equal(bankDataOf({ country: 'ca \n' }).country, 'CA');
});

test('wrong tokenData is refused by name', () => {
  const refused = (data, field) =>
    assert.throws(() => billingOf(data), { code: 'invalid_token_data', ...(field && { field }) });
  refused('Dana');
  refused({ first_name: 7 }, 'billing.first_name');
  refused({ address_country: 'USA' }, 'billing.address_country');
});

test('options merge, and lose what cannot cross a port', () => {
  const merged = merge(
    { style: { base: { color: 'red', fontSize: '1em' } }, disabled: true },
    { style: { base: { color: 'blue' } } },
  );
  assert.deepEqual(merged, { style: { base: { color: 'blue', fontSize: '1em' } }, disabled: true });
  assert.deepEqual(clean({ a: () => {}, b: Symbol('x'), c: { d: 1 } }), { c: { d: 1 } });
  assert.deepEqual(clean(undefined), {});
});

test('handlers: on, once, off; one that throws stops nobody', (t) => {
  const error = t.mock.method(console, 'error', () => {});
  const events = new Events();
  const got = [];
  events.on('change', () => { throw new Error('in the page'); });
  const always = (event) => got.push(['always', event]);
  events.on('change', always);
  events.once('change', (event) => got.push(['once', event]));
  events.emit('change', 1);
  events.emit('change', 2);
  events.off('change', always);
  events.emit('change', 3);
  events.off('change');
  events.emit('change', 4);
  assert.deepEqual(got, [['always', 1], ['once', 1], ['always', 2]]);
  assert.equal(error.mock.callCount(), 3);
  events.once('change', always);
  events.off('change', always);
  events.emit('change', 5);
  assert.deepEqual(got.at(-1), ['always', 2], 'one that waits for its one time is removed, too');
  assert.throws(() => events.on('change', 'no function'), { type: 'integration_error' });
});

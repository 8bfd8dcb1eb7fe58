import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { expiryDigits } = await load('field/expiry');

test('dates as people and password managers write them', () => {
  const written = {
    '08/30': '0830',
    '8/30': '0830',
    '08/2030': '0830',
    '08 / 2030': '0830',
    '2030-08': '0830',
    '08-30': '0830',
    '08 30': '0830',
    '08.2030': '0830',
    '082030': '0830',
    '122030': '1230',
    '12 / 2030': '1230',
    '203008': '0830',
    '20 / 3008': '0830',
    5: '05',
    '1/': '01',
  };
  for (const [text, digits] of Object.entries(written)) assert.equal(expiryDigits(text), digits, text);
});

test('what is on its way to a date stays', () => {
  for (const text of ['', '0', '1', '08', '083', '0830', '08 / ', '08 / 3', 'abc', '1220', '12203', '2030', '20300'])
    assert.equal(expiryDigits(text), text);
});

test('no more digits than a date has, and no February for the 2 of a year', () => {
  for (const [text, digits] of [['08301', '0830'], ['083012', '0830'], ['020', '20'], ['02 / 0', '20']])
    assert.equal(expiryDigits(text), digits, text);
});

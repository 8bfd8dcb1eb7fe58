import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { rulesOf } = await load('field/style-rules');
const PROPERTIES =
  'color fontFamily fontSize fontSmoothing fontStyle fontVariant fontWeight letterSpacing textAlign textDecoration textShadow textTransform'.split(
    ' ',
  );

test('four variants, twelve properties, four states', () => {
  const text = Object.fromEntries(PROPERTIES.map((name) => [name, 'inherit']));
  const variant = { ...text, ':hover': text, ':focus': text, '::placeholder': text, ':disabled': text };
  const rules = rulesOf({ base: variant, complete: variant, empty: variant, invalid: variant }, false);
  assert.equal(rules.length, 4 * 5);
  for (const { declarations } of rules) assert.equal(declarations.length, 14); // color and fontSmoothing have two names
  // A state of base beats a variant, which has as many classes and comes before it.
  assert.deepEqual(rules.map(({ selector }) => selector).slice(3, 6), ['.i.invalid', '.i:hover', '.i.complete:hover']);
});

test('nothing but the allow-list gets through', () => {
  const style = {
    base: {
      color: 'red',
      background: 'url(//evil)',
      fontFamily: 'x;}*{color:red',
      textShadow: 'url(x)',
      letterSpacing: 'var(--x)',
      ':visited': { color: 'red' },
      fontSize: {},
    },
    hover: { color: 'red' },
    __proto__: { invalid: { color: 'red' } },
  };
  assert.deepEqual(rulesOf(style, false), [
    {
      selector: '.i',
      declarations: [
        ['color', 'red'],
        ['--svcpay-ink', 'red'],
      ],
    },
  ]);
  for (const wrong of [null, 'x', 7, [], { base: 'red' }, { base: { color: 'x'.repeat(201) } }])
    assert.deepEqual(rulesOf(wrong, false), []);
});

test('touch screens keep 16 px', () => {
  assert.deepEqual(rulesOf({ base: { fontSize: '12px' } }, true)[0].declarations, [['font-size', 'max(16px, 12px)']]);
});

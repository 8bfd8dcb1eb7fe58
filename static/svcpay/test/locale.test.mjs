import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { localeOf } = await load('loader/locale');
const { checkKey } = await load('loader/key');

test('the language is the one wanted, the browser’s or the page’s', () => {
  globalThis.document = { documentElement: { lang: 'fr-ca' } };
  assert.equal(localeOf(undefined), 'fr-CA');
  for (const [wanted, locale] of Object.entries({
    en: 'en', 'en-GB': 'en', es: 'es', 'es-MX': 'es', fr: 'fr', 'fr-FR': 'fr', 'FR-CA': 'fr-CA', de: 'en', '': 'en',
    constructor: 'en',
  })) {
    assert.equal(localeOf(wanted), locale, wanted);
  }
  Object.defineProperty(globalThis, 'navigator', {
    value: { languages: ['de-AT', 'es-AR', 'en'] },
    configurable: true,
  });
  assert.equal(localeOf('auto'), 'es');
  globalThis.document.documentElement.lang = 'pt';
  assert.equal(localeOf(undefined), 'en');
});

test('a secret key is refused with what to do about it', () => {
  for (const key of ['sk_sandbox_x', 'sk_production_x', 'rk_sandbox_x']) {
    assert.throws(() => checkKey(key), {
      code: 'invalid_public_key',
      type: 'integration_error',
      message: /secret API key.*Revoke it at once/,
    });
  }
  for (const key of ['', undefined, 7, null]) assert.throws(() => checkKey(key), { code: 'invalid_public_key' });
  checkKey('pk_sandbox_x');
});

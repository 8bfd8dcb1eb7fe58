// Which version has which field type, and what a page gets that pins one.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { createToken, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { getFile } from './support/library.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

const VERSIONS = ['1.1', '1.2', '3.0', '3.2'];

/** The first version with each of the nine field types. */
const SINCE = {
  card: '1.1', cardNumber: '1.1', cardExpiration: '1.1', cardCvc: '1.1', walletB: '1.1', bankaccount: '1.1',
  // An older page makes the field, which then fires walletAIncompatible {reason: "version_unsupported"}.
  walletA: '1.1',
  acssDebit: '3.0', daf: '3.2',
};

for (const version of VERSIONS) {
  test(`${version} has the field types of its time, and the others are refused`, async (t) => {
    const page = await newPage(t);
    await page.goto(site.put(merchantPage({ types: [], version })));
    assert.equal(await page.evaluate(() => window.SvcPay.version), version);
    const outcomes = await page.evaluate((types) => Object.fromEntries(types.map((type) => {
      try {
        return [type, new window.SvcPay('pk', 1).createField(type).type === type ? 'made' : 'another'];
      } catch ({ code, type: kind }) {
        return [type, `${kind} ${code}`];
      }
    })), Object.keys(SINCE));
    const expected = Object.fromEntries(
      Object.entries(SINCE).map(([type, since]) => [
        type,
        version < since ? 'integration_error version_unsupported' : 'made',
      ]),
    );
    assert.deepEqual(outcomes, expected);
  });

  test(`a card becomes a token with ${version}, whose frames are its own`, async (t) => {
    const page = await newPage(t);
    await open(page, site.put(merchantPage({ version })));
    await typeCard(page);
    assert.match((await createToken(page)).token, /^tok_/);
    const paths = page
      .frames()
      .map((frame) => new URL(frame.url()).pathname)
      .filter((path) => path.includes('/frame/'));
    assert.deepEqual(paths.sort(), [`/${version}/frame/controller`, `/${version}/frame/field`]);
  });

  test(`a page can pin ${version} by its hash, and runs nothing else`, async (t) => {
    const { version: patch, path, integrity } = JSON.parse((await getFile(`/${version}/integrity.json`)).text);
    assert.ok(patch.startsWith(`${version}.`) && path === `/${patch}/svcpay.js`);
    const pinned = await getFile(path);
    assert.equal(pinned.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(pinned.text, (await getFile(`/${version}/svcpay.js`)).text);

    const page = await newPage(t);
    await page.goto(site.put('<!doctype html><title>Pinned</title><body>'));
    const load = (src, hash) => page.evaluate(([address, expected]) => new Promise((resolve) => {
      delete window.SvcPay;
      const script = document.createElement('script');
      script.onload = () => resolve(`loaded ${window.SvcPay?.version}`);
      script.onerror = () => resolve(`refused, SvcPay is ${typeof window.SvcPay}`);
      Object.assign(script, { src: address, integrity: expected, crossOrigin: 'anonymous' });
      document.body.append(script);
    }), [src, hash]);
    assert.equal(await load(credentials.pay_url + path, integrity), `loaded ${version}`);
    const wrong = integrity.replace(/-./, (start) => (start === '-A' ? '-B' : '-A'));
    assert.equal(await load(credentials.pay_url + path, wrong), 'refused, SvcPay is undefined');
  });
}

test('no other version, file or address is there', async () => {
  for (const path of [
    '1.0/svcpay.js',
    '2.0/svcpay.js',
    '3.1/svcpay.js',
    '3.3/svcpay.js',
    '3/svcpay.js',
    '3.2.999/svcpay.js',
    '3.2/',
    '3.2/svcpay.js.br',
    '3.2/frame/field.html',
    '3.2/frame/other',
    '3.2.0/frame/field',
    '3.2.0/integrity.json',
    '3.2.0/modal.js',
    'SHA384SUMS',
    'latest/svcpay.js',
    'svcpay.js',
    '3.2/assets/',
    '3.2/%2e%2e/svcpay.js',
  ]) {
    assert.equal((await getFile(`/${path}`)).status, 404, path);
  }
});

// @svcpay/react and @svcpay/js as npm would install them: with React 18 and 19, built by Vite, in StrictMode.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, input } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { startSite } from './support/merchant.mjs';
import { buildApp, compile, makeApps } from './support/react.mjs';

/** React 18 takes as long as React 19, and differs in little: it is left to the long run. */
const versions = process.env.EVERY_LOOK ? ['18', '19'] : ['19'];
const apps = await makeApps(versions);
const site = await startSite();
const newPage = await startBrowser();
const { us, us_q: q, ca } = credentials.merchants;
const provider = { origin: credentials.pay_url, publicKey: credentials.public_key, merchant: us };
const card = { as: 'CardField', on: ['onReady', 'onChange', 'onError'] };

/** The pages with the applications, by React's version. */
const pages = {};
for (const [version, app] of Object.entries(apps)) {
  const script = new URL(site.put(await buildApp(app), { headers: { 'Content-Type': 'text/javascript' } })).pathname;
  const html = `<!doctype html><html lang="en"><title>Shop</title><div id="root"></div>`;
  pages[version] = site.put(`${html}<script type="module" src="${script}"></script>`);
}

/** An open page with an application; `said` are its errors and warnings. */
async function openApp(t, version) {
  const page = await newPage(t);
  page.said = [];
  page.on('console', (message) => /error|warning/.test(message.type()) && page.said.push(message.text()));
  page.on('pageerror', (error) => page.said.push(error.message));
  await page.goto(pages[version]);
  await page.waitForFunction(() => window.show);
  assert.match(await page.evaluate(() => window.reactVersion), new RegExp(`^${version}\\.`));
  return page;
}

const show = (page, fields, more) =>
  page.evaluate((what) => window.show(what), fields && { provider: { ...provider, ...more }, fields });
const seen = (page, handler) =>
  page.evaluate(
    (wanted) => window.seen.filter(([, name]) => name === wanted).map(([id, , event]) => [id, event]),
    handler,
  );
const status = (page, wanted) => page.locator('output').filter({ hasText: wanted }).waitFor();
const ready = (page, ids) =>
  page.waitForFunction(
    (all) => all.every((id) => window.seen.some(([of, name]) => of === id && name === 'onReady')),
    ids,
  );
const createToken = (page, id = 'card') => page.evaluate((of) => window.handles[of].createToken(), id);

async function fillCard(page) {
  const values = { number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' };
  for (const [name, value] of Object.entries(values)) await input(page, name).fill(value);
}

const gone = (page) => page.waitForFunction(() => !document.querySelector('iframe'));

for (const version of versions) {
  test(`React ${version}: a card, typed, unmounted and mounted again in StrictMode`, async (t) => {
    const page = await openApp(t, version);
    for (const time of [1, 2]) {
      await show(page, { card });
      await status(page, 'ready');
      await fillCard(page);
      assert.match((await createToken(page)).token, /^tok_/);
      assert.equal(await page.locator('iframe').count(), 2, 'one field, one controller');
      assert.equal((await seen(page, 'onReady')).length, time);
      await show(page, null);
      await gone(page);
    }
    assert.equal(await page.locator('script[src$="/svcpay.js"]').count(), 1);
    assert.deepEqual(await seen(page, 'onError'), []);
    assert.deepEqual(page.said, []);
  });

  test(`React ${version}: unmounted while a token is made, and before anything has loaded`, async (t) => {
    const page = await openApp(t, version);
    await show(page, { card });
    await page.evaluate(() => window.show(null));
    await gone(page);
    await show(page, { card });
    await status(page, 'ready');
    await fillCard(page);
    await page.route('**/client/tokens', () => {}); // never answered
    const result = await page.evaluate(async () => {
      const waiting = window.handles.card.createToken();
      setTimeout(() => window.show(null), 100);
      return waiting;
    });
    assert.equal(result.error.code, 'field_not_mounted');
    await gone(page);
    assert.deepEqual(await seen(page, 'onError'), []);
    assert.deepEqual(page.said, []);
  });

  test(`React ${version}: properties that change`, async (t) => {
    const page = await openApp(t, version);
    const with_ = (props, more) => show(page, { card: { ...card, props } }, more);
    await with_({ className: 'wide tall', options: { disabled: true } });
    await page.frameLocator('#card iframe').locator('input[name=number]:disabled').waitFor();
    await with_({ className: 'tall narrow', options: {} });
    await page.frameLocator('#card iframe').locator('input[name=number]:enabled').waitFor();
    const classes = await page.locator('#card').evaluate((element) => [...element.classList].sort());
    assert.deepEqual(classes, ['SvcPayField', 'SvcPayField--empty', 'narrow', 'tall']);
    await fillCard(page);
    await with_({ options: { hidePostalCode: true, style: { base: { color: 'rgb(1, 2, 3)' } } } });
    await input(page, 'postal_code').waitFor({ state: 'hidden' });
    assert.equal(await input(page, 'number').inputValue(), '4242 4242 4242 4242', 'what was typed stays');
    const color = () => input(page, 'number').evaluate((element) => getComputedStyle(element).color);
    assert.equal(await color(), 'rgb(1, 2, 3)');
    await with_({ options: { hidePostalCode: true } });
    await page.waitForFunction(() => window.seen.filter(([, name]) => name === 'onReady').length === 2);
    assert.notEqual(await color(), 'rgb(1, 2, 3)', 'an option that is gone has no effect');
    await with_({}, { locale: 'fr' });
    await page.waitForFunction(() => window.seen.filter(([, name]) => name === 'onReady').length === 3);
    assert.equal(await page.locator('iframe').count(), 2);
    const { error } = await createToken(page);
    assert.match(error.message, /carte/);
    assert.deepEqual(page.said, []);
  });

  test(`React ${version}: each type of field, and the hook`, async (t) => {
    const page = await openApp(t, version);
    const on = ['onReady', 'onError'];
    await show(page, {
      number: { as: 'CardNumberField', on },
      expiration: { as: 'CardExpirationField', on },
      cvc: { as: 'CardCvcField', on },
      bank: { as: 'BankAccountField', on },
      daf: { as: 'DafField', on, props: { options: { price: '125.00' } } },
      a: { as: 'WalletAField', on, props: { options: { price: '25.00' } } },
      b: { as: 'WalletBField', on, props: { options: { price: '25.00' } } },
    });
    await ready(page, ['number', 'expiration', 'cvc', 'bank', 'daf', 'a', 'b']);
    const parts = [['number', 'number', VISA], ['expiration', 'expiry', EXPIRY], ['cvc', 'cvc', '123']];
    for (const [id, name, value] of parts) {
      await input(page, name, `#${id}`).fill(value);
    }
    assert.match((await createToken(page, 'cvc')).token, /^tok_/);
    assert.deepEqual((await createToken(page, 'b')).error.code, 'field_not_authorized');
    await show(page, { bank: { as: 'BankAccountField', on: ['onReady'] } }, { merchant: q });
    await page.frameLocator('#bank iframe').getByRole('button').waitFor();
    await show(page, { debit: { as: 'AcssDebitField', on } }, { merchant: ca });
    await ready(page, ['debit']);
    await show(page, { hooked: { as: 'card', props: { options: { hidePostalCode: true } } } });
    await page.locator('section[data-ready=true]').waitFor();
    assert.deepEqual((await createToken(page, 'hooked')).error.code, 'incomplete_number');
    assert.deepEqual(await seen(page, 'onError'), []);
  });

  test(`React ${version}: what goes wrong is reported once, and can be tried again`, async (t) => {
    const page = await openApp(t, version);
    const codes = async () => (await seen(page, 'onError')).map(([, { code }]) => code);
    await page.route('**/svcpay.js', (route) => route.abort());
    await show(page, { card }, { retries: 0 });
    await status(page, 'unavailable');
    assert.deepEqual(await codes(), ['network_error']);
    assert.equal((await createToken(page)).error.code, 'network_error');
    await page.unroute('**/svcpay.js');
    await page.evaluate(() => window.payments.retry());
    await status(page, 'ready');
    await fillCard(page);
    assert.match((await createToken(page)).token, /^tok_/);

    await show(page, { card }, { publicKey: 'pk_sandbox_none' });
    await status(page, 'unavailable');
    assert.deepEqual(await codes(), ['network_error', 'invalid_public_key']);
    await show(page, { debit: { as: 'AcssDebitField', on: ['onError'] } });
    await page.waitForFunction(() => window.seen.filter(([, name]) => name === 'onError').length === 3);
    assert.equal((await codes())[2], 'payment_method_disabled');
  });

  test(`React ${version}: options that were refused can be corrected, before and after the mount`, async (t) => {
    const page = await openApp(t, version);
    const error = (code) => page.locator(`section[data-error=${code}]`).waitFor({ state: 'attached' });
    const with_ = (options) => show(page, { daf: { as: 'daf', props: { options } } });
    const button = page.frameLocator('#daf iframe').getByRole('button');
    await with_({ price: '0.00' });
    await error('invalid_price');
    await with_({ price: '25.00' });
    await page.locator('section[data-ready=true]:not([data-error])').waitFor();
    await with_({ price: '25', disabled: true });
    await error('invalid_price');
    assert.equal(await button.isDisabled(), true, 'the other options apply');
    await with_({ price: '25', disabled: false });
    await page.frameLocator('#daf iframe').locator('button:enabled').waitFor();
    await button.click();
    await error('price_required');
    await with_({ price: '30.00', disabled: false });
    assert.equal(await page.locator('iframe').count(), 2, 'one field, one controller');
  });

  test(`React ${version}: setPrice before the field is there, after other options, once it loads again`, async (t) => {
    const page = await openApp(t, version);
    const asked = [];
    await page.route('**/client/daf', (route) => {
      asked.push(route.request().postDataJSON().amount);
      return route.fulfill({ status: 422, json: { error: { message: 'm', code: 'invalid_amount', type: 't' } } });
    });
    const on = ['onReady', 'onError'];
    const with_ = (options) => show(page, { daf: { as: 'DafField', on, props: { options } } });
    const failures = async (count) => {
      await page.waitForFunction((all) => window.seen.filter(([, name]) => name === 'onError').length === all, count);
      return (await seen(page, 'onError')).map(([, { code }]) => code);
    };
    const open = async () => {
      await page.frameLocator('#daf iframe').locator('button:enabled').click();
      await page.locator('dialog[data-state=failed]').waitFor();
      await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
    };
    await with_({ price: '25.00', disabled: true, customerDetail: { note: 'x' } });
    await page.evaluate(() => window.handles.daf.setPrice('40.00'));
    await ready(page, ['daf']);
    await with_({ price: '25.00', disabled: false, customerDetail: { note: 'x' } });
    await open();
    assert.deepEqual(await failures(1), ['invalid_amount'], 'what goes wrong later is reported, too');
    await with_({ price: '25.00', disabled: false });
    await page.waitForFunction(() => window.seen.filter(([, name]) => name === 'onReady').length === 2);
    await open();
    await with_({ price: '50.00', disabled: false });
    await open();
    assert.deepEqual(asked, [4000, 4000, 5000]);
  });

  test(`React ${version}: an option that is left out takes its default; the field is made ahead`, async (t) => {
    const page = await openApp(t, version);
    const controllers = [];
    page.on('request', (request) => {
      if (request.url().includes('/frame/controller?')) controllers.push(new URL(request.url()).searchParams.get('p'));
    });
    await show(page, { card });
    await status(page, 'ready');
    assert.deepEqual(controllers, ['cc']);
    await page.evaluate(() => {
      const { createField } = window.SvcPay.prototype;
      window.updates = [];
      window.SvcPay.prototype.createField = function (...given) {
        const field = createField.apply(this, given);
        const { updateField } = field;
        field.updateField = (options) => {
          if (Object.keys(options).length) window.updates.push(options);
          updateField.call(field, options);
        };
        return field;
      };
    });
    const detail = { firstName: 'Dana', anonymous: true };
    await show(page, {
      new: { as: 'CardField', props: { options: { submitOnEnter: false, hidePostalCode: true } } },
      daf: { as: 'DafField', on: ['onReady'], props: { options: { customerDetail: detail } } },
    });
    await ready(page, ['daf']);
    await page.evaluate(() => window.updates.splice(0)); // Those of the constructors.
    await show(page, {
      new: { as: 'CardField', props: { options: {} } },
      daf: { as: 'DafField', on: ['onReady'], props: { options: { customerDetail: { firstName: 'Dana' } } } },
    });
    await page.waitForFunction(() => window.updates.length === 2);
    assert.deepEqual(await page.evaluate(() => window.updates), [
      { submitOnEnter: true, hidePostalCode: false },
      { customerDetail: { anonymous: false } },
    ]);
  });

  test(`React ${version}: a script that does not load is reported, and the payer can try again`, async (t) => {
    const page = await openApp(t, version);
    const abort = (route) => route.abort();
    await page.route('**/assets/bankform-*.js', abort);
    await show(page, { bank: { as: 'BankAccountField', on: ['onReady', 'onError', 'onChange'] } });
    await page.locator('#bank [role=alert]').waitFor();
    const codes = async (name, of) => (await seen(page, name)).map(([, event]) => of(event));
    assert.deepEqual(await codes('onError', ({ code }) => code), ['network_error']);
    assert.deepEqual(await codes('onChange', ({ error }) => error.code), ['network_error']);
    await page.unroute('**/assets/bankform-*.js', abort);
    await page.locator('#bank').getByRole('button', { name: 'Try again' }).click();
    await ready(page, ['bank']);

    const second = await openApp(t, version);
    await second.route('**/assets/bankform-*.js', abort);
    await show(second, { hooked: { as: 'bankaccount' } });
    await second.locator('section[data-error=network_error]').waitFor();
    await second.unroute('**/assets/bankform-*.js', abort);
    await second.locator('#hooked').getByRole('button', { name: 'Try again' }).click();
    await second.locator('section[data-ready=true]:not([data-error])').waitFor();
  });

  test(`React ${version}: on a server there is the container, and no window is needed`, () => {
    const printed = execFileSync(process.execPath, ['server.mjs'], { cwd: apps[version], encoding: 'utf8' });
    const { modules, common, names, window, noProvider } = JSON.parse(printed);
    assert.equal(modules, 'loading<div id="card" class="field"></div><div></div>');
    assert.equal(common, modules);
    assert.ok(names);
    assert.equal(window, 'undefined');
    assert.match(noProvider, /SvcPayProvider/);
  });

  test(`React ${version}: the types hold, for modules and for CommonJS`, () => {
    assert.equal(compile(apps[version], ['types.tsx']), '');
    if (!process.env.EVERY_LOOK) return;
    assert.equal(compile(apps[version], ['types.tsx'], { module: 'node16', moduleResolution: 'node16' }), '');
  });
}

test('the examples of the guide and of the package compile', () => {
  const files = ['api/guides/library.md', 'static/svcpay/npm/react/README.md'].flatMap((file, at) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const examples = [...text.matchAll(/```tsx\n([^]*?)```/g)].map(([, code]) => code);
    return examples.map((code, number) => {
      const name = `example-${at}-${number}.tsx`;
      const above = "import { WalletBField } from '@svcpay/react';\nexport const example = ";
      writeFileSync(join(apps[19], name), code.startsWith('import') ? code : above + code);
      return name;
    });
  });
  assert.equal(files.length, 4);
  assert.equal(compile(apps[19], files), '');
});

test('the examples of the gallery compile', () => {
  const source = readFileSync(new URL('../../static/docs/library-react.js', import.meta.url), 'utf8');
  const examples = Object.entries(new Function(`${source}; return REACT;`)());
  const gallery = readFileSync(new URL('../../static/docs/library.js', import.meta.url), 'utf8');
  const names = [...gallery.matchAll(/^ {4}name: '([\w-]+)'/gm)].map(([, name]) => name);
  assert.deepEqual(examples.map(([name]) => name), names);
  const above = `import { useRef, useState } from 'react';
    import {
      AcssDebitField, BankAccountField, CardCvcField, CardExpirationField, CardField, CardNumberField, DafField,
      WalletAField, WalletBField, type BankAccountHandle, type CardHandle,
    } from '@svcpay/react';
    declare function show(value: unknown): void;\n`;
  writeFileSync(join(apps[19], 'gallery.tsx'), above + examples.map(([, code]) => code).join('\n'));
  assert.equal(compile(apps[19], ['gallery.tsx']), '');
});

test('the packages have their license, both module formats with types, and no dependency', () => {
  for (const [name, peers, more] of [['js', undefined, ['svcpay.d.ts']], ['react', ['@svcpay/js', 'react'], []]]) {
    const folder = join(apps[19], 'node_modules/@svcpay', name);
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { dependencies, peerDependencies, ...manifest } = JSON.parse(text);
    assert.equal(dependencies, undefined);
    assert.deepEqual(peerDependencies && Object.keys(peerDependencies), peers);
    assert.equal(manifest.sideEffects, false);
    assert.deepEqual(readdirSync(folder).sort(), [
      'LICENSE', 'NOTICE', 'README.md', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.js', 'package.json', ...more,
    ]);
  }
});

// The options of the card fields, and how a payer moves through them.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, createToken, enter, eventsOf, input, open, typeCard } from './support/card.mjs';
import { axeSource, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

async function openPage(t, options, context) {
  const page = await newPage(t, context);
  await open(page, site.put(merchantPage(options)));
  return page;
}

const css = (locator, property, pseudo) =>
  locator.evaluate((element, [name, part]) => getComputedStyle(element, part)[name], [property, pseudo]);

test('hidePostalCode, a prefilled postal code, disabled, hideBorders', async (t) => {
  const page = await openPage(t, { options: { value: { postalCode: '10001', number: VISA } } });
  const postal = input(page, 'postal_code');
  assert.deepEqual([await postal.inputValue(), await input(page, 'number').inputValue()], ['10001', '']);
  await page.evaluate(() =>
    window.fields.card.updateField({ hidePostalCode: true, disabled: true, hideBorders: true }),
  );
  await postal.waitFor({ state: 'hidden' });
  assert.equal(await input(page, 'number').isDisabled(), true);
  assert.equal(await css(page.frameLocator('#card iframe').locator('form'), 'borderTopWidth'), '0px');
  await page.evaluate(() => window.fields.card.updateField({ disabled: false }));
  await typeCard(page, { zip: '' });
  const result = await createToken(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  assert.ok(!result.billing.address_zip, 'a hidden postal code is not sent');
});

for (const [type, invalid] of [['walletB', '25'], ['daf', '0.00']]) {
  test(`an invalid price of ${type} leaves none, and the other options apply`, async (t) => {
    const page = await openPage(t, { types: [type], options: { price: '25.00' } });
    const thrown = (change) =>
      page.evaluate(([of, options]) => {
        const field = window.fields[of];
        try {
          if (typeof options === 'string') field.setPrice(options);
          else field.updateField(options);
          return '';
        } catch ({ code }) {
          return code;
        }
      }, [type, change]);
    const button =
      type === 'daf'
        ? page.frameLocator('#daf iframe').getByRole('button')
        : page.locator('#walletB button').filter({ visible: true });
    const click = async () => {
      await page.evaluate(() => (window.pay.lastError = null));
      await button.click();
      await page.waitForFunction(() => window.pay.lastError);
      return page.evaluate(() => window.pay.lastError.code);
    };
    assert.equal(await thrown({ price: invalid, disabled: true }), 'invalid_price');
    if (type === 'daf') await page.frameLocator('#daf iframe').locator('button:disabled').waitFor();
    else await page.locator('#walletB .place[inert]').waitFor();
    assert.equal(await thrown({ disabled: false }), '');
    assert.equal(await click(), 'price_required');
    assert.equal(await thrown('30.00'), '');
    assert.equal(await thrown(invalid), 'invalid_price');
    assert.equal(await click(), 'price_required');
    assert.equal(await page.locator('dialog').count(), 0);
  });
}

/** The placeholder of the postal code, once it has the label. */
async function postalCode(page, label) {
  const postal = input(page, 'postal_code');
  await page.frameLocator('#card iframe').getByLabel(label, { exact: true }).waitFor();
  return postal.getAttribute('placeholder');
}

const OPTIONAL = {
  en: ['Postal code (optional)', 'Postal (optional)'],
  es: ['Código postal (opcional)', 'CP (opcional)'],
  fr: ['Code postal (facultatif)', 'CP (facultatif)'],
  'fr-CA': ['Code postal (facultatif)', 'CP (facultatif)'],
};

for (const [locale, [label, placeholder]] of Object.entries(OPTIONAL)) {
  test(`a payer in a country without postal codes leaves it empty: ${locale}`, async (t) => {
    const page = await openPage(t, { instance: { locale }, options: { country: 'HK' } });
    assert.equal(await postalCode(page, label), placeholder);
    await typeCard(page, { zip: '' });
    await page.waitForFunction(() => document.querySelector('.SvcPayField--complete'));
    const result = await createToken(page);
    assert.match(result.token ?? JSON.stringify(result), /^tok_/);
    assert.ok(!result.billing.address_zip);
  });
}

test('the postal code is required again when the payer’s country changes, and checked if there is one', async (t) => {
  const page = await openPage(t, { options: { country: 'IE' } });
  await postalCode(page, OPTIONAL.en[0]);
  await typeCard(page, { zip: '' });
  await page.waitForFunction(() => document.querySelector('.SvcPayField--complete'));
  await page.evaluate(() => window.fields.card.updateField({ country: 'GB' }));
  assert.equal(await postalCode(page, 'Postal code'), 'Postal code');
  await page.waitForFunction(() => !document.querySelector('.SvcPayField--complete'));
  assert.equal((await createToken(page, { address_country: 'IE' })).error.code, 'incomplete_postal_code');
  await page.evaluate(() => window.fields.card.updateField({ country: 'IE' }));
  await input(page, 'postal_code').fill('D');
  assert.equal((await createToken(page)).error.code, 'incomplete_postal_code');
  await input(page, 'postal_code').fill('D02 AF30');
  assert.equal((await createToken(page)).billing.address_zip, 'D02 AF30');
});

test('without the option, the browser’s languages can make the postal code optional', async (t) => {
  const page = await openPage(t, {}, { locale: 'en-HK' });
  assert.equal(await postalCode(page, OPTIONAL.en[0]), OPTIONAL.en[1]);
  await page.evaluate(() => window.fields.card.updateField({ country: 'US' }));
  assert.equal(await postalCode(page, 'ZIP or postal code'), 'ZIP');
});

test('the country of createToken’s billing details counts, too', async (t) => {
  const page = await openPage(t, {}, { locale: 'en-US' });
  await typeCard(page, { zip: '' });
  assert.equal((await createToken(page)).error.code, 'incomplete_postal_code');
  const result = await createToken(page, { address_country: 'AE' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  assert.equal(await postalCode(page, OPTIONAL.en[0]), OPTIONAL.en[1]);
});

test('style: variants, states, and nothing outside the list', async (t) => {
  const style = {
    base: {
      color: 'rgb(1, 2, 3)',
      letterSpacing: '2px',
      fontSize: '20px',
      background: 'red',
      '::placeholder': { color: 'rgb(4, 5, 6)' },
      ':focus': { fontWeight: 700 },
    },
    empty: { fontStyle: 'italic' },
    complete: { color: 'rgb(7, 8, 9)' },
    invalid: { color: 'rgb(10, 11, 12)', textShadow: 'url(https://evil.example)' },
  };
  const page = await openPage(t, { types: ['cardNumber'], options: { style } });
  const number = input(page, 'number', '#cardNumber');
  assert.deepEqual(
    [await css(number, 'fontStyle'), await css(number, 'color', '::placeholder'), await css(number, 'letterSpacing')],
    ['italic', 'rgb(4, 5, 6)', '2px'],
  );
  assert.equal(await css(number, 'backgroundColor'), 'rgba(0, 0, 0, 0)');
  await enter(page, 'number', '#cardNumber');
  await page.keyboard.type('42');
  assert.deepEqual(
    [await css(number, 'color'), await css(number, 'fontWeight'), await css(number, 'fontStyle')],
    ['rgb(1, 2, 3)', '700', 'normal'],
  );
  await number.fill(VISA);
  assert.equal(await css(number, 'color'), 'rgb(7, 8, 9)');
  await number.fill('62');
  assert.deepEqual([await css(number, 'color'), await css(number, 'textShadow')], ['rgb(10, 11, 12)', 'none']);
});

test('what the browser fills in keeps the colors of the options, and those of mistakes', async (t) => {
  const ink = async (page, name) => {
    const frame = page.frames().find((candidate) => candidate.url().includes('/frame/field'));
    const devtools = await page.context().newCDPSession(frame);
    await devtools.send('DOM.enable');
    await devtools.send('CSS.enable');
    const { root } = await devtools.send('DOM.getDocument');
    const { nodeId } = await devtools.send('DOM.querySelector', {
      nodeId: root.nodeId,
      selector: `input[name=${name}]`,
    });
    await devtools.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: ['autofill'] });
    const color = await css(frame.locator(`input[name=${name}]:-webkit-autofill`), 'webkitTextFillColor');
    await devtools.detach();
    return color;
  };
  // a mistake, what is complete, nothing, and where the payer is
  const typed = { expiry: '0120', cvc: '123', postal_code: '', number: '42' };
  const inks = async (options) => {
    const page = await openPage(t, { options });
    for (const [name, text] of Object.entries(typed)) await input(page, name).fill(text);
    return [
      await ink(page, 'expiry'),
      await ink(page, 'cvc'),
      await ink(page, 'postal_code'),
      await ink(page, 'number'),
    ];
  };
  assert.deepEqual(await inks({}), ['rgb(185, 28, 28)', 'rgb(24, 24, 27)', 'rgb(24, 24, 27)', 'rgb(24, 24, 27)']);
  const base = { color: 'rgb(1, 2, 3)', ':focus': { color: 'rgb(4, 5, 6)' } };
  const complete = { color: 'rgb(7, 8, 9)' };
  assert.deepEqual(await inks({ style: { base, complete } }), [
    'rgb(185, 28, 28)',
    'rgb(7, 8, 9)',
    'rgb(1, 2, 3)',
    'rgb(4, 5, 6)',
  ]);
  const invalid = { color: 'rgb(10, 11, 12)' };
  assert.deepEqual(await inks({ style: { base, complete, invalid } }), [
    'rgb(10, 11, 12)',
    'rgb(7, 8, 9)',
    'rgb(1, 2, 3)',
    'rgb(4, 5, 6)',
  ]);
});

test('a touch screen gets 16 px at least, and numeric keys', async (t) => {
  const page = await openPage(
    t,
    { options: { style: { base: { fontSize: '12px' } } } },
    { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } },
  );
  for (const name of ['number', 'expiry', 'cvc', 'postal_code'])
    assert.equal(await css(input(page, name), 'fontSize'), '16px');
  assert.equal(await input(page, 'number').getAttribute('inputmode'), 'numeric');
  assert.equal(await input(page, 'number').getAttribute('autocomplete'), 'cc-number');
});

test('the frame is as high as its content, at any width', async (t) => {
  const page = await openPage(t, {}, { viewport: { width: 1000, height: 600 } });
  const height = () => page.locator('#card iframe').evaluate((frame) => frame.offsetHeight);
  assert.equal(await height(), 46);
  await page.setViewportSize({ width: 360, height: 600 });
  await page.waitForFunction(() => document.querySelector('#card iframe').offsetHeight === 90);
});

test('Tab order, and a label that focuses its field', async (t) => {
  const page = await openPage(t);
  await page.locator('label[for=card]').click();
  await eventsOf(page, 'focus', 1);
  const focused = () => page.frameLocator('#card iframe').locator('input:focus').getAttribute('name');
  const visited = [await focused()];
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press('Tab');
    visited.push(await focused());
  }
  assert.deepEqual(visited, ['number', 'expiry', 'cvc', 'postal_code']);
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => document.activeElement.id === 'after');
  await eventsOf(page, 'blur', 1);
});

test('arrows and Backspace walk through the card as one', async (t) => {
  const page = await openPage(t);
  await typeCard(page, { cvc: '', zip: '' });
  const focused = () => page.frameLocator('#card iframe').locator('input:focus').getAttribute('name');
  assert.equal(await focused(), 'cvc');
  await page.keyboard.press('Backspace');
  assert.equal(await focused(), 'expiry');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'cvc');
});

test('dates are understood as pasted and as filled in', async (t) => {
  const page = await openPage(t);
  const year = `20${EXPIRY.slice(2)}`;
  const expiry = input(page, 'expiry');
  const shown = `08 / ${EXPIRY.slice(2)}`;
  for (const text of [`08/${year}`, `${year}-08`, `8 / ${EXPIRY.slice(2)}`]) {
    await expiry.fill(text);
    assert.equal(await expiry.inputValue(), shown, `filled with ${text}`);
    await expiry.fill('');
    await expiry.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    assert.equal(await expiry.inputValue(), shown, `pasted ${text}`);
  }
  await expiry.fill('');
  await enter(page, 'expiry');
  await page.keyboard.type(`8${EXPIRY.slice(2)}`);
  assert.equal(await expiry.inputValue(), shown, 'typed without the leading zero');
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing in the card frame, ${scheme}`, async (t) => {
    const page = await openPage(t, { dark: scheme === 'dark' }, { colorScheme: scheme });
    const frame = page.frames().find((candidate) => candidate.url().includes('/frame/field'));
    assert.equal(await css(frame.locator(':root'), 'colorScheme'), scheme);
    for (const each of page.frames()) {
      await each.evaluate(axeSource);
      await each.evaluate(() => window.axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] }));
    }
    const violations = async () => {
      await frame.waitForFunction(() => document.getAnimations().length === 0);
      const { violations: found, passes } = await page.evaluate(() =>
        window.axe.run(document, { pingWaitTime: 10_000 }),
      );
      const measured = passes
        .filter(({ id }) => id === 'color-contrast' || id === 'label')
        .filter(({ nodes }) => nodes.some(({ target }) => target.length === 2));
      assert.equal(measured.length, 2, 'contrast and labels were looked at inside the frame');
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
    };
    assert.deepEqual(await violations(), [], 'empty');
    await typeCard(page, { cvc: '12', zip: '' });
    assert.deepEqual(await violations(), [], 'filled');
    await createToken(page);
    assert.deepEqual(await violations(), [], 'with errors');
  });
}

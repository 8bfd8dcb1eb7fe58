// How card fields look and behave in narrow places, with other colors, and after a change of mind.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, enter, eventsOf, input, open, typeCard } from './support/card.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

async function openCard(t, { width, before, ...page } = {}, context) {
  const opened = await newPage(t, context);
  const style = width ? `main { width: ${width}px }` : '';
  await open(opened, site.put(merchantPage({ style, before, ...page })));
  return opened;
}

test('a field has its height from the start, and no digit is cut, at any width', async (t) => {
  const before = `addEventListener('DOMContentLoaded', () => {
    window.heights = new Set();
    const card = document.querySelector('#card');
    new ResizeObserver(() => card.offsetHeight && heights.add(card.offsetHeight)).observe(card);
  });`;
  for (const width of [240, 320, 519, 530, 575, 580, 640]) {
    const page = await openCard(t, { width, before });
    await typeCard(page);
    assert.deepEqual(await page.evaluate(() => [...window.heights]), [width < 576 ? 90 : 46], `${width} px`);
    for (const [country, label] of [['US', 'ZIP or postal code'], ['HK', 'Postal code (optional)']]) {
      await page.evaluate((code) => window.fields.card.updateField({ country: code }), country);
      await page.frameLocator('#card iframe').getByLabel(label, { exact: true }).waitFor();
      for (const name of ['number', 'expiry', 'cvc']) {
        const cut = await input(page, name).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        assert.ok(cut <= 0, `${name} at ${width} px, ${country}: ${cut} px are cut`);
      }
    }
  }
});

test('the focus is visible in forced colors', async (t) => {
  const page = await openCard(t, {}, { forcedColors: 'active' });
  await enter(page, 'number');
  const outline = await page
    .frameLocator('#card iframe')
    .locator('form')
    .evaluate((form) => getComputedStyle(form).outline);
  assert.match(outline, /solid 2px|2px solid/);
});

test('a field follows a page that turns dark', async (t) => {
  const page = await openCard(t);
  const root = page.frameLocator('#card iframe').locator(':root');
  assert.equal(await root.getAttribute('class'), 'light');
  await page.evaluate(() => (document.documentElement.style.colorScheme = 'dark'));
  await page.frameLocator('#card iframe').locator(':root.dark').waitFor();
});

test('what was typed can be undone', async (t) => {
  const page = await openCard(t);
  await enter(page, 'number');
  await page.keyboard.type('42425');
  await page.keyboard.press('Control+z');
  assert.equal(await input(page, 'number').inputValue(), '4242 ');
  for (let times = 0; times < 6; times++) await page.keyboard.press('Control+z');
  assert.equal(await input(page, 'number').inputValue(), '');
});

test('a card that was cleared does not come back by undoing', async (t) => {
  const page = await openCard(t);
  const frame = page.frameLocator('#card iframe').locator(':root');
  for (const clear of [
    () => page.evaluate(() => window.fields.card.clear()),
    () => frame.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))),
  ]) {
    await typeCard(page);
    await clear();
    for (const name of ['number', 'expiry', 'cvc', 'postal_code']) {
      await page.waitForFunction(() => document.querySelector('.SvcPayField--empty'));
      await input(page, name).focus();
      for (let times = 0; times < 3; times++) await page.keyboard.press('Control+z');
      assert.equal(await input(page, name).inputValue(), '', name);
    }
  }
});

test('what base says of a state counts in a variant, too', async (t) => {
  const style = { base: { color: 'black', ':focus': { color: 'rgb(0, 0, 255)' } }, complete: { color: 'green' } };
  const page = await openCard(t, { options: { style } });
  await typeCard(page);
  await enter(page, 'number');
  assert.equal(await input(page, 'number').evaluate((e) => getComputedStyle(e).color), 'rgb(0, 0, 255)');
  assert.equal(await input(page, 'cvc').evaluate((e) => getComputedStyle(e).color), 'rgb(0, 128, 0)');
});

test('a number that is pasted with its date fills both', async (t) => {
  const page = await openCard(t);
  const date = `${EXPIRY.slice(0, 2)}/20${EXPIRY.slice(2)}`;
  for (const text of [`4242 4242 4242 4242 ${date}`, `${VISA},${EXPIRY.slice(0, 2)}/${EXPIRY.slice(2)}`]) {
    await page.evaluate(() => window.fields.card.clear());
    await input(page, 'number').evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    assert.equal(await input(page, 'number').inputValue(), '4242 4242 4242 4242');
    assert.equal(await input(page, 'expiry').inputValue(), `${EXPIRY.slice(0, 2)} / ${EXPIRY.slice(2)}`);
  }
});

test('an expiration date is judged by the service’s clock, not the visitor’s', async (t) => {
  const page = await newPage(t);
  await page.addInitScript(() => {
    const ahead = 20 * 365 * 86_400_000;
    const { now } = Date;
    Date.now = () => now() + ahead;
    window.Date = class extends Date {
      constructor(...given) {
        super(...(given.length ? given : [Date.now()]));
      }
    };
  });
  await open(page, site.put(merchantPage()));
  await typeCard(page);
  assert.deepEqual((await eventsOf(page, 'change', 2)).at(-1), { empty: false, complete: true });
});

test('the agreement of the bank form reads from left to right in every page', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ types: ['bankaccount'] }).replace('<html', '<html dir="rtl"')));
  const agreement = page.locator('.SvcPay__mandate span');
  assert.equal(await agreement.evaluate((element) => getComputedStyle(element).direction), 'ltr');
});

// Cards as people type them: years of four digits, digits of other scripts, input methods; and what is left of a card.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, createToken, enter, eventsOf, input, open, typeCard } from './support/card.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const YEAR = String(new Date().getFullYear() + 4);
const SHOWN = `08 / ${YEAR.slice(2)}`;

async function openPage(t, options) {
  const page = await newPage(t);
  await open(page, site.put(merchantPage(options)));
  return page;
}

const valueOf = (page, name) => input(page, name).inputValue();

for (const typed of [`08/${YEAR}`, `08${YEAR}`, `8/${YEAR}`, `${YEAR}-08`, `${YEAR}08`, `08${YEAR.slice(2)}`])
  test(`an expiration date typed as ${typed.replace(YEAR, 'YYYY')} is understood, key by key`, async (t) => {
    const page = await openPage(t);
    await enter(page, 'expiry');
    await page.keyboard.type(typed);
    assert.equal(await valueOf(page, 'expiry'), SHOWN);
    const errors = (await eventsOf(page, 'change')).filter(({ error }) => error);
    assert.deepEqual(errors, [], 'no key was called a mistake');
    await page.waitForFunction(() => document.activeElement.tagName === 'IFRAME');
    assert.ok(await input(page, 'cvc').evaluate((element) => element === document.activeElement), 'the next input');
  });

for (const filled of [`08${YEAR}`, `${YEAR}08`, `${YEAR}-08`, `08/${YEAR}`])
  test(`a browser may fill in ${filled.replace(YEAR, 'YYYY')}`, async (t) => {
    const page = await openPage(t);
    await input(page, 'expiry').fill(filled);
    assert.equal(await valueOf(page, 'expiry'), SHOWN);
  });

test('a number of 19 digits whose first 16 are valid: the rest is not a date, so it belongs to the number', async (t) => {
  const page = await openPage(t);
  await enter(page, 'number');
  await page.keyboard.type(`${VISA}006${EXPIRY}12394107`);
  assert.equal(await valueOf(page, 'number'), '4242 4242 4242 4242006');
  assert.equal(await valueOf(page, 'expiry'), SHOWN);
  const { token, card, error } = await createToken(page);
  assert.match(token ?? JSON.stringify(error), /^tok_/);
  assert.equal(card.last4, '2006');
});

test('what is typed after 16 digits is a date if it can be one', async (t) => {
  for (const [typed, shown] of [['0238', '02 / 38'], ['238', '02 / 38'], ['9', '09'], ['13', '13']]) {
    const page = await openPage(t);
    await enter(page, 'number');
    await page.keyboard.type(VISA + typed);
    assert.equal(await valueOf(page, 'number'), '4242 4242 4242 4242', typed);
    assert.match(await valueOf(page, 'expiry'), new RegExp(`^${shown}`), typed);
  }
});

const SCRIPTS = { 'full-width': 0xff10, Arabic: 0x660, Persian: 0x6f0, Devanagari: 0x966 };
const inScript = (text, zero) => text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

for (const [script, zero] of Object.entries(SCRIPTS))
  test(`${script} digits are digits, typed and pasted`, async (t) => {
    const page = await openPage(t);
    await enter(page, 'number');
    // One at a time, as a keyboard of that script sends them.
    for (const digit of inScript(VISA, zero)) await page.keyboard.insertText(digit);
    assert.equal(await valueOf(page, 'number'), '4242 4242 4242 4242');
    await input(page, 'cvc').evaluate((element, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', text);
      element.focus();
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, inScript('123', zero));
    assert.equal(await valueOf(page, 'cvc'), '123');
  });

test('what an input method composes is formatted once, at its end', async (t) => {
  const page = await openPage(t);
  await enter(page, 'number');
  const session = await page.context().newCDPSession(page);
  for (const text of ['４', '４２', '４２４', '４２４２４２'])
    await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  await session.send('Input.insertText', { text: '４２４２４２' });
  assert.equal(await valueOf(page, 'number'), '4242 42');
});

test('what is typed while the frame’s body has the focus goes to the first input', async (t) => {
  const page = await openPage(t);
  await page.locator('#card iframe').evaluate((frame) => frame.contentWindow.focus());
  await page.keyboard.type('4242');
  assert.equal((await valueOf(page, 'number')).trim(), '4242');
  assert.equal((await eventsOf(page, 'focus', 1)).length, 1);
});

test('a page that is left keeps no card for those who come back to it', async (t) => {
  const page = await openPage(t);
  await typeCard(page);
  const leaves = () => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  await page.frameLocator('#card iframe').locator(':root').evaluate(leaves);
  for (const name of ['number', 'expiry', 'cvc', 'postal_code']) assert.equal(await valueOf(page, name), '', name);
});

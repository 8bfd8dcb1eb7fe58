// The core of the library in all three engines: Chromium, Firefox, and WebKit, which is Safari's.
import assert from 'node:assert/strict';
import { after, test } from '../support/test.mjs';
import { AMEX, EXPIRY, VISA } from '../support/card.mjs';
import { credentials } from '../support/env.mjs';
import { ENGINES, startEngine } from '../support/engine.mjs';
import { merchantPage, startSite } from '../support/merchant.mjs';

const site = await startSite();
/** A key as WebDriver names it. */
const ENTER = '\uE007';

/** All of a card but its number, as typed. */
const whole = `${EXPIRY}12394107`;
const address = (options) => site.put(merchantPage(options));

const ready = (engine) =>
  engine.until(() => {
    const all = (window.seen ?? []).filter(([, name]) => name === 'ready').length;
    return all > 0 && all === Object.keys(window.fields).length;
  });
const names = (engine) => engine.run(() => window.seen.map(([, name]) => name));
const happened = (engine, name) => engine.until((wanted) => window.seen.some(([, each]) => each === wanted), name);
const complete = (engine) =>
  engine.until(() => window.seen.some(([, name, event]) => name === 'change' && event.complete));
const createToken = (engine, type = 'card') =>
  engine.run(async (of) => {
    const { token, error } = await window.pay.createToken(window.fields[of]);
    return token ?? error.code;
  }, type);
const valueOf = (engine, name, container = '#card') =>
  engine.within([`${container} iframe`], () =>
    engine.run((wanted) => document.querySelector(`input[name=${wanted}]`).value, name));

async function open(engine, options) {
  await engine.goto(address(options));
  await ready(engine);
}

/** Clicks into an input of a field, and types. */
async function typeInto(engine, name, text, container = '#card') {
  await engine.within([`${container} iframe`], async () => {
    await engine.click(`input[name=${name}]`);
    await engine.type(text);
  });
}

/** Clicks, again if a busy browser lost the click, which then never arrived in the page. */
async function clickOnce(engine, selector) {
  await engine.run(() => document.addEventListener('click', () => (window.clicked = true), true));
  await engine.click(selector);
  if (!(await engine.run(() => window.clicked ?? false))) await engine.click(selector);
}

/**
 * Waits for the keyboard to be at an element of a frame, and types `text`. WebKit gives the focus to the frame's body,
 * from where the first key moves it on.
 */
async function typeAt(engine, frame, element, text) {
  await engine.within([`${frame} iframe`], async () => {
    const arrived = (wanted) => document.hasFocus() && document.activeElement?.matches(wanted);
    await engine.until(arrived, engine.name === 'WebKit' ? `${element}, body` : element);
    await engine.type(text);
  });
}

for (const name of Object.keys(ENGINES)) {
  let engine;
  after(() => engine?.close());
  const testIn = (title, tested) =>
    test(`${name}: ${title}`, async () => {
      engine ??= await startEngine(name);
      await tested();
    });

  testIn('a typed card becomes a token, with its events', async () => {
    await open(engine);
    await typeInto(engine, 'number', VISA + whole);
    await complete(engine);
    assert.match(await createToken(engine), /^tok_/);
    await engine.click('#after');
    await happened(engine, 'blur');
    await happened(engine, 'cardbrand');
    const seen = await names(engine);
    const order = ['ready', 'focus', 'change'].map((event) => seen.indexOf(event));
    assert.deepEqual(order, order.toSorted((a, b) => a - b), `${seen}`);
    const brand = await engine.run(() => window.seen.find(([, event]) => event === 'cardbrand')[2].brand);
    assert.equal(brand, 'visa');
  });

  testIn('separate fields become a token', async () => {
    await open(engine, { types: ['cardNumber', 'cardExpiration', 'cardCvc'] });
    await typeInto(engine, 'number', AMEX, '#cardNumber');
    await typeInto(engine, 'expiry', EXPIRY, '#cardExpiration');
    await typeInto(engine, 'cvc', '1234', '#cardCvc');
    assert.match(await createToken(engine, 'cardCvc'), /^tok_/);
  });

  testIn('the first click on a label of a new page leads typing into the number', async () => {
    for (let time = 0; time < 3; time++) {
      await open(engine);
      await clickOnce(engine, 'label[for=card]');
      await typeAt(engine, '#card', 'input[name=number]', VISA);
      assert.equal(await valueOf(engine, 'number'), '4242 4242 4242 4242');
      assert.deepEqual((await names(engine)).filter((name) => name === 'blur'), []);
    }
  });

  testIn('field.focus() leads the keyboard into each kind of frame', async () => {
    for (const [type, element] of [['card', 'input[name=number]'], ['cardCvc', 'input[name=cvc]'], ['daf', 'button']]) {
      await open(engine, { types: [type], options: { price: '125.00' } });
      await engine.run((of) => {
        document.querySelector('#after').onclick = () => window.fields[of].focus();
      }, type);
      await clickOnce(engine, '#after');
      await typeAt(engine, `#${type}`, element, type === 'daf' ? ENTER : '12');
      if (type === 'daf') await engine.within(['dialog iframe'], () => engine.until(() => document.body));
      else assert.equal(await valueOf(engine, element.slice(11, -1), `#${type}`), '12');
      await happened(engine, 'focus');
    }
  });

  testIn("a label of the bank form leads typing into its frame's number", async () => {
    await open(engine, { types: ['bankaccount'] });
    const at = '#bankaccount [data-field=routing_number]';
    await clickOnce(engine, `${at} label`);
    await typeAt(engine, at, 'input', '110000000');
    assert.equal((await valueOf(engine, 'routing_number', at)).replaceAll(' ', ''), '110000000');
  });

  testIn('a modal opens, closes, and gives the page back', async () => {
    await open(engine, { types: ['daf'], options: { price: '125.00' } });
    await engine.within(['#daf iframe'], () => engine.click('button'));
    await engine.within(['dialog iframe'], async () => {
      await engine.until(() => document.readyState === 'complete' && document.querySelector('input, button'));
      await engine.run(() => {
        const escape = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
        setTimeout(() => document.dispatchEvent(escape), 500); // later: the frame goes away
      });
    });
    await happened(engine, 'dafCanceled');
    const shown = () =>
      [...document.querySelectorAll('*')].some(({ shadowRoot }) => shadowRoot?.querySelector('dialog'));
    assert.equal(await engine.run(shown), false);
    await engine.click('#after');
    assert.equal(await engine.run(() => document.activeElement.localName), 'button');
  });

  testIn("a wallet's sheet pays", async () => {
    await open(engine, { types: ['walletB'], options: { price: '25.00' } });
    await engine.run(() => window.fields.walletB.focus());
    await engine.type(ENTER);
    await engine.within(['dialog iframe'], async () => {
      await engine.click('input[type=radio]');
      await engine.until(() => document.querySelector('button.pay:enabled'));
      await engine.run(() => void setTimeout(() => document.querySelector('button.pay').click(), 500)); // the same
    });
    await happened(engine, 'walletBAuthorized');
    assert.match(await createToken(engine, 'walletB'), /^tok_/);
  });

  testIn('the window for a bank account opens in Canada', async () => {
    await open(engine, { types: ['acssDebit'], merchant: credentials.merchants.ca });
    await engine.within(['#acssDebit iframe'], () => engine.click('button'));
    await engine.within(['dialog iframe'], () => engine.until(() => document.querySelector('input')));
  });

  testIn('back brings an empty form that works', async () => {
    await open(engine);
    await typeInto(engine, 'number', VISA + whole);
    await complete(engine);
    await engine.goto(site.put('<!doctype html><title>Elsewhere</title><p>Elsewhere'));
    await engine.back();
    await ready(engine);
    await engine.within(['#card iframe'], () => engine.until(() => document.querySelector('input[name=number]')));
    assert.deepEqual([await valueOf(engine, 'number'), await valueOf(engine, 'cvc')], ['', '']);
    for (const input of ['number', 'expiry', 'cvc']) {
      await engine.within(['#card iframe'], () =>
        engine.run((of) => {
          const undo = new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true });
          document.querySelector(`input[name=${of}]`).dispatchEvent(undo);
        }, input));
      assert.equal(await valueOf(engine, input), '', `${input} after Ctrl+Z`);
    }
    await typeInto(engine, 'number', VISA + whole);
    await engine.until(() => window.pay.createToken(window.fields.card).then(({ token }) => token));
  });
}

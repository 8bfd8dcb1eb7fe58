// What the merchant's page, and any other page, cannot do: see card data, join, embed.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { createToken, enter, input, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { SPY } from './support/spy.mjs';

const site = await startSite();
// The shop's name leads to this site, so that the tests have pages on an origin that a key allows.
const shop = new URL(credentials.shop_url);
const newPage = await startBrowser({
  whole: true,
  flags: [`--host-resolver-rules=MAP ${shop.hostname} 127.0.0.1:${site.port}`],
});

/** A card without repetition, so that a run of its digits can only come from it. */
const NUMBER = '3566002020360505';
const fieldFrame = (page) => page.frames().find((frame) => frame.url().includes('/frame/field'));

/** Records what leaves the page's own document (not its frames). */
function requestsOf(page) {
  const sent = [];
  page.on('request', (request) => {
    if (request.frame() === page.mainFrame()) sent.push(`${request.url()} ${request.postData() ?? ''}`);
  });
  return sent;
}

const digitsIn = (texts) => texts.some((text) => text.replace(/\D/g, '').includes(NUMBER.slice(0, 7)));

for (const type of ['card', 'bankaccount', 'walletB', 'daf']) {
  test(`a policy that names a nonce and no origin of scripts is enough: ${type}`, async (t) => {
    const page = await newPage(t);
    const pay = new URL(credentials.pay_url).origin;
    const policy = `default-src 'none'; script-src 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}`;
    const options = ['walletB', 'daf'].includes(type) ? { price: '25.00' } : {};
    await open(
      page,
      site.put(merchantPage({ types: [type], nonce: 'x', options }), {
        headers: { 'Content-Security-Policy': policy },
      }),
    );
    if (type !== 'daf') return;
    await page.frameLocator('#daf iframe').getByRole('button').click();
    await page.locator('dialog[data-state=open]').waitFor();
  });
}

for (const type of ['bankaccount', 'walletB']) {
  test(`a policy that blocks our scripts is named: ${type}`, async (t) => {
    const page = await newPage(t);
    const pay = new URL(credentials.pay_url).origin;
    const policy = `default-src 'none'; script-src ${pay}/3.2/svcpay.js 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}`;
    const html = merchantPage({ types: [type], nonce: 'x' }).replace('svcpay.js" nonce="x"', 'svcpay.js"');
    await page.goto(site.put(html, { headers: { 'Content-Security-Policy': policy } }));
    await page.waitForFunction(() => window.pay.lastError);
    const { code, message } = await page.evaluate(() => window.pay.lastError);
    assert.equal(code, 'script_blocked');
    assert.match(message, /Content-Security-Policy/);
    await page.locator(`#${type} [role=alert]`).waitFor();
  });
}

test('a policy that only reports, or concerns something else, blocks no script', async (t) => {
  const page = await newPage(t);
  const pay = new URL(credentials.pay_url).origin;
  await page.route('**/assets/walletB-*.js', async (route) => {
    await page.evaluate((image) => (new Image().src = image), `${pay}/favicon.ico`);
    await route.abort();
  });
  await page.goto(
    site.put(merchantPage({ types: ['walletB'] }), {
      headers: {
        'Content-Security-Policy': "img-src 'none'",
        'Content-Security-Policy-Report-Only': "script-src 'none'",
      },
    }),
  );
  await page.waitForFunction(() => window.pay.lastError);
  assert.equal(await page.evaluate(() => window.pay.lastError.code), 'network_error');
});

for (const types of [['card'], ['cardNumber', 'cardExpiration', 'cardCvc']]) {
  test(`no digit of the number reaches the page: ${types}`, async (t) => {
    const page = await newPage(t);
    const sent = requestsOf(page);
    await open(page, site.put(merchantPage({ types, before: SPY })));
    if (types.length === 1) {
      await typeCard(page, { number: NUMBER });
    } else {
      await enter(page, 'number', '#cardNumber');
      await page.keyboard.type(NUMBER);
    }
    const result = await createToken(page, { first_name: 'Dana' });
    assert.ok(types.length > 1 ? result.error : result.token, JSON.stringify(result));
    await page.evaluate((kept) => (window.kept = kept), result);
    assert.deepEqual(await page.evaluate((number) => window.spy.leaks(number), NUMBER), []);
    assert.ok(!digitsIn(sent) && !digitsIn(site.log.map(JSON.stringify)));
    const { port, global } = await page.evaluate(() => window.spy.counts());
    assert.ok(port > 8 && global > 20, `the spy saw the port (${port}) and the globals (${global})`);
  });
}

test('a page that takes the number itself is caught in every channel', async (t) => {
  const page = await newPage(t);
  const sent = requestsOf(page);
  await open(page, site.put(merchantPage({ before: SPY })));
  await page.evaluate(() =>
    document.querySelector('main').append(Object.assign(document.createElement('input'), { id: 'own' })),
  );
  const caught = () => page.evaluate((number) => window.spy.leaks(number), NUMBER);
  await page.locator('#own').focus();
  await page.keyboard.type(NUMBER);
  assert.deepEqual(await caught(), ['input', 'key']);
  await page.evaluate(() => {
    const typed = document.querySelector('#own').value;
    window.leaked = { deep: new Map([[1, [typed]]]) };
  });
  assert.deepEqual(await caught(), ['global', 'input', 'key']);
  await page.evaluate(() => window.postMessage({ card: window.leaked.deep.get(1)[0] }, window.origin));
  assert.deepEqual(await caught(), ['global', 'input', 'key', 'message']);
  await page.evaluate(() =>
    new MessageChannel().port1.postMessage(window.leaked.deep.get(1)[0].match(/.{4}/g).join(' ')),
  );
  assert.deepEqual(await caught(), ['global', 'input', 'key', 'message', 'port']);
  assert.ok(!digitsIn(sent));
  await page.evaluate(() => fetch('/collect', { method: 'POST', body: window.leaked.deep.get(1)[0] }));
  assert.deepEqual(await caught(), ['global', 'input', 'key', 'message', 'port', 'request']);
  assert.ok(digitsIn(sent) && digitsIn(site.log.map(JSON.stringify)));
});

/** Posts a window message with a port to a frame of the page; true when the port then answers a call. */
async function answers(page, index, message, call) {
  return page.evaluate(
    ([at, data, name, origin]) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(true);
        window[at].postMessage(data, origin, [port2]);
        port1.postMessage({ name, call: 1, body: {} });
        setTimeout(() => resolve(false), 400);
      }),
    [index, message, call, new URL(credentials.pay_url).origin],
  );
}

const HELLO = 'svcpay:hello';
const JOIN = 'svcpay:join';

test('a second init and a forged join get no answer; the field still works', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage()));
  await typeCard(page);
  const [field, controller] = [0, 1]; // in the order in which they began to load
  const attempts = [controller, field].flatMap((index) =>
    ['init', 'session', 'token', 'collect', 'hello'].flatMap((call) =>
      [HELLO, JOIN].map((message) => [index, message, call]),
    ),
  );
  const answered = await Promise.all(attempts.map((attempt) => answers(page, ...attempt)));
  assert.deepEqual(attempts.filter((_, at) => answered[at]), []);
  // The same messages are answered where they are due, so the silence above is a refusal.
  await page.evaluate((src) => new Promise((resolve) => {
    const frame = Object.assign(document.createElement('iframe'), { src, onload: resolve });
    document.body.append(frame);
  }), fieldFrame(page).url());
  assert.equal(await answers(page, 2, HELLO, 'init'), true, 'a first init');
  const { now, without, ...joined } = await fieldFrame(page).evaluate(
    (join) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data.body);
        window.parent[1].postMessage(join, window.origin, [port2]);
        port1.postMessage({ name: 'hello', call: 1 });
      }),
    JOIN,
  );
  assert.ok(Math.abs(now - Date.now()) < 10_000);
  assert.ok(without.includes('HK') && !without.includes('US'), 'the countries without postal codes');
  assert.deepEqual(joined, { country: 'US', brand: 'visa', locale: 'en', words: {} });
});

test('the port of a page answers no question for card data', async (t) => {
  const page = await newPage(t);
  // The page keeps the ports that the library makes, as a script ahead of it could.
  const before = `window.ports = []; window.MessageChannel = class extends MessageChannel { constructor() { super(); ports.push(this.port1); } };`;
  await open(page, site.put(merchantPage({ before })));
  await typeCard(page, { number: NUMBER });
  const replies = await page.evaluate(async () => {
    const heard = [];
    for (const port of window.ports) port.addEventListener('message', ({ data }) => heard.push(data));
    for (const port of window.ports)
      for (const name of ['collect', 'values', 'part', 'hello', 'focus']) port.postMessage({ name, call: 99 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    return heard;
  });
  assert.ok(replies.some(({ reply }) => reply === 99), 'focus, which a page may ask for, was answered');
  assert.ok(!digitsIn(replies.map((reply) => JSON.stringify(reply))));
});

test('another site in the page can neither read the frames nor join', async (t) => {
  const page = await newPage(t);
  const attack = `<script>
    const origin = ${JSON.stringify(new URL(credentials.pay_url).origin)};
    const report = (text) => parent.postMessage(text, '*');
    for (let at = 0; at < parent.length; at++) {
      try { report('read ' + parent[at].svcpayController + parent[at].document.title); } catch {}
      for (const data of ${JSON.stringify([HELLO, JOIN])}) for (const name of ['init', 'hello', 'session', 'collect']) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => report('answered ' + data + name);
        try { parent[at].postMessage(data, origin, [port2]); } catch {}
        port1.postMessage({ name, call: 1, body: {} });
      }
    }
    setTimeout(() => report('done'), 500);
  </script>`;
  await open(page, site.put(merchantPage()));
  const evil = site.put(attack, { host: 'evil' });
  const untaken = fieldFrame(page).url();
  const reports = await page.evaluate(async ([frame, attacker]) => {
    const embed = (src) =>
      new Promise((onload) => document.body.append(Object.assign(document.createElement('iframe'), { src, onload })));
    await embed(frame); // a frame that has not had its hello yet, which only the page may say
    const heard = [];
    const done = new Promise((resolve) =>
      addEventListener('message', ({ data }) => (heard.push(data), data === 'done' && resolve())),
    );
    await Promise.all([embed(attacker), done]);
    return heard;
  }, [untaken, evil]);
  assert.deepEqual(reports, ['read undefined', 'done'], 'itself is all that it can read');
});

test('a foreign origin cannot embed the frames of a bound key', async (t) => {
  const key = credentials.public_key_restricted;
  const foreign = await newPage(t);
  await foreign.goto(site.put(merchantPage({ key }), { host: 'evil' }));
  assert.equal(await foreign.evaluate(() => window.started), false);
  assert.equal(await foreign.evaluate(() => window.pay.lastError.code), 'frame_blocked');
  assert.equal(await foreign.locator('#card iframe').count(), 0);

  const allowed = await newPage(t);
  await open(allowed, shop.origin + new URL(site.put(merchantPage({ key }))).pathname);
  await typeCard(allowed);
  assert.match((await createToken(allowed)).token, /^tok_/);
});

test('a page under a strict nonce policy works without one violation', async (t) => {
  const page = await newPage(t);
  const pay = new URL(credentials.pay_url).origin;
  const policy = `default-src 'none'; script-src ${pay} 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}; connect-src 'self'; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`;
  const before = `window.violations = []; document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));`;
  const complaints = [];
  page.on(
    'console',
    (message) => /Content.Security.Policy|Trusted/i.test(message.text()) && complaints.push(message.text()),
  );
  const style = { base: { color: 'rgb(1, 2, 3)' } };
  await open(
    page,
    site.put(merchantPage({ nonce: 'x', before, options: { style } }), {
      headers: { 'Content-Security-Policy': policy },
    }),
  );
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
  assert.equal(await input(page, 'number').evaluate((element) => getComputedStyle(element).color), 'rgb(1, 2, 3)');
  assert.deepEqual([await page.evaluate(() => window.violations), complaints], [[], []]);
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  await page.waitForFunction(() => window.violations.length === 1);
});

for (const types of [['card'], ['cardNumber', 'cardExpiration', 'cardCvc'], ['daf']]) {
  test(`the strictest policy that lets the pay origin in is enough: ${types}`, async (t) => {
    const page = await newPage(t);
    const pay = new URL(credentials.pay_url).origin;
    const policy = `default-src 'none'; script-src ${pay} 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}; connect-src 'self'`;
    const before = `window.violations = []; document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));`;
    const instance = { swipe: types[0] !== 'daf', locale: 'fr' };
    const body = '<button type="button" id="swipe">Swipe</button>';
    await open(
      page,
      site.put(
        merchantPage({
          types,
          nonce: 'x',
          before,
          instance,
          body,
          options: types[0] === 'daf' ? { price: '25.00' } : { style: { base: { color: 'red' } } },
        }),
        { headers: { 'Content-Security-Policy': policy } },
      ),
    );
    if (types[0] === 'daf') {
      await page.frameLocator('#daf iframe').getByRole('button').click();
      await page.locator('dialog[data-state=open]').waitFor();
    }
    await page.evaluate(() => window.pay.destroy());
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });
}

test('a page that requires Trusted Types names one policy, whatever is loaded', async (t) => {
  const page = await newPage(t);
  const refusals = [];
  page.on(
    'console',
    (message) => /Content.Security.Policy|Trusted/i.test(message.text()) && refusals.push(message.text()),
  );
  const policy = "require-trusted-types-for 'script'; trusted-types svcpay";
  // The wallet's part, and from there its script.
  await open(
    page,
    site.put(merchantPage({ types: ['walletB'], options: { price: '25.00' } }), {
      headers: { 'Content-Security-Policy': policy },
    }),
  );
  await page.getByRole('button', { name: 'Pay with Wallet B' }).waitFor();
  await page.evaluate(async ([key, merchant]) => {
    const other = new window.SvcPay(key, merchant);
    const daf = other.createField('daf', { price: '25.00' });
    document.body.append(Object.assign(document.createElement('div'), { id: 'daf' }));
    await other.canMakePayments();
    daf.mount('#daf');
  }, [credentials.public_key, credentials.merchants.us]);
  await page.frameLocator('#daf iframe').getByRole('button').click();
  await page.locator('dialog[data-state=open]').waitFor();
  assert.deepEqual(refusals, []);
  const plain = await page.evaluate(() => {
    try {
      return (document.createElement('script').src = '/x.js');
    } catch (refused) {
      return refused.name;
    }
  });
  assert.equal(plain, 'TypeError', 'they are required');
});

test('a page that isolates itself (COEP, COOP) works', async (t) => {
  const page = await newPage(t);
  const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' };
  await open(page, site.put(merchantPage(), { headers }));
  assert.equal(await page.evaluate(() => window.crossOriginIsolated), true);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('nothing is stored, and the frames are sandboxed', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage()));
  await typeCard(page);
  await createToken(page);
  assert.deepEqual(await page.context().cookies(), []);
  for (const frame of page.frames()) {
    const kept = await frame.evaluate(() => {
      try {
        return localStorage.length + sessionStorage.length;
      } catch {
        return 0; // a browser that denies storage to embedded frames
      }
    });
    assert.equal(kept, 0, frame.url());
  }
  const sandboxes = await page
    .locator('iframe')
    .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('sandbox')));
  assert.deepEqual(sandboxes, Array(2).fill('allow-scripts allow-same-origin allow-forms'));
});

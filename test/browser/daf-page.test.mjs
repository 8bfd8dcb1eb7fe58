// The DAF field next to whatever a page may be: its size, its policy, its neighbors, the version that it loads.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { eventsOf, open } from './support/card.mjs';
import {
  AUTHORIZED, PAGES, button, dialog, endings, leadTo, openModal, press, startDonors,
} from './support/daf.mjs';
import { credentials, looks } from './support/env.mjs';
import { merchantPage } from './support/merchant.mjs';

const { site, newPage, openPage } = await startDonors();

for (const version of ['1.1', '1.2', '3.0']) {
  test(`svcpay.js ${version} has cards and no DAF`, async (t) => {
    const page = await newPage(t);
    await open(page, site.put(merchantPage({ version })));
    const [loaded, code, message] = await page.evaluate(() => {
      try {
        new window.SvcPay('pk', 1).createField('daf');
        return [];
      } catch (error) {
        return [window.SvcPay.version, error.code, error.message];
      }
    });
    assert.deepEqual([loaded, code], [version, 'version_unsupported']);
    assert.ok(message.includes('needs svcpay.js 3.2') && message.includes(version));
  });
}

test('a page that replaces its body under the open modal can be scrolled again', async (t) => {
  const page = await openPage(t);
  await button(page).click();
  await page.locator('dialog[data-state=open]').waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.style.overflow), 'hidden');
  await page.evaluate(() => document.body.replaceWith(document.createElement('body')));
  await page.waitForFunction(() => document.documentElement.style.overflow === '');
});

test('dafQuote is there for the page', async (t) => {
  const page = await openPage(t);
  assert.deepEqual(
    await page.evaluate(() => [window.SvcPay.dafQuote(10000), window.SvcPay.dafQuote(123456, { cover: 'all' })]),
    [10300, 129900],
  );
});

test('whole on a phone, a card in the middle of a screen; the page behind keeps still', async (t) => {
  const page = await openPage(t, {
    style: 'body { height: 3000px } dialog, button { display: none; color: red }',
    context: { reducedMotion: 'reduce' },
  });
  for (const [width, height] of [[390, 844], [320, 500], [1280, 900], [700, 400]]) {
    await page.setViewportSize({ width, height });
    await openModal(page);
    const box = await dialog(page).boundingBox();
    if (width < 560) assert.deepEqual(box, { x: 0, y: 0, width, height });
    else {
      assert.equal(box.width, 480);
      assert.ok(
        Math.abs(box.x + box.width / 2 - width / 2) <= 8 && box.y >= 8 && box.y + box.height <= height - 8,
        JSON.stringify(box),
      );
    }
    await page.mouse.move(2, 2);
    await page.mouse.wheel(0, 400);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  }
});

for (const { width, colorScheme, only } of looks) {
  test(`button and dialog are accessible, ${colorScheme} at ${width} px`, async (t) => {
    const page = await openPage(t, {
      dark: colorScheme === 'dark',
      context: { colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' },
    });
    await accessible(page, 'button', only);
    const states = [];
    await page.route(
      '**/client/daf',
      (route) => new Promise((resolve) => states.push(() => resolve(route.fulfill({ status: 422, json: {} })))),
    );
    await button(page).click();
    await dialog(page).getByRole('status').waitFor();
    await accessible(page, 'loading', only);
    while (!states.length) await page.waitForTimeout(20);
    states[0]();
    await dialog(page).getByRole('alert').waitFor();
    await accessible(page, 'failed', only);
    await page.unroute('**/client/daf');
    await leadTo(page, PAGES);
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await page.locator('dialog[data-state=open]').waitFor();
    await accessible(page, 'open', only);
  });
}

test('a page under a strict nonce policy works without one violation', async (t) => {
  const pay = new URL(credentials.pay_url).origin;
  const policy = `default-src 'none'; script-src ${pay} 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}; connect-src 'self'; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`;
  const before = `window.violations = []; document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));`;
  const page = await openPage(t, { nonce: 'x', before, headers: { 'Content-Security-Policy': policy } });
  await openModal(page);
  assert.equal(await dialog(page).evaluate((element) => getComputedStyle(element).display), 'grid');
  await press(page, 'Continue');
  await eventsOf(page, 'dafAuthorized', 1);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(page.said.filter((text) => /Content.Security.Policy|Trusted/i.test(text)), []);
});

test('a page that isolates itself (COEP, COOP) works', async (t) => {
  const page = await openPage(t, {
    headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' },
  });
  assert.equal(await page.evaluate(() => window.crossOriginIsolated), true);
  await openModal(page);
  await press(page, 'Continue');
  await eventsOf(page, 'dafAuthorized', 1);
});

test('another site in the page can neither hear the modal’s result nor tell one of its own', async (t) => {
  const page = await openPage(t);
  const attack = site.put(
    `<script>
    const heard = [];
    addEventListener('message', ({ data }) => heard.push(data));
    const every = () => {
      for (let at = 0; at < parent.length; at++) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => parent.postMessage('answered', '*');
        const body = ${JSON.stringify(AUTHORIZED)};
        for (const name of ['init', 'daf', 'session']) port1.postMessage({ name, call: 1, body });
        const pay = ${JSON.stringify(new URL(credentials.pay_url).origin)};
        try { parent[at].postMessage('svcpay:hello', pay, [port2]); } catch {}
      }
      const { port1, port2 } = new MessageChannel();
      port1.postMessage({ name: 'daf', body: ${JSON.stringify(AUTHORIZED)} });
      parent.postMessage({ name: 'daf', body: ${JSON.stringify(AUTHORIZED)} }, '*', [port2]);
    };
    setInterval(every, 20);
  </script>`,
    { host: 'evil' },
  );
  await page.evaluate((src) => {
    window.heard = [];
    addEventListener('message', ({ data }) => window.heard.push(data));
    document.body.append(Object.assign(document.createElement('iframe'), { src }));
  }, attack);
  await page.waitForFunction(() => window.heard.length > 5);
  await openModal(page);
  await page.waitForTimeout(300);
  assert.deepEqual(await endings(page), { authorized: [], canceled: [] });
  await press(page, 'Continue');
  await eventsOf(page, 'dafAuthorized', 1);
  assert.ok(!(await page.evaluate(() => window.heard)).includes('answered'));
});

test('the modal’s page talks to the page that embeds it, once', async (t) => {
  const page = await openPage(t);
  await openModal(page);
  const answered = await page.evaluate(
    (origin) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(true);
        const frame = document.body.lastElementChild.shadowRoot.querySelector('iframe');
        frame.contentWindow.postMessage('svcpay:hello', origin, [port2]);
        port1.postMessage({ name: 'init', call: 1 });
        setTimeout(() => resolve(false), 400);
      }),
    new URL(credentials.pay_url).origin,
  );
  assert.equal(answered, false);
});

// A page with every field type, each on an instance of its own, under the strictest policy that lets the pay origin in.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { ACCOUNT, fillBank } from './support/bank.mjs';
import { EXPIRY, VISA, input } from './support/card.mjs';
import { inModal } from './support/daf.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { CANADIAN, openLink, showAccounts, submitAccount } from './support/link.mjs';
import { startSite } from './support/merchant.mjs';
import { openSheet, payAs } from './support/wallet.mjs';

const site = await startSite();
const newPage = await startBrowser({ whole: true });
const { us, us_q: q, ca } = credentials.merchants;
const pay = new URL(credentials.pay_url).origin;

/** The instances of the page: the fields of each with their containers, and whose they are. */
const INSTANCES = {
  card: { merchant: us, fields: { card: 'card' } },
  split: { merchant: us, fields: { number: 'cardNumber', expiration: 'cardExpiration', cvc: 'cardCvc' } },
  walletA: {
    merchant: us,
    fields: { walletA: 'walletA' },
    options: { price: '25.00', label: 'Gift', storeName: 'Pantry' },
  },
  walletB: { merchant: us, fields: { walletB: 'walletB' }, options: { price: '25.00' } },
  bankP: { merchant: us, fields: { bankP: 'bankaccount' } },
  bankQ: { merchant: q, fields: { bankQ: 'bankaccount' } },
  acss: { merchant: ca, fields: { acss: 'acssDebit' } },
  daf: { merchant: us, fields: { daf: 'daf' }, options: { price: '25.00' } },
};

const containers = Object.values(INSTANCES).flatMap(({ fields }) => Object.keys(fields));
const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Donate</title>
<style nonce="x">body { max-width: 30rem; margin: auto; }</style>
<script nonce="x">
  window.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));
</script>
<script nonce="x" src="${pay}/3.2/svcpay.js"></script></head><body>
${containers.map((id) => `<div id="${id}"></div>`).join('\n')}
<script nonce="x">
  const instances = window.instances = {}, told = window.told = [];
  const done = [
  'walletAAuthorized', 'walletBAuthorized', 'achAuthorized', 'acssAuthorized', 'dafAuthorized', 'dafCanceled',
];
  let waiting = ${containers.length};
  window.started = new Promise((resolve) => {
    for (const [name, { merchant, fields, options }] of Object.entries(${JSON.stringify(INSTANCES)})) {
      const pay = new SvcPay(${JSON.stringify(credentials.public_key)}, merchant);
      const made = Object.entries(fields).map(([id, type]) => [id, pay.createField(type, options)]);
      instances[name] = { pay, field: made[0][1] };
      pay.canMakePayments().then(() => {
        for (const [id, field] of made) {
          field.once('ready', () => --waiting || resolve());
          for (const event of done) field.on(event, () => told.push(event));
          field.mount('#' + id);
        }
      });
    }
  });
</script></body></html>`;

const told = (page, event) => page.waitForFunction((name) => window.told.includes(name), event);

/** The token of an instance. */
async function token(page, name) {
  const result = await page.evaluate(
    (which) => window.instances[which].pay.createToken(window.instances[which].field),
    name,
  );
  assert.match(result.token ?? JSON.stringify(result.error), /^tok_/, name);
}

test('every field type makes its token on a page under the strictest policy, without a violation', async (t) => {
  const page = await newPage(t, { viewport: { width: 1280, height: 2000 } });
  const complaints = [];
  page.on(
    'console',
    (message) => /Content.Security.Policy|Trusted/i.test(message.text()) && complaints.push(message.text()),
  );
  const policy = `default-src 'none'; script-src ${pay} 'nonce-x'; style-src 'nonce-x'; frame-src ${pay}; connect-src 'self'; require-trusted-types-for 'script'; trusted-types svcpay`;
  // a domain of the merchant
  await page.goto(site.put(html, { host: 'shop', headers: { 'Content-Security-Policy': policy } }));
  await page.evaluate(() => window.started);

  for (const [name, text] of Object.entries({ number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' }))
    await input(page, name).fill(text);
  await token(page, 'card');
  for (const [name, text, at] of [
    ['number', VISA, '#number'],
    ['expiry', EXPIRY, '#expiration'],
    ['cvc', '123', '#cvc'],
  ])
    await input(page, name, at).fill(text);
  await token(page, 'split');
  for (const wallet of ['A', 'B']) {
    await openSheet(page, wallet);
    await payAs(page, /Dana Reed/);
    await told(page, `wallet${wallet}Authorized`);
    await token(page, `wallet${wallet}`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await fillBank(page, ACCOUNT, '#bankP');
  await token(page, 'bankP');
  await openLink(page, 'bankQ');
  await showAccounts(page);
  await inModal(page).locator('.funds button', { hasText: 'Everyday Checking' }).click();
  await inModal(page).locator('#mandate').check();
  await inModal(page).getByRole('button', { name: 'Authorize' }).click();
  await told(page, 'achAuthorized');
  await token(page, 'bankQ');
  await openLink(page, 'acss');
  await submitAccount(page, CANADIAN);
  await told(page, 'acssAuthorized');
  await token(page, 'acss');
  await openLink(page, 'daf');
  await inModal(page)
    .getByRole('button', { name: /Cancel/ })
    .click();
  await told(page, 'dafCanceled');

  assert.deepEqual([await page.evaluate(() => window.violations), complaints], [[], []]);
  await page.evaluate(() => document.body.setAttribute('style', 'color: red')); // the page does hear of one
  await page.waitForFunction(() => window.violations.length === 1);
});

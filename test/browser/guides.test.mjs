// The examples of the library's guides, each run as it stands, with a payer who goes through it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from './support/test.mjs';
import { api } from './support/api.mjs';
import { ACCOUNT, fillBank } from './support/bank.mjs';
import { EXPIRY, VISA, input } from './support/card.mjs';
import { inModal } from './support/daf.mjs';
import { giveIntegrated } from './support/donor.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { CANADIAN, openLink, showAccounts, submitAccount } from './support/link.mjs';
import { startSite } from './support/merchant.mjs';
import { openSheet, payAs } from './support/wallet.mjs';

const site = await startSite();
const newPage = await startBrowser();
const { us, us_q: q, ca } = credentials.merchants;

/** The examples of a guide, with what they have fields of. */
const examplesOf = (guide) => {
  const text = readFileSync(new URL(`../../api/guides/${guide}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/```html\n([^]*?)```/g)].map(([, html], at) => ({
    name: `example ${at + 1} of ${guide}.md`,
    html,
    types: [...html.matchAll(/createField\('(\w+)'/g)].map(([, type]) => type),
  }));
};
const library = examplesOf('library');

/** An example with the reader's own origin, key and merchants in the place of the guide's. */
const MINE = {
  'https://pay.example.com': credentials.pay_url,
  'http://pay.localhost:8080': credentials.pay_url,
  PUBLIC_KEY: `'${credentials.public_key}'`,
  MERCHANT_ID: us,
  pk_sandbox_example: credentials.public_key,
  1042: us,
  1043: q,
  1044: ca,
};
const mine = (html) => Object.entries(MINE).reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), html);

const fill = async (page, values) => {
  for (const [name, text, container] of values) await input(page, name, container).fill(text);
};
const donate = (page) => page.getByRole('button', { name: 'Donate', exact: true }).click();

async function payByWallet(page, wallet) {
  await openSheet(page, wallet);
  await payAs(page, /Dana Reed/);
}

/** What a payer does in the page of an example, by the type of its first field. */
const PAYER = {
  card: async (page, html) => {
    await fill(page, [
      ['number', VISA, '#card'],
      ['expiry', EXPIRY, '#card'],
      ['cvc', '123', '#card'],
      ['postal_code', '94107', '#card'],
    ]);
    if (html.includes('id="donate"')) await donate(page); // a card that is swiped makes its token on its own
  },
  cardNumber: async (page) => {
    await fill(page, [['number', VISA, '#number'], ['expiry', EXPIRY, '#expiration'], ['cvc', '123', '#cvc']]);
    await donate(page);
  },
  walletA: (page) => payByWallet(page, 'A'),
  walletB: (page) => payByWallet(page, 'B'),
  bankaccount: async (page, html) => {
    if (html.includes('achAuthorized')) {
      await openLink(page, 'bank');
      await showAccounts(page);
      await inModal(page).locator('.funds button', { hasText: 'Everyday Checking' }).click();
      await inModal(page).locator('#mandate').check();
      return inModal(page).getByRole('button', { name: 'Authorize' }).click();
    }
    await fillBank(page, ACCOUNT, '#bank');
    await donate(page);
  },
  acssDebit: async (page) => {
    await openLink(page, 'debit');
    await submitAccount(page, CANADIAN);
  },
  daf: (page) => giveIntegrated(page),
};

// As the guide tells to: the page's host is registered.
before(async () => {
  const { body: merchant } = await api(`/api/merchants/${us}`);
  const domains = [...new Set([...merchant.domains, 'merchant.localhost'])];
  assert.equal((await api(`/api/merchants/${us}`, { method: 'PUT', body: { domains } })).status, 200);
});

for (const { name, html, types } of [...library, ...['library-banks', 'first-charge'].flatMap(examplesOf)]) {
  test(`${name}, ${types.join(' and ')}, works as it stands`, async (t) => {
    const page = await newPage(t);
    const said = [];
    page.on('pageerror', (error) => assert.fail(error.message));
    page.on('console', (message) => said.push(message.text()));
    await page.goto(site.put(mine(html)));
    await PAYER[types[0]](page, html);
    const outcome = types[0] === 'daf' ? /workflowSessionId: ws_/ : /\btok_/;
    for (const until = Date.now() + 15_000; !said.some((text) => outcome.test(text)); await page.waitForTimeout(20)) {
      assert.ok(Date.now() < until, `nothing came of it: ${said.join('\n')}`);
    }
  });
}

test('the guide has an example of each field type', () => {
  const types = [
    'acssDebit', 'bankaccount', 'card', 'cardCvc', 'cardExpiration', 'cardNumber', 'daf', 'walletA', 'walletB',
  ];
  assert.deepEqual([...new Set(library.flatMap((example) => example.types))].sort(), types);
  assert.equal(library.filter(({ types: [type] }) => type === 'bankaccount').length, 2, 'the form and the window');
});

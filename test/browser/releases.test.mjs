// Patches of svcpay.js next to each other: a page that pins the first one uses the frames and modals of the newest one,
// and while servers are replaced, the newest loader gets frames of the first patch. All nine field types.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from './support/test.mjs';
import { api } from './support/api.mjs';
import { fillBank } from './support/bank.mjs';
import { EXPIRY, VISA, createToken, enter, eventsOf, open, typeCard } from './support/card.mjs';
import { FUNDS, authorize, chooseFund, signIn } from './support/donor.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { getFile } from './support/library.mjs';
import { CANADIAN, authorized, openLink, submitAccount } from './support/link.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { openSheet, payAs } from './support/wallet.mjs';

const site = await startSite();
// Frames that a test answers for come from no address, and would not be let to one of this machine.
const newPage = await startBrowser({ without: ['LocalNetworkAccessChecks'] });
const { us, ca } = credentials.merchants;

const releasedFile = (path) => readFileSync(new URL(`../../static/svcpay/released/${path}`, import.meta.url), 'utf8');

/** The paths of all published files. */
const published = releasedFile('SHA384SUMS').trim().split('\n').map((line) => line.split('  ')[1]);

before(async () => {
  const { body: merchant } = await api(`/api/merchants/${us}`);
  const domains = [...new Set([...merchant.domains, 'merchant.localhost'])];
  assert.equal((await api(`/api/merchants/${us}`, { method: 'PUT', body: { domains } })).status, 200);
});

const tokenOf = async (page) => {
  const result = await createToken(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
};

async function payByWallet(page, wallet) {
  await openSheet(page, wallet);
  await payAs(page, /Dana Reed/);
  await eventsOf(page, `wallet${wallet}Authorized`, 1);
  await tokenOf(page);
}

/** What a payer does with each field type; `page` has it mounted. */
const FLOWS = [
  { types: ['card'], async pay(page) {
    await typeCard(page);
    await tokenOf(page);
  } },
  { types: ['cardNumber', 'cardExpiration', 'cardCvc'], async pay(page) {
    for (const [container, name, text] of [
      ['#cardNumber', 'number', VISA], ['#cardExpiration', 'expiry', EXPIRY], ['#cardCvc', 'cvc', '123'],
    ]) {
      await enter(page, name, container);
      await page.keyboard.type(text);
    }
    await tokenOf(page);
  } },
  { types: ['bankaccount'], async pay(page) {
    await fillBank(page);
    await tokenOf(page);
  } },
  { types: ['walletA'], options: { price: '25.00' }, pay: (page) => payByWallet(page, 'A') },
  { types: ['walletB'], options: { price: '25.00' }, pay: (page) => payByWallet(page, 'B') },
  { types: ['acssDebit'], merchant: ca, async pay(page) {
    await openLink(page, 'acssDebit');
    await submitAccount(page, CANADIAN);
    await authorized(page, 'acssAuthorized');
    await tokenOf(page);
  } },
  { types: ['daf'], options: { price: '125.00' }, async pay(page) {
    await chooseFund(page, FUNDS.integrated);
    await signIn(page, 'single@fund.example');
    await authorize(page);
    assert.match((await eventsOf(page, 'dafAuthorized', 1))[0].workflowSessionId, /./);
  } },
];

/**
 * Answers for the frames and for the script of modals with the files of a patch, as a server that has it would. Returns
 * the names of those that were asked for.
 */
async function serveFramesOf(page, patch, version) {
  const served = [];
  await page.route(new RegExp(`/${version}/(frame/|modal\\.js)`), async (route) => {
    const { host, hostname, href, pathname } = new URL(route.request().url());
    const url = href.replace(hostname, 'localhost');
    const response = await route.fetch({ url, headers: { ...(await route.request().allHeaders()), host } });
    const name = pathname.slice(`/${version}/`.length);
    served.push(name);
    const headers = response.headers();
    delete headers['content-encoding'];
    const body = releasedFile(`${patch}/${name}${/js$/.test(name) ? '' : '.html'}`);
    await route.fulfill({ status: 200, headers, body });
  });
  return served;
}

for (const { pay, ...fields } of FLOWS) {
  test(`${fields.types}: the first loader with today’s frames, and today’s loader with the first frames`, async (t) => {
    const pinned = await newPage(t);
    await open(pinned, site.put(merchantPage({ ...fields, version: '3.2.0' })));
    await pay(pinned);

    const mixed = await newPage(t);
    const served = await serveFramesOf(mixed, '3.2.0', '3.2');
    await open(mixed, site.put(merchantPage(fields)));
    await pay(mixed);
    assert.ok(served.includes('frame/controller'), served.join());
  });
}

for (const version of ['1.1', '1.2', '3.0']) {
  test(`a card with the first loader of ${version}, and with its first frames`, async (t) => {
    for (const first of [true, false]) {
      const page = await newPage(t);
      if (!first) await serveFramesOf(page, `${version}.0`, version);
      await open(page, site.put(merchantPage({ version: first ? `${version}.0` : version })));
      await typeCard(page);
      await tokenOf(page);
    }
  });
}

test('every published loader and asset is served for good, with the sum under which it was published', async () => {
  const served = published.filter((path) => /\.\d+\/svcpay\.js$|\/assets\//.test(path));
  assert.ok(served.length > 50);
  for (const path of served) {
    const { status, text, headers } = await getFile(`/${path}`);
    assert.ok(status === 200 && text === releasedFile(path), `${path}: ${status}, ${text.length} characters`);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable', path);
  }
});

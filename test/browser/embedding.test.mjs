// Where payment forms work: on pages of a key's origins, inside frames of other sites if the key allows that, and, in
// the sandbox, in a file on a developer's disk.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from './support/test.mjs';
import { EXPIRY, VISA, createToken, open, typeCard } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { getFile } from './support/library.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { open as openPortal, portal, signIn } from './support/portal.mjs';

const site = await startSite();
const newPage = await startBrowser({ whole: true });

/** Makes a public key in the portal. */
async function makeKey(t, origins, { embed = false, domains = false } = {}) {
  const admin = await openPortal(t, '/login');
  await signIn(admin, credentials.users.find(({ role }) => role === 'application_admin'));
  await admin.goto(`${portal}/developers/keys/new?kind=public`);
  await admin.getByLabel('Name').fill(`Pages of ${t.name}`.slice(0, 100));
  await admin.getByLabel('Origins').fill(origins.join('\n'));
  await admin.getByLabel('Also allow merchants’ domains').setChecked(domains);
  await admin.getByLabel('Let any site embed these pages').setChecked(embed);
  await admin.getByRole('button', { name: 'Create key' }).click();
  return (await admin.getByRole('group', { name: 'Key', exact: true }).textContent()).trim();
}

/** The page of a site that embeds another page, and the frame of that one. */
async function embed(page, address, host) {
  const html = `<!doctype html><title>Nonprofit</title><iframe src="${address}" width="700" height="500"></iframe>`;
  await page.goto(site.put(html, { host }));
  const frame = page.frames().find((each) => each.url() === address);
  assert.equal(await frame.evaluate(() => window.started.then((can) => !!can || window.pay.lastError)), true);
  return frame;
}

/** Types a card into a form and makes a token. */
async function pay(frame) {
  const card = frame.frameLocator('#card iframe');
  for (const [name, text] of Object.entries({ number: VISA, expiry: EXPIRY, cvc: '123', postal_code: '94107' })) {
    await card.locator(`input[name=${name}]`).fill(text);
  }
  const result = await createToken(frame);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
}

const ancestors = async (key) =>
  (await getFile(`/3.2/frame/field?k=${key}`)).headers['content-security-policy'].split('frame-ancestors ')[1];

test('a form works inside a frame of any site if its key says so, and only on the key’s own origins', async (t) => {
  const origin = site.origin('merchant');
  const key = await makeKey(t, [origin], { embed: true });
  assert.equal(await ancestors(key), '* file:');
  const page = await newPage(t);
  await pay(await embed(page, site.put(merchantPage({ key })), 'nonprofit'));

  await page.goto(site.put(merchantPage({ key }), { host: 'evil' }));
  assert.equal(await page.evaluate(() => window.started), false);
  assert.equal(await page.evaluate(() => window.pay.lastError.code), 'origin_not_allowed');
  assert.equal(await ancestors(await makeKey(t, [origin])), origin, 'other keys: on their own origins only');
});

test('a wildcard allows pages on all hosts below, and frames within each other', async (t) => {
  const wildcard = `http://*.localhost:${site.port}`;
  const key = await makeKey(t, [wildcard]);
  assert.equal(await ancestors(key), wildcard);
  await pay(await embed(await newPage(t), site.put(merchantPage({ key })), 'nonprofit'));
});

test('a key can allow the domains of the merchant that is paid, and no other page', async (t) => {
  const key = await makeKey(t, [], { domains: true });
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ key }), { host: 'shop' })); // a domain of this merchant
  await typeCard(page);
  const result = await createToken(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);

  for (const [host, merchant] of [['evil', credentials.merchants.us], ['shop', credentials.merchants.ca]]) {
    await page.goto(site.put(merchantPage({ key, merchant }), { host }));
    assert.equal(await page.evaluate(() => window.started), false);
    assert.equal(await page.evaluate(() => window.pay.lastError.code), 'frame_blocked', host);
  }
});

test('a file on a disk can be a payment form in the sandbox', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'svcpay-page-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, 'page.html');
  await writeFile(file, merchantPage());
  const page = await newPage(t);
  await open(page, `file://${file}`);
  await typeCard(page);
  const result = await createToken(page);
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
});

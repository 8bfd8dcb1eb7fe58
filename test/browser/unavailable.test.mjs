// Frames of fields that do not load: they are loaded again, and the payer and the page see an error if that doesn't
// help.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { createToken, eventsOf, open, typeCard } from './support/card.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

const BROKEN = { status: 500, contentType: 'text/html', body: '<!doctype html><title>Broken</title>' };

/** Answers requests for `address` with an error until the function returned is called; how many is in `failed`. */
async function breakDown(page, address, times = Infinity) {
  const state = { failed: 0, heal: () => page.unroute(address) };
  await page.route(address, (route) => {
    if (state.failed === times) return route.continue();
    state.failed++;
    return route.fulfill(BROKEN);
  });
  return state;
}

const lost = (page, container = '#card') => page.locator(`${container} [role=alert]`);

for (const [what, address] of [
  ['page', '**/frame/field?*'],
  ['script', '**/assets/field-*.js'],
]) {
  test(`the ${what} of a card field fails once: the field is loaded again`, async (t) => {
    const page = await newPage(t);
    const broken = await breakDown(page, address, 1);
    await open(page, site.put(merchantPage()));
    assert.equal(broken.failed, 1);
    assert.equal(await page.evaluate(() => history.length), 2, 'about:blank and the page');
    assert.equal(await page.evaluate(() => window.pay.lastError), null);
    assert.equal(await lost(page).count(), 0);
    await typeCard(page);
    assert.match((await createToken(page)).token, /^tok_/);
  });
}

test('a card field that stays away says so, to the page and to the payer, who can try again', async (t) => {
  const page = await newPage(t);
  const broken = await breakDown(page, '**/frame/field?*');
  await page.goto(site.put(merchantPage()));
  await lost(page).waitFor({ timeout: 60_000 });
  const [{ empty, complete, error }] = await eventsOf(page, 'change', 1);
  assert.deepEqual([empty, complete], [true, false]);
  assert.deepEqual([error.code, error.type], ['frame_unavailable', 'api_connection_error']);
  assert.equal(broken.failed, 3);
  assert.equal((await createToken(page)).error.code, 'frame_unavailable');
  assert.equal(await page.evaluate(() => window.pay.lastError.code), 'frame_unavailable');
  assert.match(await page.locator('#card').getAttribute('class'), /SvcPayField--invalid/);
  assert.match(await lost(page).textContent(), /This field didn’t load/);
  await accessible(page, 'with the notice');

  await broken.heal();
  await lost(page).getByRole('button', { name: 'Try again' }).click();
  await eventsOf(page, 'ready', 1);
  assert.equal(await lost(page).count(), 0);
  assert.doesNotMatch(await page.locator('#card').getAttribute('class'), /SvcPayField--invalid/);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('the notice speaks the language of the fields', async (t) => {
  const page = await newPage(t);
  await breakDown(page, '**/frame/field?*');
  await page.goto(site.put(merchantPage({ instance: { locale: 'fr-CA' } })));
  await lost(page).getByRole('button', { name: 'Réessayer' }).waitFor({ timeout: 60_000 });
  const [{ error }] = await eventsOf(page, 'change', 1);
  assert.equal(error.message, 'Ce champ ne s’est pas chargé.');
  assert.equal((await createToken(page)).error.message, error.message);
});

test('unmounting takes the notice away', async (t) => {
  const page = await newPage(t);
  await breakDown(page, '**/frame/field?*');
  await page.goto(site.put(merchantPage()));
  await lost(page).waitFor({ timeout: 60_000 });
  await page.evaluate(() => window.fields.card.unmountField());
  assert.equal(await page.locator('#card').evaluate((card) => card.childElementCount), 0);
});

for (const [type, script, code] of [
  ['bankaccount', '**/assets/bankform-*.js', 'network_error'],
  ['walletA', '**/assets/walletA-*.js', 'network_error'],
  ['walletB', '**/assets/walletB-*.js', 'network_error'],
  ['walletB', '**/sandbox/**/pay.js', 'network_error'],
]) {
  test(`a script of ${type} that does not load, ${script}: the payer can try again`, async (t) => {
    const page = await newPage(t);
    const route = (request) => request.abort();
    await page.route(script, route);
    await page.goto(site.put(merchantPage({ types: [type], options: {}, instance: { locale: 'es' } })));
    const notice = lost(page, `#${type}`);
    await notice.waitFor();
    const [{ empty, complete, error }] = await eventsOf(page, 'change', 1);
    assert.deepEqual([empty, complete, error.code], [true, false, code]);
    assert.match(error.message, /no se cargó/);
    assert.equal((await createToken(page)).error.code, code);
    assert.equal(await page.evaluate(() => window.pay.lastError.code), code);
    assert.equal(await page.locator(`#${type} > *`).count(), 1, 'only the notice');
    await page.unroute(script, route);
    await notice.getByRole('button', { name: 'Reintentar' }).click();
    await eventsOf(page, 'ready', 1);
    assert.equal(await notice.count(), 0);
  });
}

test('a bank form that was unmounted while its script was loading reports nothing', async (t) => {
  const page = await newPage(t);
  let fail;
  const asked = new Promise((resolve) => {
    void page.route('**/assets/bankform-*.js', (route) => {
      fail = () => route.abort();
      resolve();
    });
  });
  await page.goto(site.put(merchantPage({ types: ['bankaccount'] })));
  await asked;
  await page.evaluate(() => window.fields.bankaccount.unmountField());
  const failed = page.waitForEvent('requestfailed');
  await fail();
  await failed;
  await page.waitForTimeout(300); // The library waits 100 ms for a report of the page's policy.
  assert.equal(await page.evaluate(() => window.pay.lastError), null);
  assert.deepEqual(await eventsOf(page, 'change'), []);
});

test('the frame of the controller fails once: it is loaded again', async (t) => {
  const page = await newPage(t);
  const broken = await breakDown(page, '**/frame/controller?*', 1);
  await open(page, site.put(merchantPage()));
  assert.equal(broken.failed, 1);
  assert.equal(await page.evaluate(() => window.pay.lastError), null);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('a session that cannot be had is an error in the payer’s language', async (t) => {
  const page = await newPage(t);
  await page.route('**/client/session', (route) =>
    route.fulfill({ status: 429, headers: { 'Retry-After': '30' }, body: '' }));
  await page.goto(site.put(merchantPage({ instance: { locale: 'fr' } })));
  assert.equal(await page.evaluate(() => window.started), false);
  const { code, message } = await page.evaluate(() => window.pay.lastError);
  assert.equal(code, 'rate_limited');
  assert.doesNotMatch(message, /Too many/);
});

test('the numbers of a bank form that stay away', async (t) => {
  const page = await newPage(t);
  const broken = await breakDown(page, '**/frame/bank?*');
  await page.goto(site.put(merchantPage({ types: ['bankaccount'] })));
  await lost(page, '#bankaccount').waitFor({ timeout: 60_000 });
  assert.equal((await createToken(page)).error.code, 'frame_unavailable');
  await broken.heal();
  await lost(page, '#bankaccount').getByRole('button', { name: 'Try again' }).click();
  await eventsOf(page, 'ready', 1);
  assert.equal(await lost(page, '#bankaccount').count(), 0);
});

test('the button of DAF donations that stays away', async (t) => {
  const page = await newPage(t);
  const broken = await breakDown(page, '**/frame/button?*');
  await page.goto(site.put(merchantPage({ types: ['daf'] })));
  await lost(page, '#daf').waitFor({ timeout: 60_000 });
  const [{ error }] = await eventsOf(page, 'change', 1);
  assert.equal(error.code, 'frame_unavailable');
  await broken.heal();
  await lost(page, '#daf').getByRole('button', { name: 'Try again' }).click();
  await eventsOf(page, 'ready', 1);
});

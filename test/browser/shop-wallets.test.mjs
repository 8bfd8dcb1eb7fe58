// The demo shop's wallets: from the click to a settled charge.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { api, settled } from './support/api.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { button, cancel, inSheet, openSheet, payAs } from './support/wallet.mjs';

const newPage = await startBrowser();

async function visit(t, { query = '', ...context } = {}) {
  const page = await newPage(t, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...context });
  page.refusals = [];
  page.on(
    'console',
    (message) => /Content Security Policy/i.test(message.text()) && page.refusals.push(message.text()),
  );
  await page.goto(credentials.shop_url + query);
  return page;
}

const chargeOf = async (page) => {
  await page.locator('#result[data-state=succeeded]').waitFor();
  const { body } = await api(`/api/charges/${await page.locator('[data-receipt=charge]').textContent()}`);
  return body;
};

for (const [wallet, kind] of [['A', 'wallet_a'], ['B', 'wallet_b']]) {
  test(`wallet ${wallet}: from the click to a settled charge`, async (t) => {
    const page = await visit(t);
    await page.getByText('$100', { exact: true }).click();
    await openSheet(page, wallet);
    assert.match(await inSheet(page).locator('main').textContent(), /\$100\.00/);
    await payAs(page, /Dana Reed/);
    const charge = await chargeOf(page);
    assert.deepEqual([charge.status, charge.amount_captured, charge.payment_method.wallet], ['captured', 10_000, kind]);
    assert.equal(charge.billing.email, 'dana@wallet.example');
    assert.equal(await page.locator('#result-title').textContent(), 'Thank you, Dana!');
    assert.deepEqual(page.refusals, []);
    await settled(charge.id);
  });

  test(`wallet ${wallet}: a declined card, a sheet that is left, and then a gift`, async (t) => {
    const page = await visit(t);
    await openSheet(page, wallet);
    await payAs(page, /Sam Doyle/);
    await page.getByRole('alert').filter({ hasText: 'Your bank declined this card.' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await openSheet(page, wallet);
    await cancel(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await openSheet(page, wallet);
    await payAs(page, /Priya Shah/);
    assert.equal((await chargeOf(page)).payment_method.brand, 'amex');
  });
}

test('where no wallet can pay none is shown', async (t) => {
  const page = await visit(t, { query: '/?sandbox_wallet=incompatible' });
  await page.waitForFunction(() => window.google?.payments && window.ApplePaySession);
  assert.equal(await page.locator('#wallets').isVisible(), false);
});

for (const colorScheme of ['light', 'dark']) {
  test(`both wallets at 390 px, ${colorScheme}`, async (t) => {
    const page = await visit(t, { viewport: { width: 390, height: 800 }, colorScheme });
    for (const wallet of ['A', 'B']) await button(page, wallet).waitFor();
    await accessible(page, 'the form');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
}

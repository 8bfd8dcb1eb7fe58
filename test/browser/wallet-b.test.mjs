// Wallet B from its button to a token, against the sandbox's sheet, which seals real payloads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { eventsOf } from './support/card.mjs';
import { credentials } from './support/env.mjs';
import { button, cancel, createToken, inSheet, lastError, openSheet, payAs, seen, startPayers } from './support/wallet.mjs';

const { site, openPage } = await startPayers('walletB');

/** Opens the sheet, pays, and waits for the page to be told. */
async function authorize(page, who = /Dana Reed/) {
  const { length } = await eventsOf(page, 'walletBAuthorized');
  await openSheet(page);
  await payAs(page, who);
  await eventsOf(page, 'walletBAuthorized', length + 1);
}

test('a payer authorizes, and the payload becomes a token', async (t) => {
  const page = await openPage(t);
  assert.deepEqual(await seen(page), ['walletBReady', 'walletBButtonReady', 'ready']);
  await openSheet(page);
  assert.deepEqual(await eventsOf(page, 'walletBButtonClick', 1), [{}]);
  assert.match(await inSheet(page).locator('main').textContent(), /Pay Riverside Food Bank.*\$25\.00/s);
  await payAs(page, /Dana Reed/);
  assert.deepEqual(await eventsOf(page, 'walletBAuthorized', 1), [{}]);
  assert.equal(await page.getByRole('dialog').count(), 0);
  const result = await createToken(page, { first_name: 'Robin', middle_name: 'Q', phone: 5551234, address_line_1: 'elsewhere' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { brand, last4, wallet, exp_month, exp_year } = result.card;
  assert.deepEqual([brand, last4, wallet, exp_month, exp_year], ['visa', '4242', 'wallet_b', 12, new Date().getFullYear() + 3]);
  // What the wallet supplies comes first; what it does not know is the page's.
  assert.deepEqual(result.billing, {
    first_name: 'Dana', middle_name: 'Q', last_name: 'Reed', address_line_1: '12 Ferry Lane', address_line_2: 'Apt 4', address_city: 'Salem',
    address_state: 'OR', address_zip: '97301', address_country: 'US', email: 'dana@wallet.example', phone: '5551234',
  });
  assert.equal(result.livemode, false);
});

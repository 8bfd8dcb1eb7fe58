// Pre-authorized debits in Canada: the button, the modal in English and French, and the token.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { api } from './support/api.mjs';
import { createToken, eventsOf, open } from './support/card.mjs';
import { inModal } from './support/daf.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { CANADIAN, authorized, linkButton, mistakes, openLink, submitAccount } from './support/link.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { deliver } from './support/wallet.mjs';

const site = await startSite();
const newPage = await startBrowser();

async function openPage(t, { context, headers, ...options } = {}) {
  const page = await newPage(t, context);
  page.said = [];
  page.on('console', (message) => page.said.push(message.text()));
  await open(
    page,
    site.put(merchantPage({ types: ['acssDebit'], merchant: credentials.merchants.ca, ...options }), { headers }),
  );
  return page;
}

test('a payer authorizes, and a token can be made once', async (t) => {
  const page = await openPage(t);
  const early = await createToken(page);
  assert.deepEqual([early.error.code, early.error.type], ['field_not_authorized', 'invalid_request_error']);
  await openLink(page, 'acssDebit');
  const agreement = await inModal(page).locator('#mandate-text').textContent();
  await submitAccount(page, CANADIAN);
  assert.deepEqual(await authorized(page, 'acssAuthorized'), [{}]);
  const result = await createToken(page, { address_zip: 'K1A 0B1', first_name: 'Somebody', country: 'ca' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  const { bank_name, ...account } = result.bank_account;
  assert.ok(bank_name !== undefined);
  assert.deepEqual(account, { last4: '6789', account_type: 'checking', status: 'active' });
  assert.deepEqual(
    result.billing,
    { first_name: 'Léa', last_name: 'Roy', email: 'lea@example.org', address_zip: 'K1A 0B1' },
    'what the payer said comes first',
  );
  const { body: token } = await api(`/api/tokens/${result.token}`);
  const { body: mandate } = await api(`/api/mandates/${token.mandate}`);
  assert.deepEqual(
    [mandate.scheme, mandate.text, mandate.text_version, mandate.user_agent],
    ['acss', agreement, '2026-12', await page.evaluate(() => navigator.userAgent)],
  );
  assert.equal((await createToken(page)).error.code, 'field_not_authorized', 'once only');
});

test('in French by the option and by the browser, the agreement word for word', async (t) => {
  for (const how of [
    { instance: { locale: 'fr-CA' } },
    { instance: { locale: 'auto' }, lang: '', context: { locale: 'fr-CA' } },
  ]) {
    const page = await openPage(t, how);
    assert.equal(await linkButton(page, 'acssDebit').textContent(), 'Payer depuis votre compte');
    await openLink(page, 'acssDebit');
    assert.equal(await inModal(page).locator('html').getAttribute('lang'), 'fr-CA');
    await inModal(page).getByRole('heading', { name: 'Payer depuis votre compte bancaire' }).waitFor();
    const agreement = await inModal(page).locator('#mandate-text').textContent();
    assert.match(agreement, /débit préautorisé/);
    await submitAccount(page, { ...CANADIAN, transit: '1' });
    await inModal(page).getByText('Un numéro de transit compte cinq chiffres.').first().waitFor();
    await submitAccount(page, CANADIAN);
    await authorized(page, 'acssAuthorized');
    const { token } = await createToken(page);
    const { body } = await api(`/api/tokens/${token}`);
    const { body: mandate } = await api(`/api/mandates/${body.mandate}`);
    assert.deepEqual([mandate.text, mandate.text_version], [agreement, '2026-12-fr']);
  }
  const page = await openPage(t, { instance: { locale: 'en' }, context: { locale: 'fr-CA' } });
  assert.equal(
    await linkButton(page, 'acssDebit').textContent(),
    'Pay from your bank account',
    'the option comes first',
  );
});

test('in French the frames’ titles and the dialog itself are French, too', async (t) => {
  const page = await openPage(t, { instance: { locale: 'fr-CA' } });
  assert.equal(await page.locator('#acssDebit iframe').getAttribute('title'), 'Payer depuis votre compte bancaire');
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/client/bank', async (route) => {
    await held;
    return route.fulfill({
      status: 403,
      json: { error: { code: 'payment_method_disabled', message: 'Off.', type: 'invalid_request_error' } },
    });
  }, { times: 1 });
  await linkButton(page, 'acssDebit').click();
  await page.getByRole('status').filter({ hasText: 'Chargement…' }).waitFor();
  assert.equal(await page.locator('dialog').getAttribute('lang'), 'fr-CA');
  release();
  await page.getByRole('alert').filter({ hasText: 'Ce formulaire ne peut pas être ouvert' }).waitFor();
  await page.getByRole('button', { name: 'Réessayer' }).click();
  await page.locator('dialog[data-state=open]').waitFor();
  await page.getByRole('button', { name: 'Fermer' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
});

test('every mistake is named at its input, and what was typed stays, but for the account', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'acssDebit');
  const nothing = Object.fromEntries(Object.keys(CANADIAN).map((name) => [name, '']));
  await submitAccount(page, nothing, { agree: false });
  await inModal(page).getByRole('alert').waitFor();
  assert.deepEqual(await mistakes(page), {
    first_name: 'incomplete_account_holder_name',
    last_name: 'incomplete_account_holder_name',
    email: 'incomplete_email',
    type: 'incomplete_account_type',
    institution: 'incomplete_institution_number',
    transit: 'incomplete_transit_number',
    account: 'incomplete_account_number',
    mandate: 'mandate_not_accepted',
  });
  await submitAccount(page, { ...CANADIAN, institution: '12a', transit: '123456', account: '12', email: 'lea' });
  await inModal(page).locator('[data-code=invalid_email]').waitFor();
  assert.deepEqual(await mistakes(page), {
    email: 'invalid_email',
    institution: 'invalid_institution_number',
    transit: 'invalid_transit_number',
    account: 'invalid_account_number',
  });
  assert.equal(await inModal(page).locator('#first_name').inputValue(), 'Léa');
  assert.equal(await inModal(page).locator('#account').inputValue(), '');
  await submitAccount(page, CANADIAN);
  await authorized(page, 'acssAuthorized');
});

test('whoever leaves has authorized nothing; double clicks authorize once', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'acssDebit');
  await inModal(page).getByRole('button', { name: 'Cancel' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement === document.querySelector('#acssDebit iframe'));
  assert.deepEqual(await eventsOf(page, 'acssAuthorized'), []);
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
  await openLink(page, 'acssDebit');
  await inModal(page).locator('#account').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await openLink(page, 'acssDebit');
  const form = inModal(page);
  const { type, ...texts } = CANADIAN;
  for (const [name, text] of Object.entries(texts)) await form.locator(`[name=${name}]`).fill(text);
  await form.locator('[name=type]').selectOption(type);
  await form.locator('#mandate').check();
  await form.getByRole('button', { name: 'Authorize' }).dblclick();
  assert.equal((await authorized(page, 'acssAuthorized')).length, 1);
  assert.match((await createToken(page)).token, /^tok_/);
});

test('an authorization that is forged is refused, and leaves the true one as it was', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'acssDebit');
  await submitAccount(page, CANADIAN);
  await authorized(page, 'acssAuthorized');
  await page.route('**/client/tokens', (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), authorization: 'ba_forged' } }),
  );
  assert.equal((await createToken(page)).error.code, 'field_not_authorized');
  await page.unroute('**/client/tokens');
  assert.match((await createToken(page)).token, /^tok_/, 'a refusal did not use it up');
});

test('an authorization whose answers are all lost on the way makes its one token the next time', async (t) => {
  const page = await openPage(t);
  await openLink(page, 'acssDebit');
  await submitAccount(page, CANADIAN);
  await authorized(page, 'acssAuthorized');
  const made = [];
  await page.route('**/client/tokens', async (route) => {
    made.push((await (await deliver(route)).json()).token);
    return route.abort('connectionreset');
  });
  assert.equal((await createToken(page)).error.code, 'network_error');
  await page.unroute('**/client/tokens');
  const { token } = await createToken(page);
  assert.deepEqual([made.length, new Set([...made, token]).size], [4, 1], JSON.stringify([...made, token]));
});

test('older versions: 3.0 has it, 1.2 does not; nor do merchants elsewhere', async (t) => {
  const page = await openPage(t, { version: '3.0' });
  await openLink(page, 'acssDebit');
  const old = await newPage(t);
  await old.goto(site.put(merchantPage({ types: [], version: '1.2' })));
  const code = await old.evaluate(() => {
    try {
      window.pay.createField('acssDebit');
    } catch (thrown) {
      return thrown.code;
    }
  });
  assert.equal(code, 'version_unsupported');
  const american = await newPage(t);
  await american.goto(site.put(merchantPage({ types: ['acssDebit'] })));
  await american.evaluate(() => window.started);
  assert.deepEqual(
    [await american.evaluate(() => window.pay.lastError.code), await american.locator('#acssDebit iframe').count()],
    ['payment_method_disabled', 0],
  );
});

test('options: disabled blocks the button; what does not apply is told', async (t) => {
  const page = await openPage(t, { options: { disabled: true, style: {} } });
  assert.equal(await linkButton(page, 'acssDebit').isDisabled(), true);
  assert.ok(page.said.some((text) => /option "style" does not apply/.test(text)));
  await page.evaluate(() => window.fields.acssDebit.updateField({ disabled: false }));
  await openLink(page, 'acssDebit');
});

test('a page under the strictest policy works without a violation', async (t) => {
  const nonce = 'cmFuZG9t';
  const pay = credentials.pay_url;
  const headers = {
    'Content-Security-Policy': `default-src 'none'; script-src ${pay} 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${pay}; connect-src 'self'`,
  };
  const page = await openPage(t, { nonce, headers });
  await openLink(page, 'acssDebit');
  await submitAccount(page, CANADIAN);
  await authorized(page, 'acssAuthorized');
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(page.said.filter((text) => /Content Security Policy/i.test(text)), []);
});

for (const scheme of ['light', 'dark']) {
  test(`axe, the keyboard alone, 390 pixels, ${scheme}`, async (t) => {
    const page = await openPage(t, {
      dark: scheme === 'dark',
      style: scheme === 'dark' ? 'body { background: #18181b; color: #f4f4f5; }' : '',
      context: { colorScheme: scheme, viewport: { width: 390, height: 800 } },
    });
    await page.locator('#acssDebit iframe').focus();
    await linkButton(page, 'acssDebit').press('Enter');
    await page.locator('dialog[data-state=open]').waitFor();
    const form = inModal(page);
    await form.getByRole('button', { name: 'Authorize' }).press('Enter');
    await form.getByRole('alert').waitFor();
    await accessible(page, 'with mistakes');
    assert.ok(await form.locator('html').evaluate((root) => root.scrollWidth <= root.clientWidth));
    await form.locator('#first_name').focus();
    for (const text of Object.values(CANADIAN)) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.deepEqual(await authorized(page, 'acssAuthorized'), [{}]);
  });
}

// The bank form of processor P in a real browser: inputs of the page, frames for the numbers.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { api } from './support/api.mjs';
import { ACCOUNT, control, fillBank, number, shownAt } from './support/bank.mjs';
import { createToken, eventsOf, leave, open } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { keyboardIn } from './support/focus.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';
import { SPY } from './support/spy.mjs';

const site = await startSite();
const newPage = await startBrowser();
const FIELDS = [
  'account_holder_first_name', 'account_holder_last_name', 'email', 'account_type', 'routing_number', 'account_number',
  'mandate',
];

async function openPage(t, { context, headers, ...options } = {}) {
  const page = await newPage(t, context);
  page.said = [];
  page.on('console', (message) => page.said.push(message.text()));
  await open(page, site.put(merchantPage({ types: ['bankaccount'], ...options }), { headers }));
  return page;
}

const wrapper = (page, name) => page.locator(`#bankaccount [data-field=${name}]`);

test('a bank account becomes a token, with the mandate word for word', async (t) => {
  const page = await openPage(t);
  await fillBank(page);
  const result = await createToken(page, { phone: '5035550142', country: 'us' });
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  assert.deepEqual(Object.keys(result).sort(), ['bank_account', 'billing', 'livemode', 'token']);
  const { bank_name, ...account } = result.bank_account;
  assert.ok(bank_name);
  assert.deepEqual(account, { last4: '6789', account_type: 'checking', status: 'active' });
  assert.deepEqual(result.billing, {
    first_name: 'Dana',
    last_name: 'Reed',
    email: 'dana@example.org',
    phone: '5035550142',
  });
  assert.equal(result.livemode, false);
  const { body: token } = await api(`/api/tokens/${result.token}`);
  const { body: mandate } = await api(`/api/mandates/${token.mandate}`);
  assert.equal(mandate.text, await page.locator('#bankaccount [data-field=mandate] label').textContent());
  assert.equal(mandate.user_agent, await page.evaluate(() => navigator.userAgent));
  assert.match(mandate.ip, /^(127\.0\.0\.1|::1)$/);
  assert.equal(mandate.status, 'active');
});

test('a page that takes the controller’s frame away: the numbers, as they were typed, join the next one', async (t) => {
  const page = await openPage(t);
  await fillBank(page);
  await page.locator('iframe[hidden]').evaluate((frame) => frame.remove());
  const result = await createToken(page);
  assert.equal(result.bank_account?.last4, '6789', JSON.stringify(result));
});

test('the numbers never come by in the page', async (t) => {
  const page = await openPage(t, { before: SPY });
  await fillBank(page, { ...ACCOUNT, account: '90817263540' });
  await control(page, 'email').focus();
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(await page.evaluate(() => window.spy.leaks('90817263540')), []);
  assert.deepEqual(await page.evaluate(() => window.spy.leaks('110000000')), []);
  const { port, global } = await page.evaluate(() => window.spy.counts());
  assert.ok(port > 5 && global > 0, 'there was something to look at');
});

test('every event, with the container’s classes', async (t) => {
  const page = await openPage(t);
  const classes = () =>
    page.locator('#bankaccount').evaluate(({ className }) =>
      className
        .split(' ')
        .filter((name) => name.startsWith('SvcPayField'))
        .sort(),
    );
  assert.deepEqual(await classes(), ['SvcPayField', 'SvcPayField--empty']);
  assert.deepEqual(await eventsOf(page, 'ready'), [{}]);
  await control(page, 'account_holder_first_name').focus();
  assert.deepEqual(await eventsOf(page, 'focus', 1), [{}]);
  await fillBank(page);
  await number(page, 'account_number').focus();
  await control(page, 'mandate').focus();
  await page.waitForSelector('#bankaccount.SvcPayField--complete.SvcPayField--focus');
  assert.deepEqual(await eventsOf(page, 'focus'), [{}], 'the form has the focus as one, frames included');
  assert.deepEqual(await eventsOf(page, 'blur'), []);
  await leave(page);
  assert.deepEqual(await eventsOf(page, 'blur', 1), [{}]);
  assert.deepEqual(await classes(), ['SvcPayField', 'SvcPayField--complete']);
  assert.deepEqual(await eventsOf(page, 'change'), [
    { empty: false, complete: false },
    { empty: false, complete: true },
  ]);
  await page.evaluate(() => window.fields.bankaccount.clear());
  await page.waitForSelector('#bankaccount.SvcPayField--empty');
  assert.deepEqual((await eventsOf(page, 'change')).at(-1), { empty: true, complete: false });
});

// What is wrong in each field, and where errors name it.
const WRONG = [
  [{ first: '' }, 'incomplete_account_holder_name', 'billing.first_name', 'account_holder_first_name'],
  [{ last: '' }, 'incomplete_account_holder_name', 'billing.last_name', 'account_holder_last_name'],
  [{ last: '1234' }, 'invalid_account_holder_name', 'billing.last_name', 'account_holder_last_name'],
  [{ email: 'dana' }, 'incomplete_email', 'billing.email', 'email'],
  [{ email: 'dana@@example.org' }, 'invalid_email', 'billing.email', 'email'],
  [{ type: '' }, 'incomplete_account_type', 'bank_account.account_type', 'account_type'],
  [{ routing: '11000' }, 'incomplete_routing_number', 'bank_account.routing_number', 'routing_number'],
  [{ routing: '110000001' }, 'invalid_routing_number', 'bank_account.routing_number', 'routing_number'],
  [{ account: '123' }, 'incomplete_account_number', 'bank_account.account_number', 'account_number'],
  [{ account: '123456789012345678' }, 'invalid_account_number', 'bank_account.account_number', 'account_number'],
  [{ mandate: false }, 'mandate_not_accepted', 'mandate', 'mandate'],
];

test('createToken resolves with the first error in reading order, and every field shows its own', async (t) => {
  const page = await openPage(t);
  const first = await createToken(page);
  assert.deepEqual(first.error, {
    message: 'Enter the first and last name of the account holder.',
    code: 'incomplete_account_holder_name',
    type: 'validation_error',
    field: 'billing.first_name',
    doc_url: `${credentials.pay_url}/docs/errors#incomplete_account_holder_name`,
  });
  for (const name of FIELDS)
    assert.equal(
      await wrapper(page, name).evaluate(({ className }) => className),
      'SvcPay__field SvcPay__field--error',
      name,
    );
  await page.waitForSelector('#bankaccount.SvcPayField--invalid');
  for (const [typed, code, field, place] of WRONG) {
    await fillBank(page, { ...ACCOUNT, ...typed });
    const { error } = await createToken(page);
    assert.deepEqual([error.code, error.type, error.field], [code, 'validation_error', field]);
    assert.equal(await shownAt(page, place), error.message);
    assert.equal(await page.locator('.SvcPay__field--error').count(), 1, code);
    assert.deepEqual((await eventsOf(page, 'change')).at(-1).error, error);
  }
  await control(page, 'account_type').evaluate((select) => (select.options[1].value = 'brokerage'));
  await fillBank(page, { ...ACCOUNT, type: 'brokerage' });
  assert.equal((await createToken(page)).error.code, 'invalid_account_type');
});

test('an error shows while typing only when typing on cannot help, else on leaving', async (t) => {
  const page = await openPage(t);
  const routing = number(page, 'routing_number');
  await routing.click();
  await keyboardIn(routing);
  await page.keyboard.type('11');
  await page.waitForFunction(() => window.seen.some(([, name]) => name === 'change'));
  assert.equal(await shownAt(page, 'routing_number'), '');
  await leave(page);
  await page.waitForSelector('[data-field=routing_number].SvcPay__field--error');
  assert.match(await shownAt(page, 'routing_number'), /incomplete/);
  assert.equal(await routing.getAttribute('aria-invalid'), 'true');
  assert.match(
    await routing.evaluate((input) => document.getElementById(input.getAttribute('aria-describedby')).textContent),
    /incomplete/,
  );
  await routing.fill('99');
  await page.waitForFunction(() =>
    /not valid/.test(document.querySelector('[data-field=routing_number] .svcpay__bank-error').textContent),
  );
  await routing.fill('1100-0000 0');
  await page.waitForSelector('[data-field=routing_number]:not(.SvcPay__field--error)');
  await control(page, 'email').fill('dana@');
  assert.equal(await shownAt(page, 'email'), '');
  await control(page, 'email').blur();
  assert.equal(await shownAt(page, 'email'), 'Your email address is incomplete.');
});

test('what the service refuses is shown at its field until it is changed', async (t) => {
  const page = await openPage(t);
  await fillBank(page, { ...ACCOUNT, email: '.dana@example.org' });
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.field], ['invalid_email', 'billing.email']);
  assert.equal(await shownAt(page, 'email'), error.message);
  await control(page, 'email').fill('dana@example.org');
  assert.equal(await shownAt(page, 'email'), '');
  const codes = [];
  for (const data of [{ country: 'USA' }, { country: 'CA' }, { address_country: 'USA' }, 'text'])
    codes.push((await createToken(page, data)).error);
  assert.deepEqual(codes.map(({ code, field }) => [code, field]), [
    ['invalid_token_data', 'country'],
    ['invalid_token_data', 'country'],
    ['invalid_token_data', 'billing.address_country'],
    ['invalid_token_data', undefined],
  ]);
  assert.match((await createToken(page, { country: 'us' })).token, /^tok_/);
});

test('customizeFields, style and disabled, as options and by updateField', async (t) => {
  const customizeFields = {
    account_holder_first_name: { label: 'Given name', placeholder: 'As on your statement' },
    account_type: { placeholder: 'Which one?' },
    routing_number: { label: 'Bank code', placeholder: '9 digits' },
    account_number: { label: 'Your account' },
  };
  const style = {
    base: { color: 'rgb(1, 2, 3)', '::placeholder': { color: 'rgb(4, 5, 6)' } },
    complete: { color: 'rgb(7, 8, 9)' },
  };
  const page = await openPage(t, { options: { customizeFields, style } });
  const label = (name) => wrapper(page, name).locator('label').textContent();
  assert.deepEqual(await Promise.all(FIELDS.slice(0, 6).map(label)), [
    'Given name', 'Last name of the account holder', 'Email', 'Account type', 'Bank code', 'Your account',
  ]);
  assert.equal(await control(page, 'account_holder_first_name').getAttribute('placeholder'), 'As on your statement');
  assert.equal(await control(page, 'account_type').locator('option').first().textContent(), 'Which one?');
  const routing = number(page, 'routing_number');
  assert.deepEqual(
    [await routing.getAttribute('placeholder'), await routing.getAttribute('aria-label')],
    ['9 digits', 'Bank code'],
  );
  const color = (locator, pseudo) => locator.evaluate((element, part) => getComputedStyle(element, part).color, pseudo);
  for (const input of [control(page, 'account_holder_first_name'), routing])
    assert.deepEqual([await color(input), await color(input, '::placeholder')], ['rgb(1, 2, 3)', 'rgb(4, 5, 6)']);
  await fillBank(page);
  for (const input of [control(page, 'email'), routing]) assert.equal(await color(input), 'rgb(7, 8, 9)');
  await page.evaluate(() =>
    window.fields.bankaccount.updateField({ disabled: true, customizeFields: { email: { label: 'Mail' } } }),
  );
  for (const name of FIELDS.filter((each) => !each.endsWith('number')))
    assert.equal(await control(page, name).isDisabled(), true, name);
  await page.frameLocator('[data-field=account_number] iframe').locator('input:disabled').waitFor();
  assert.deepEqual([await label('email'), await label('routing_number')], ['Mail', 'Bank code'], 'options are merged');
  await page.evaluate(() => window.fields.bankaccount.updateField({ disabled: false }));
  assert.match((await createToken(page)).token, /^tok_/);
});

test('one full-width column; the page’s CSS lays the fields out anew and in another order', async (t) => {
  const boxes = async (page) =>
    Object.fromEntries(
      await page
        .locator('#bankaccount .SvcPay__field')
        .evaluateAll((fields) => fields.map((field) => [field.dataset.field, field.getBoundingClientRect().toJSON()])),
    );
  const plain = await boxes(await openPage(t));
  const width = plain.mandate.width;
  assert.deepEqual(Object.keys(plain), FIELDS);
  for (let at = 1; at < FIELDS.length; at++) {
    assert.ok(plain[FIELDS[at]].top > plain[FIELDS[at - 1]].bottom, `${FIELDS[at]} is below`);
    assert.equal(plain[FIELDS[at]].width, width);
  }
  const style = `#bankaccount { display: flex; flex-wrap: wrap; gap: 20px; }
    .SvcPay__field:nth-child(5), .SvcPay__field:nth-child(6) { order: -1; flex: 1 1 40%; }
    .SvcPay__field:nth-child(3) { order: -2; }`;
  const laid = await boxes(await openPage(t, { style }));
  assert.ok(
    laid.email.bottom < laid.routing_number.top && laid.routing_number.bottom < laid.account_holder_first_name.top,
  );
  assert.equal(laid.routing_number.top, laid.account_number.top);
  assert.equal(laid.account_number.left, laid.routing_number.right + 20);
});

test('the frames look like the page’s own inputs, whatever its style sheet says', async (t) => {
  const style = `input { border: 3px solid rgb(10, 20, 30); border-radius: 0; padding: 4px 21px;
    font: 19px Georgia, serif; color: rgb(90, 20, 120); height: 60px; }
    .SvcPay__field--error input { color: rgb(200, 0, 0); }`;
  const page = await openPage(t, { style });
  const frame = wrapper(page, 'routing_number').locator('iframe');
  assert.deepEqual((await frame.boundingBox()).height, 60);
  const text = () => number(page, 'routing_number').evaluate((input) => {
    const { color, fontFamily, fontSize, paddingLeft } = getComputedStyle(input);
    return [color, fontFamily, fontSize, paddingLeft];
  });
  assert.deepEqual(await text(), ['rgb(90, 20, 120)', 'Georgia, serif', '19px', '24px']);
  assert.equal((await control(page, 'email').boundingBox()).x, (await frame.boundingBox()).x);
  await createToken(page);
  await page.waitForFunction(() => document.querySelectorAll('.SvcPay__field--error').length === 7);
  await number(page, 'routing_number').evaluate((input) => new Promise((done) => {
    const look = () => (getComputedStyle(input).color === 'rgb(200, 0, 0)' ? done() : requestAnimationFrame(look));
    look();
  }));
});

const TONGUES = {
  es: {
    label: 'Tipo de cuenta',
    savings: 'Cuenta de ahorros',
    name: 'Escriba el nombre y los apellidos del titular de la cuenta.',
    routing: 'El número de ruta está incompleto: tiene nueve dígitos.',
    mandate: 'Acepte la autorización para debitar su cuenta.',
  },
  fr: {
    label: 'Type de compte',
    savings: 'Compte d’épargne',
    name: 'Saisissez le prénom et le nom du titulaire du compte.',
    routing: 'Le numéro d’acheminement est incomplet\u00a0: il compte neuf chiffres.',
    mandate: 'Acceptez l’autorisation de débiter votre compte.',
  },
  'fr-CA': {
    label: 'Type de compte',
    savings: 'Compte d’épargne',
    name: 'Entrez le prénom et le nom du titulaire du compte.',
    routing: 'Le numéro d’acheminement est incomplet\u00a0: il compte neuf chiffres.',
    mandate: 'Acceptez l’autorisation de débiter votre compte.',
  },
};

for (const [locale, words] of Object.entries(TONGUES)) {
  test(`the form speaks ${locale}, in the page and in its frames; the agreement is word for word`, async (t) => {
    const page = await openPage(t, {
      instance: { locale },
      options: { customizeFields: { email: { label: 'Mail' } } },
    });
    assert.equal(await wrapper(page, 'account_type').locator('label').textContent(), words.label);
    assert.equal(
      await wrapper(page, 'email').locator('label').textContent(),
      'Mail',
      'the page’s own words come first',
    );
    assert.equal(await control(page, 'account_type').locator('option[value=savings]').textContent(), words.savings);
    assert.equal(
      await number(page, 'routing_number').evaluate((input) => input.ownerDocument.documentElement.lang),
      locale,
    );
    const { error } = await createToken(page);
    assert.equal(error.message, words.name);
    const shown = await Promise.all(
      ['account_holder_first_name', 'routing_number', 'mandate'].map((name) => shownAt(page, name)),
    );
    assert.deepEqual(shown, [words.name, words.routing, words.mandate]);
    assert.equal(await page.locator('#bankaccount [data-field=mandate] [lang=en]').count(), 1);
    await fillBank(page);
    assert.match((await createToken(page)).token, /^tok_/);
  });
}

test('a page under the strictest policy works without a violation', async (t) => {
  const nonce = 'cmFuZG9t';
  const pay = new URL(credentials.pay_url).origin;
  const headers = {
    'Content-Security-Policy': `default-src 'none'; script-src ${pay} 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${pay}; connect-src 'self'`,
  };
  const page = await openPage(t, { nonce, headers });
  await fillBank(page);
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(page.said.filter((text) => /Content Security Policy/i.test(text)), []);
});

test('it can be moved, unmounted, mounted again and destroyed without a trace', async (t) => {
  const page = await openPage(t);
  for (let time = 0; time < 10; time++) {
    assert.equal(
      await page.evaluate(() => (window.fields.bankaccount.unmountField(), window.length)),
      1,
      'the controller stays',
    );
    assert.equal(await page.locator('#bankaccount *').count(), 0);
    await page.evaluate(() => window.fields.bankaccount.mount('#bankaccount'));
  }
  await eventsOf(page, 'ready', 2);
  await fillBank(page);
  assert.match((await createToken(page)).token, /^tok_/);
  await page.evaluate(() => window.pay.destroy());
  assert.deepEqual(
    await page.evaluate(() => [
      window.length,
      document.querySelector('#bankaccount').attributes.length,
      document.adoptedStyleSheets.length,
    ]),
    [0, 2, 1],
  );
  assert.equal((await createToken(page)).error.code, 'not_ready');
});

test('by keyboard alone, from the first input to the mandate', async (t) => {
  const page = await openPage(t);
  await page.locator('h1').evaluate((heading) => ((heading.tabIndex = -1), heading.focus()));
  for (const text of ['Dana', 'Reed', 'dana@example.org', 'Savings', '110000000', '000123456789', ' ']) {
    await page.keyboard.press('Tab');
    await page.waitForFunction(() => document.activeElement !== document.querySelector('h1'));
    await page.keyboard.type(text, { delay: 5 });
  }
  await page.waitForSelector('#bankaccount.SvcPayField--complete');
  const result = await createToken(page);
  assert.equal(result.bank_account?.account_type, 'savings', JSON.stringify(result));
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing, and nothing overflows at 390 pixels, ${scheme}`, async (t) => {
    const page = await openPage(t, {
      dark: scheme === 'dark',
      style: scheme === 'dark' ? 'body { background: #18181b; color: #f4f4f5; }' : '',
      context: { colorScheme: scheme, viewport: { width: 390, height: 800 } },
    });
    await accessible(page, 'empty');
    await createToken(page);
    await accessible(page, 'with errors');
    await fillBank(page);
    await accessible(page, 'filled');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
}

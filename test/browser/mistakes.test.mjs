// Mistakes in a page's code that would otherwise pass without a word.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { open } from './support/card.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();

async function openPage(t, options) {
  const page = await newPage(t);
  page.said = [];
  page.on('console', (message) => page.said.push(message.text()));
  await open(page, site.put(merchantPage(options)));
  return page;
}

test('names that do not exist are reported: options, words of the bank form, events, types', async (t) => {
  const page = await openPage(t, { types: ['card'], options: { placeHolder: 'x' } });
  await page.evaluate(() => {
    window.fields.card.updateField({ hideBorder: true });
    window.fields.card.on('chnage', () => {});
  });
  const bank = await openPage(t, { types: ['bankaccount'], options: { customizeFields: { routing: {}, email: { lable: 'x' } } } });
  const of = (name, where) => `The option "${name}" does not apply to ${where} and is ignored.`;
  for (const [at, text] of [
    [page, of('placeHolder', 'card')], [page, of('hideBorder', 'card')],
    [page, 'The event "chnage" does not exist and is ignored.'], [bank, of('routing', 'customizeFields')],
    [bank, of('lable', 'customizeFields.email')],
  ]) {
    assert.ok(at.said.some((said) => said.includes(text)), `${text}\n${at.said.join('\n')}`);
  }
  const message = await page.evaluate(() => {
    try {
      window.pay.createField('crad');
    } catch (error) {
      return error.message;
    }
  });
  assert.match(message, /^There is no field type "crad"\. Types: card, cardNumber, .*daf\.$/);
});

test('a mount target that is missing is an error; unmountField with another target leaves the field', async (t) => {
  const page = await openPage(t, { types: ['card'] });
  const said = await page.evaluate(() => {
    const { card } = window.fields;
    card.unmountField('#after');
    const stayed = document.querySelectorAll('#card iframe').length;
    card.unmountField('#card');
    const left = document.querySelectorAll('#card iframe').length;
    card.mount('#nowhere');
    const { code, type, doc_url } = window.pay.lastError;
    return { stayed, left, code, type, doc_url };
  });
  const doc_url = `${credentials.pay_url}/docs/errors#mount_target_missing`;
  assert.deepEqual(said, { stayed: 1, left: 0, code: 'mount_target_missing', type: 'integration_error', doc_url });
  await page.goto(doc_url);
  assert.match(page.url(), /\/docs\/guides\/library#mount_target_missing$/);
  assert.equal(await page.locator('#mount_target_missing').textContent(), 'mount_target_missing');
});

test('an error of the service, and one of an input, name their pages', async (t) => {
  const page = await openPage(t, { types: ['card'] });
  const { error } = await page.evaluate(() => window.pay.createToken(window.fields.card));
  assert.equal(error.doc_url, `${credentials.pay_url}/docs/errors#${error.code}`);
  await page.evaluate(() => new window.SvcPay('pk_sandbox_x', 1).canMakePayments().then(() => {}));
  const code = await page.evaluate(async () => {
    const pay = new window.SvcPay('pk_sandbox_x', 1);
    await pay.canMakePayments();
    return pay.lastError;
  });
  assert.equal(code.doc_url, `${credentials.pay_url}/docs/errors#invalid_public_key`);
});

test('an underscore in a locale is a hyphen', async (t) => {
  const page = await openPage(t, { types: ['card'], instance: { locale: 'fr_CA' } });
  assert.equal(await page.frameLocator('#card iframe').locator('html').getAttribute('lang'), 'fr-CA');
});

// The DAF field of svcpay.js in a real browser: the button, the dialog, and whatever page it is led to.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { createToken, eventsOf } from './support/card.mjs';
import { keyboardIn } from './support/focus.mjs';
import {
  AUTHORIZED, PAGES, button, dialog, endings, follow, inModal, leadTo, modalPage, openModal, press, startDonors,
} from './support/daf.mjs';
import { credentials } from './support/env.mjs';
import { merchantPage } from './support/merchant.mjs';

const { site, newPage, openPage } = await startDonors();

const lastError = (page) => page.evaluate(() => window.pay.lastError?.code);
const shown = (page) => page.locator('dialog').evaluateAll((dialogs) => dialogs.map(({ dataset }) => dataset.state));
/** Waits until the focus is back in the button's frame, and the button has it there: what is typed before is lost. */
async function focusReturned(page) {
  await page.waitForFunction(() => document.activeElement === document.querySelector('#daf iframe'));
  await page.frameLocator('#daf iframe').locator('button:focus').waitFor();
}

test('a donor goes through the modal: one event, exactly the reference’s, and the focus is back', async (t) => {
  const page = await openPage(t);
  await openModal(page);
  assert.equal(await dialog(page).getAttribute('aria-label'), 'Donate from a donor-advised fund');
  assert.equal(
    await page.locator('dialog iframe').getAttribute('sandbox'),
    'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
  );
  await page.waitForFunction(() => document.activeElement.shadowRoot?.activeElement?.localName === 'iframe');
  await keyboardIn(inModal(page).locator('input'));
  await press(page, 'Continue');
  assert.deepEqual(await eventsOf(page, 'dafAuthorized', 1), [
    { workflowSessionId: AUTHORIZED.workflowSessionId, amount: 12500, user: AUTHORIZED.user },
  ]);
  assert.deepEqual(await eventsOf(page, 'dafCanceled'), []);
  assert.equal(await page.locator('dialog').count(), 0);
  await focusReturned(page);
  const [{ session, ...request }] = page.asked;
  assert.match(session, /./);
  assert.deepEqual(request, { amount: 12500, customer_detail: {}, scheme: 'light' });
});

test('a page that loses the focus before the donor did anything gets it back at its first field', async (t) => {
  const page = await openPage(t);
  await openModal(page);
  const field = inModal(page).locator('input');
  await inModal(page).locator('input:focus').waitFor();
  const lost = () => field.evaluate((element) => {
    element.blur();
    dispatchEvent(new Event('focus')); // as when the browser told the frame late where the focus was
    return document.activeElement.localName;
  });
  assert.equal(await lost(), 'input');
  await field.press('a');
  assert.equal(await lost(), 'body', 'who has begun chooses for themselves');
});

test('a nonintegrated fund: a grantId and no workflowSessionId; what is empty is an empty text', async (t) => {
  const { workflowSessionId, ...rest } = AUTHORIZED;
  const result = { ...rest, grantId: 'gr_0123456789abcdef', user: { firstName: 'Dana' }, more: workflowSessionId };
  const page = await openPage(t, { pages: { start: modalPage('', result) } });
  await button(page).click();
  assert.deepEqual(await eventsOf(page, 'dafAuthorized', 1), [
    { grantId: 'gr_0123456789abcdef', amount: 12500, user: { firstName: 'Dana', lastName: '', email: '', note: '' } },
  ]);
});

test('every way to cancel, once each, and nothing is authorized afterwards', async (t) => {
  const page = await openPage(t, {
    pages: {
      ...PAGES,
      start: PAGES.start.replace('</main>', '<a href="canceled">Cancel</a></main>'),
      canceled: modalPage('', { outcome: 'canceled' }),
    },
  });
  const ways = {
    'Escape in the page': () => dialog(page).getByRole('button', { name: 'Close' }).press('Escape'),
    '× of the dialog': () => dialog(page).getByRole('button', { name: 'Close' }).click(),
    'Escape in the modal': async () => {
      await inModal(page).locator('input:focus').waitFor();
      void page.keyboard.down('Escape').catch(() => {}); // the frame is gone before the browser confirms the key
    },
    // Not awaited: the frame is gone before the browser confirms the click.
    '× of the modal': () => void inModal(page).getByRole('button', { name: 'Leave' }).click().catch(() => {}),
    'a page that says so': () => follow(page, 'Cancel'),
  };
  let times = 0;
  for (const [way, cancel] of Object.entries(ways)) {
    await openModal(page);
    await cancel();
    assert.deepEqual(await eventsOf(page, 'dafCanceled', ++times), Array(times).fill({}), way);
    assert.equal(await page.locator('dialog').count(), 0, way);
    await focusReturned(page);
  }
  assert.deepEqual(await eventsOf(page, 'dafAuthorized'), []);
});

test('a click beside the dialog keeps it', async (t) => {
  const page = await openPage(t);
  await openModal(page);
  await page.mouse.click(5, 5);
  assert.deepEqual(await shown(page), ['open']);
});

test('a double click opens one modal; what comes twice is told once', async (t) => {
  const page = await openPage(t);
  await button(page).dblclick();
  await page.locator('dialog[data-state=open]').waitFor();
  await page.evaluate(() => window.fields.daf.focus());
  assert.equal(page.asked.length, 1);
  let posts = 0;
  page.on('request', (request) => (posts += request.url().includes('/next')));
  await inModal(page).getByRole('button', { name: 'Continue' }).dblclick();
  assert.equal((await eventsOf(page, 'dafAuthorized', 1)).length, 1);
  assert.equal(posts, 1, 'the page’s form was sent once');
});

test('setPrice: required before the modal opens, checked, rounded up', async (t) => {
  const page = await openPage(t, { options: { price: undefined } });
  await button(page).click();
  await page.waitForFunction(() => window.pay.lastError);
  assert.equal(await lastError(page), 'price_required');
  assert.ok(page.said.some((text) => /daf: setPrice must be called/.test(text)));
  assert.deepEqual([await shown(page), page.asked], [[], []]);
  const codes = await page.evaluate(() =>
    ['25', '1,000.00', '0.00', undefined, 25].map((price) => {
      try {
        window.fields.daf.setPrice(price);
        return 'no error';
      } catch ({ code }) {
        return code;
      }
    }),
  );
  assert.deepEqual(codes, Array(5).fill('invalid_price'));
  await button(page).click();
  assert.deepEqual(await shown(page), [], 'a wrong price is none');
  await page.evaluate(() => window.fields.daf.setPrice('1234.56'));
  assert.ok(page.said.some((text) => /1234\.56 becomes 1235\.00/.test(text)));
  await openModal(page);
  assert.equal(page.asked[0].amount, 123500);
});

test('customerDetail fills the modal in; updateField merges it', async (t) => {
  const page = await openPage(t, {
    options: { customerDetail: { firstName: 'Dana', address: { city: 'Salem' }, nickname: 'D' } },
  });
  await page.evaluate(() =>
    window.fields.daf.updateField({ customerDetail: { note: 'Thanks', address: { state: 'OR' } }, style: {} }),
  );
  assert.ok(page.said.some((text) => /option "style" does not apply/.test(text)));
  await openModal(page);
  assert.deepEqual(page.asked[0].customer_detail, {
    firstName: 'Dana',
    nickname: 'D',
    note: 'Thanks',
    address: { city: 'Salem', state: 'OR' },
  });
  assert.ok(page.said.includes('[SvcPay] customer_detail.nickname is not known'), 'the service’s warnings are told');
});

test('the button: size, name, events, disabled', async (t) => {
  const page = await openPage(t, { style: '#daf { width: 100px }' });
  const box = await page.locator('#daf iframe').boundingBox();
  assert.ok(box.width >= 186 && box.height >= 40, JSON.stringify(box));
  const inside = await button(page).evaluate((element) => element.getBoundingClientRect().toJSON());
  assert.ok(inside.width >= 186 && inside.height >= 40 && inside.height <= box.height, JSON.stringify(inside));
  assert.equal(
    await page
      .frameLocator('#daf iframe')
      .getByRole('button', { name: 'Donate with DAF, your donor-advised fund', exact: true })
      .count(),
    1,
  );
  assert.deepEqual(await eventsOf(page, 'ready'), [{}]);
  await button(page).focus();
  await eventsOf(page, 'focus', 1);
  await page.waitForSelector('#daf.SvcPayField--focus');
  await page.locator('#after').focus();
  await eventsOf(page, 'blur', 1);
  await page.getByText('daf', { exact: true }).click();
  await eventsOf(page, 'focus', 2);
  await page.evaluate(() => window.fields.daf.updateField({ disabled: true }));
  await page.frameLocator('#daf iframe').locator('button:disabled').waitFor();
  await page.evaluate(() => window.fields.daf.updateField({ disabled: false }));
  await openModal(page);
});

test('by keyboard alone', async (t) => {
  const page = await openPage(t);
  await page.keyboard.press('Tab');
  await eventsOf(page, 'focus', 1);
  for (const key of ['Enter', ' ']) {
    await page.keyboard.press(key);
    await page.locator('dialog[data-state=open]').waitFor();
    await inModal(page).locator('input:focus').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.waitForFunction(
      () => document.querySelector('body > div').shadowRoot.activeElement?.ariaLabel === 'Close',
    );
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await focusReturned(page);
  }
  await page.keyboard.press('Enter');
  await inModal(page).locator('input:focus').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventsOf(page, 'dafAuthorized', 1);
});

test('a failure is shown, reported, and tried again', async (t) => {
  const page = await openPage(t);
  const answers = [
    {
      status: 429,
      json: { error: { code: 'rate_limited', type: 'rate_limit_error', message: 'Many requests. Wait a minute.' } },
    },
    {
      status: 422,
      json: {
        error: {
          code: 'payment_method_disabled',
          type: 'invalid_request_error',
          message: 'The merchant’s DAF is off.',
        },
      },
    },
  ];
  await page.route('**/client/daf', (route) => (answers.length ? route.fulfill(answers.shift()) : route.fallback()));
  await button(page).click();
  await dialog(page).getByRole('alert').filter({ hasText: 'Many requests. Wait a minute.' }).waitFor();
  assert.equal(await lastError(page), 'rate_limited');
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await dialog(page).getByRole('alert').filter({ hasText: 'This form cannot be opened right now.' }).waitFor();
  assert.equal(await lastError(page), 'payment_method_disabled');
  assert.ok(page.said.some((text) => text.includes('daf: The merchant’s DAF is off.')));
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await page.locator('dialog[data-state=open]').waitFor();
  assert.equal(await page.locator('dialog iframe').count(), 1);
  assert.deepEqual(await endings(page), { authorized: [], canceled: [] });
});

test('a slow network: loading, which can be left; a late answer opens nothing', async (t) => {
  const page = await openPage(t);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/client/daf', async (route) => (await held, route.fallback()));
  await button(page).click();
  await dialog(page).getByRole('status').filter({ hasText: 'Loading' }).waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await eventsOf(page, 'dafCanceled', 1);
  const answered = page.waitForResponse('**/client/daf');
  release();
  await answered;
  assert.deepEqual(await shown(page), []);
  await openModal(page);
});

test('a first page that does not answer is a failure', async (t) => {
  const page = await openPage(t, { pages: { start: '<!doctype html><title>Silent</title>' } });
  await button(page).click();
  await page.locator('dialog[data-state=failed]').waitFor();
  assert.equal(await lastError(page), 'frame_blocked');
});

test('pages of another host get no port, and that is no failure', async (t) => {
  const foreign = site.put(
    `<!doctype html><title>Fund</title><script>addEventListener('message', ({ data }) => document.title = 'told ' + data)</script>
    <a href="${new URL('/3.2/modal/daf/secret/next', credentials.pay_url)}">Back</a>`,
    { host: 'fund' },
  );
  const page = await openPage(t, {
    pages: { start: modalPage(`<a href="${foreign}">To the fund</a>`), next: PAGES.next },
  });
  await openModal(page);
  await follow(page, 'To the fund');
  await inModal(page).getByText('Back').waitFor();
  await page.waitForTimeout(5_500);
  assert.equal(await page.frames().find((frame) => frame.url() === foreign).title(), 'Fund');
  assert.deepEqual([await shown(page), await lastError(page)], [['open'], undefined]);
  await follow(page, 'Back');
  await eventsOf(page, 'dafAuthorized', 1);
});

for (const end of ['unmountField', 'destroy']) {
  test(`${end} takes the open modal away, without an event`, async (t) => {
    const page = await openPage(t);
    await openModal(page);
    await page.evaluate((name) => (name === 'destroy' ? window.pay : window.fields.daf)[name](), end);
    assert.equal(await page.locator('dialog').count(), 0);
    assert.equal(await page.locator('iframe').count(), end === 'destroy' ? 0 : 1);
    await page.waitForFunction(() => !document.documentElement.style.overflow);
    assert.deepEqual(await endings(page), { authorized: [], canceled: [] });
    assert.equal(page.frames().length, end === 'destroy' ? 1 : 2);
  });
}

test('a page that throws the dialog out can open it again; handlers survive a move', async (t) => {
  const page = await openPage(t);
  await openModal(page);
  await page.evaluate(() => document.body.lastElementChild.remove());
  await page.evaluate(() => {
    window.fields.daf.unmountField();
    window.fields.daf.mount('#daf');
  });
  await eventsOf(page, 'ready', 2);
  await openModal(page);
  await press(page, 'Continue');
  await eventsOf(page, 'dafAuthorized', 1);
});

test('nothing is left of a thousand mounts', async (t) => {
  const page = await openPage(t);
  page.setDefaultTimeout(60_000);
  await page.evaluate(() => {
    for (let time = 0; time < 1000; time++) {
      window.fields.daf.unmountField();
      window.fields.daf.mount('#daf');
    }
  });
  await eventsOf(page, 'ready', 2);
  assert.equal(await page.locator('iframe').count(), 2);
  assert.equal(await page.locator('#daf').evaluate(({ className }) => className), 'SvcPayField');
  await openModal(page);
});

test('an instance is for one payment type, and a DAF donation has no token', async (t) => {
  const page = await openPage(t);
  const codes = await page.evaluate(() => {
    const attempt = (run) => {
      try {
        run();
        return 'no error';
      } catch ({ code, type, message }) {
        return `${type}: ${code}: ${message}`;
      }
    };
    const { SvcPay, pay } = window;
    const cards = new SvcPay('pk', 1);
    return [
      () => pay.createField('card'),
      () => pay.createField('daf'),
      () => (cards.createField('cardNumber'), cards.createField('cardCvc')),
      () => cards.createField('daf'),
    ].map(attempt);
  });
  const conflict =
    'integration_error: payment_type_conflict: Each payment type needs an instance of its own: make another SvcPay for this field.';
  assert.deepEqual(codes, [conflict, 'no error', 'no error', conflict]);
  const { error } = await createToken(page);
  assert.deepEqual([error.code, error.type], ['daf_has_no_token', 'integration_error']);
});

test('a merchant that takes no DAF donations: nothing mounts', async (t) => {
  const page = await newPage(t);
  await leadTo(page, PAGES, { daf: false });
  await page.goto(site.put(merchantPage({ types: ['daf'] })));
  await page.evaluate(() => window.started);
  assert.equal(await lastError(page), 'payment_method_disabled');
  assert.equal(await page.locator('#daf iframe').count(), 0);
});


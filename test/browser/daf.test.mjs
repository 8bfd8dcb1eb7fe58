// A gift from a donor-advised fund, from the demo shop through the modal and the fund's pages to what the API says of
// it afterwards.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { api } from './support/api.mjs';
import { button, dialog, follow, inModal, openModal } from './support/daf.mjs';
import {
  FUNDS, authorize, chooseFund, giveIntegrated, heading, press, resultOf, signIn, visitShop,
} from './support/donor.mjs';
import { credentials, looks, startBrowser } from './support/env.mjs';

const newPage = await startBrowser();
const visit = (t, options) => visitShop(newPage, t, options);
const merchant = credentials.merchants.us;

async function read(id) {
  const { status, body } = await api(`/api/dafDonations/${id}`);
  assert.equal(status, 200);
  return body;
}

/** The events of a donation, the oldest first; they follow their change by a moment. */
async function eventsOf(id, count) {
  for (let look = 0; look < 50; look++) {
    const { body } = await api(`/api/events?object_id=${id}&limit=100`);
    if (body.data?.length >= count) return body.data.reverse();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`fewer than ${count} events of ${id}`);
}

test('integrated: initiated with both fees and a tracking id; the provider completes it; the events are there', async (t) => {
  const page = await visit(t);
  await page.getByLabel('First name').fill('Dana');
  await page.getByText('$100', { exact: true }).click();
  await page.getByText('I’ll cover the fee').click();
  assert.equal(await page.locator('#grant').textContent(), 'A grant of $103 from your fund');
  await chooseFund(page, FUNDS.integrated);
  await signIn(page);
  await heading(page, 'Choose an account').waitFor();
  await inModal(page)
    .getByRole('button', { name: /Family Giving Account/ })
    .click();
  await authorize(page);
  const shown = await resultOf(page);
  assert.deepEqual(
    [shown.title, shown.amount, shown.status, shown.fund],
    ['Thank you, Dana!', '$103.00', 'Sent to your fund', FUNDS.integrated],
  );
  assert.match(shown.tracking, /^.{10}$/);
  assert.equal(await dialog(page).count(), 0);
  await keyboardIn(page.locator('#result-title'));
  assert.deepEqual(page.refusals, []);

  const [{ amount, user, workflowSessionId, grantId }] = page.posts;
  assert.deepEqual([amount, user.firstName, grantId], [10300, 'Dana', undefined]);
  const donation = await read(shown.donation);
  assert.deepEqual(
    [donation.kind, donation.status, donation.amount, donation.tracking_id],
    ['integrated', 'initiated', 10300, shown.tracking],
  );
  assert.equal(donation.workflowSessionId, workflowSessionId);
  assert.equal(donation.metadata.donor_covers_fee, 'yes');
  // 2 % is $2.06, 2.9 % is $2.987; each is rounded on its own.
  assert.deepEqual(donation.fees.map(({ amount }) => amount).sort(), [206, 299]);
  assert.ok(donation.amount - 206 >= 10000, 'with the service’s fee covered, the gift arrives');
  assert.equal(donation.net, 10300 - 206 - 299);

  const { status } = await api(`/api/sandbox/dafDonations/${shown.donation}/simulate`, {
    method: 'POST',
    body: { outcome: 'completed' },
  });
  assert.equal(status, 200);
  const events = await eventsOf(shown.donation, 4);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['daf_donation.created', 'daf_donation_updated', 'daf_donation_updated', 'daf_donation.completed'],
  );
  assert.deepEqual(
    [events[1].data.previous_attributes.tracking_id, events[1].data.object.tracking_id],
    [null, shown.tracking],
  );
  assert.equal(events[3].data.object.status, 'completed');
  await page.reload();
  assert.equal((await resultOf(page)).status, 'Paid by your fund');
  assert.equal(page.posts.length, 1, 'the refresh sent nothing');
});

test('nonintegrated: unknown, no fees, no tracking id; moved by hand through all states', async (t) => {
  const page = await visit(t);
  await chooseFund(page, FUNDS.nonintegrated);
  await heading(page, `Make your grant at ${FUNDS.nonintegrated}`).waitFor();
  await press(page, 'Confirm grant of $50');
  const shown = await resultOf(page);
  assert.deepEqual(
    [shown.amount, shown.status, shown.fund, shown.tracking],
    ['$50.00', 'Waiting for your fund', FUNDS.nonintegrated, undefined],
  );
  assert.match(
    await page.locator('#result-text').textContent(),
    /remember to make the grant on the website of Seabright/,
  );
  const donation = await read(shown.donation);
  assert.deepEqual(
    [donation.kind, donation.status, donation.fees, donation.tracking_id],
    ['nonintegrated', 'unknown', [], null],
  );
  assert.deepEqual([donation.workflowSessionId, donation.grantId], [null, page.posts[0].grantId]);
  const moves = [
    'initiated', 'canceled', 'completed', 'unknown', 'completed', 'initiated', 'unknown', 'canceled', 'unknown',
  ];
  for (const status of moves) {
    const { status: answered, body } = await api(`/api/dafDonations/${shown.donation}`, {
      method: 'PUT',
      body: { status },
    });
    assert.deepEqual([answered, body.status], [200, status]);
  }
  assert.deepEqual((await read(shown.donation)).fees, []);
  const types = (await eventsOf(shown.donation, 1 + moves.length + 4)).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'daf_donation_updated').length, moves.length);
  assert.equal(types.filter((type) => type === 'daf_donation.completed').length, 2);
  assert.equal(types.filter((type) => type === 'daf_donation.canceled').length, 2);
});

test('the donor changes the amount in the modal and at the fund; the result follows', async (t) => {
  const page = await visit(t);
  await button(page).click();
  const amount = inModal(page).getByLabel('Amount in US dollars');
  assert.equal(await amount.inputValue(), '50');
  await amount.fill('75');
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: FUNDS.integrated }).click();
  await signIn(page, 'single@fund.example');
  await heading(page, 'Review your grant').waitFor();
  assert.equal(await inModal(page).getByLabel('Amount in US dollars').inputValue(), '75');
  await authorize(page, '80');
  const shown = await resultOf(page);
  assert.equal(shown.amount, '$80.00');
  assert.deepEqual([page.posts[0].amount, (await read(shown.donation)).amount], [8000, 8000]);
});

test('what the page knows of the donor is filled in; what the donor says is kept', async (t) => {
  const page = await visit(t);
  for (const [label, text] of [
    ['First name', 'Dana'],
    ['Last name', 'Reed'],
    ['Email', 'dana@example.org'],
  ])
    await page.getByLabel(label).fill(text);
  await openModal(page);
  assert.equal(await inModal(page).getByLabel('First name').inputValue(), 'Dana');
  assert.equal(await inModal(page).getByLabel('Email').inputValue(), 'dana@example.org');
  await inModal(page).getByLabel('Last name').fill('Reed-Ortiz');
  await inModal(page).getByLabel('Note to').fill('For the pantry');
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: FUNDS.nonintegrated }).click();
  await press(page, 'Confirm grant of $50');
  const { user } = await read((await resultOf(page)).donation);
  assert.deepEqual(user, {
    firstName: 'Dana',
    lastName: 'Reed-Ortiz',
    email: 'dana@example.org',
    note: 'For the pantry',
  });
});

test('amounts that are not whole dollars, and a search for a fund', async (t) => {
  const page = await visit(t);
  await page.getByText('Other', { exact: true }).click();
  await page.frameLocator('#daf iframe').locator('button:disabled').waitFor();
  assert.match(await page.locator('#grant').textContent(), /Choose an amount/);
  await page.getByLabel('Your amount').fill('40.25');
  assert.equal(await page.locator('#grant').textContent(), 'A grant of $41 from your fund');
  await openModal(page);
  const amount = inModal(page).getByLabel('Amount in US dollars');
  assert.equal(await amount.inputValue(), '41');
  await amount.fill('41.50');
  await press(page, 'Continue');
  await inModal(page).getByRole('alert').waitFor();
  assert.equal(await amount.getAttribute('aria-invalid'), 'true');
  await amount.fill('41');
  await press(page, 'Continue');
  const funds = inModal(page).locator('.funds button');
  await funds.first().waitFor();
  const all = await funds.count();
  await inModal(page).getByRole('searchbox').pressSequentially('cedar');
  await page.waitForFunction(() => true);
  await inModal(page).getByRole('status').filter({ hasText: '1 fund' }).waitFor();
  assert.ok(all > 5 && (await funds.count()) === 1);
});

test('personas: a wrong password, a second factor', async (t) => {
  const page = await visit(t);
  await chooseFund(page, FUNDS.integrated);
  await signIn(page, 'code@fund.example', 'not the password');
  await inModal(page).getByRole('alert').waitFor();
  await signIn(page, 'code@fund.example');
  await heading(page, 'Enter your code').waitFor();
  await inModal(page).getByLabel('Code').fill('000000');
  await press(page, 'Continue');
  await inModal(page).getByRole('alert').waitFor();
  await inModal(page).getByLabel('Code').fill('246813');
  await press(page, 'Continue');
  await authorize(page);
  assert.equal((await resultOf(page)).amount, '$50.00');
});

test('personas: a balance that is too low, and one that has nothing', async (t) => {
  const page = await visit(t);
  await chooseFund(page, FUNDS.integrated);
  await signIn(page, 'low@fund.example');
  await authorize(page);
  await inModal(page).getByRole('alert').waitFor();
  assert.equal(await inModal(page).getByLabel('Amount in US dollars').getAttribute('aria-invalid'), 'true');
  await authorize(page, '20');
  assert.equal((await resultOf(page)).amount, '$20.00');
});

test('personas: a donor who is locked out goes on at another fund', async (t) => {
  const page = await visit(t);
  await chooseFund(page, FUNDS.integrated);
  await signIn(page, 'locked@fund.example');
  await follow(page, 'Go back to your donation');
  await inModal(page).getByText(`${FUNDS.integrated} couldn’t continue`).waitFor();
  await inModal(page).locator('.funds button', { hasText: FUNDS.nonintegrated }).click();
  await press(page, 'Confirm grant of $50');
  assert.equal((await resultOf(page)).fund, FUNDS.nonintegrated);
});

test('personas: a grant that the fund declines; nothing is given, and another donor can', async (t) => {
  const page = await visit(t);
  await giveIntegrated(page, { username: 'declined@fund.example' });
  await page
    .getByRole('alert')
    .filter({ hasText: /Your fund did not make this grant\.\s*Nothing was given\./ })
    .waitFor();
  await giveIntegrated(page);
  assert.equal((await resultOf(page)).status, 'Sent to your fund');
  assert.equal(new Set(page.posts.map(({ nonce }) => nonce)).size, 2);
});

test('personas: an answer that is lost is found without another grant', async (t) => {
  const page = await visit(t);
  await giveIntegrated(page, { username: 'timeout@fund.example' });
  const shown = await resultOf(page);
  assert.match(shown.tracking, /^.{10}$/);
  assert.equal(page.posts.length, 1);
});

test('every way to cancel: told in the page, nothing given, and the modal opens again', async (t) => {
  const page = await visit(t);
  const ways = {
    // Not waited for: the frame that took the key may be gone before it says so.
    'Escape in the modal': async () => {
      await inModal(page).getByLabel('First name').focus();
      void page.keyboard.down('Escape').catch(() => {});
    },
    '× of the dialog': () => dialog(page).getByRole('button', { name: 'Close' }).click(),
    // Given up where the frame is gone first, or it would press the next modal's.
    'the modal’s own': () =>
      inModal(page)
        .getByRole('button', { name: /Cancel/ })
        .click({ timeout: 2000 })
        .catch(() => {}),
    'at the fund': async () => {
      await press(page, 'Continue');
      await inModal(page).locator('.funds button', { hasText: FUNDS.integrated }).click();
      await inModal(page).getByRole('button', { name: 'Cancel and go back' }).click();
      await inModal(page).getByText('You came back without authorizing').waitFor();
      await dialog(page).getByRole('button', { name: 'Close' }).click();
    },
  };
  for (const [way, cancel] of Object.entries(ways)) {
    await openModal(page);
    await cancel();
    await page.getByRole('alert').filter({ hasText: 'You closed the window before authorizing a grant.' }).waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('Card', { exact: true }).first().click();
    assert.equal(await page.getByRole('alert').isVisible(), false, way);
    await page.getByText('Donor-advised fund', { exact: true }).first().click();
    await button(page).waitFor();
  }
  assert.deepEqual(page.posts, []);
});

test('a donor by keyboard alone', async (t) => {
  const page = await visit(t);
  await page.evaluate(() => document.querySelector('[name=cover]').focus());
  await page.keyboard.press('Tab');
  await page.frameLocator('#daf iframe').locator('button:focus').waitFor();
  await page.keyboard.press('Enter');
  await inModal(page).getByLabel('Amount in US dollars').focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Where is your account?').waitFor();
  await inModal(page).locator('.funds button', { hasText: FUNDS.nonintegrated }).focus();
  await page.keyboard.press('Enter');
  await inModal(page).getByRole('button', { name: 'Confirm grant of $50' }).focus();
  await page.keyboard.press('Enter');
  assert.equal((await resultOf(page)).fund, FUNDS.nonintegrated);
});

test('when the shop’s answers are lost, what is authorized is sent again and given once', async (t) => {
  const page = await visit(t);
  let losing = true;
  await page.route('**/daf-donations', async (route) => {
    if (!losing) return route.continue();
    await page.request
      .post(`${credentials.shop_url}/daf-donations`, {
        data: route.request().postDataJSON(),
        headers: { 'Sec-Fetch-Site': 'same-origin' },
      })
      .catch(() => {});
    return route.abort('connectionreset');
  });
  await giveIntegrated(page);
  await page.getByRole('alert').filter({ hasText: 'We can’t reach our server right now.' }).waitFor();
  losing = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  const shown = await resultOf(page);
  assert.equal(new Set(page.posts.map((body) => JSON.stringify(body))).size, 1);
  const { body } = await api(`/api/dafDonations?external_id=${(await read(shown.donation)).external_id}`);
  assert.equal(body.data.length, 1);
});

test('one authorization makes one donation, whatever is posted', async (t) => {
  const page = await visit(t);
  await giveIntegrated(page);
  const { donation } = await resultOf(page);
  const { workflowSessionId, amount, user } = page.posts[0];
  const { external_id, metadata } = await read(donation);
  const same = { merchant_id: merchant, workflowSessionId, amount, user, external_id, metadata };
  const post = (body) => api('/api/dafDonations', { method: 'POST', body });
  for (const answer of await Promise.all([post(same), post(same)]))
    assert.deepEqual([answer.status, answer.body.id], [200, donation]);
  assert.equal((await post({ ...same, amount: 6000 })).body.error.code, 'daf_session_already_used');
  assert.equal(
    (await post({ ...same, workflowSessionId: `${workflowSessionId}x` })).body.error.code,
    'daf_session_not_found',
  );
});

for (const { width, colorScheme, only } of looks) {
  test(`shop and modal are accessible, ${colorScheme} at ${width} px`, async (t) => {
    const page = await visit(t, { width, colorScheme });
    await accessible(page, 'shop', only);
    await openModal(page);
    const modal = () => page.frames().find((frame) => /\/modal\/|\/sandbox\/daf/.test(frame.url()));
    const look = async (name) => {
      await heading(page, name).waitFor();
      await accessible(modal(), name, only);
      assert.ok(
        await modal().evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${name} is not wider than its frame`,
      );
    };
    await look('Give from your donor-advised fund');
    await inModal(page).getByLabel('Amount in US dollars').fill('x');
    await press(page, 'Continue');
    await inModal(page).getByRole('alert').waitFor();
    await look('Give from your donor-advised fund');
    await inModal(page).getByLabel('Amount in US dollars').fill('50');
    await press(page, 'Continue');
    await look('Where is your account?');
    await inModal(page).locator('.funds button', { hasText: FUNDS.integrated }).click();
    await look('Sign in');
    await signIn(page, 'code@fund.example');
    await look('Enter your code');
    await inModal(page).getByLabel('Code').fill('246813');
    await press(page, 'Continue');
    await look('Review your grant');
    await authorize(page);
    await resultOf(page);
    await accessible(page, 'thanks', only);
  });
}

test('hidden where the merchant cannot take it', async (t) => {
  const page = await newPage(t);
  await page.route('**/client/session', async (route) => {
    const body = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify({ ...body, merchant_id: credentials.merchants.us_q }) });
  });
  await page.goto(credentials.shop_url);
  await page.frameLocator('#card iframe').locator('input').first().waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.getByText('Donor-advised fund', { exact: true }).first().isVisible(), false);
  assert.equal(await page.locator('#daf iframe').count(), 0);
});

// The demo with a local fake of Chariot: a donor visits a fund in Chariot's component, on a page with an origin of its
// own, and the service makes the grant.
import assert from 'node:assert/strict';
import { api } from '../support/api.mjs';
import { accessible } from '../support/axe.mjs';
import { eventsOf, open } from '../support/card.mjs';
import { button, dialog, follow, inModal } from '../support/daf.mjs';
import { heading, press, resultOf, visitShop } from '../support/donor.mjs';
import { credentials, looks, startBrowser } from '../support/env.mjs';
import { merchantPage, startSite } from '../support/merchant.mjs';
import { as } from '../support/portal.mjs';
import { test } from '../support/test.mjs';
import {
  FUND, OFFLINE, OTHER, authorizeAt, component, endWith, openPages, signInAt, visitFund,
} from '../support/visit.mjs';

const newPage = await startBrowser();
const site = await startSite();
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, reducedMotion: 'reduce' };

/** A merchant's page with a DAF button, whose modal is at the page of a visit. */
async function visit(t, { context, fund } = {}) {
  const page = await newPage(t, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...context });
  page.refusals = [];
  page.on('console', (m) => /Content.Security.Policy|Trusted/i.test(m.text()) && page.refusals.push(m.text()));
  const customerDetail = { firstName: 'Dana', lastName: 'Reed', email: 'dana@example.org', note: 'For the winter' };
  const { us: merchant } = credentials.merchants;
  await open(page, site.put(merchantPage({ types: ['daf'], merchant, options: { price: '125.00', customerDetail } })));
  await visitFund(page, fund);
  return page;
}

const authorized = async (page) => (await eventsOf(page, 'dafAuthorized', 1))[0];

/** What the application's server does with the event. */
const donate = (event) =>
  api('/api/dafDonations', { method: 'POST', body: { merchant_id: credentials.merchants.us, ...event } });

/** Makes everything due within a duration happen at Chariot now. */
async function hasten(by) {
  const response = await fetch(`${credentials.chariot_url}/demo/hasten?by=${by}`, { method: 'POST' });
  assert.equal(response.status, 204);
}

/** Waits until the modal is back in the service's own pages, with a notice. */
const notice = (page, title) => inModal(page).locator('.notice', { hasText: title }).waitFor();

/** Cancels the donation below the list of funds, and returns the events by which the modal ended. */
async function cancel(page) {
  await press(page, 'Cancel donation');
  return endings(page);
}

async function endings(page) {
  const canceled = await eventsOf(page, 'dafCanceled', 1);
  return [canceled, await eventsOf(page, 'dafAuthorized')];
}

test('integrated: a gift from the shop is granted at Chariot, and completes', async (t) => {
  const page = await visitShop(newPage, t);
  await page.getByLabel('First name').fill('Dana');
  await page.getByText('$100', { exact: true }).click();
  await visitFund(page);
  assert.ok(await inModal(page).getByText('$100', { exact: true }).isVisible());
  await authorizeAt(await openPages(page));
  const shown = await resultOf(page);
  assert.deepEqual([shown.title, shown.amount, shown.fund], ['Thank you, Dana!', '$100.00', FUND]);
  assert.match(shown.tracking, /^TRK\d{7}$/);
  assert.deepEqual(page.refusals, []);
  await hasten('120h');
  for (let look = 0; ; look++) {
    const { body } = await api(`/api/dafDonations/${shown.donation}`);
    if (body.status === 'completed') break;
    assert.ok(look < 60, `the donation is ${body.status}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
});

test('integrated: the event is the reference’s, with the donor’s changed amount, and no other is granted', async (t) => {
  const page = await visit(t);
  const pages = await openPages(page);
  await authorizeAt(pages, { amount: '150' });
  const event = await authorized(page);
  assert.deepEqual(Object.keys(event).sort(), ['amount', 'user', 'workflowSessionId']);
  assert.match(event.workflowSessionId, /^ws_/);
  assert.deepEqual(
    [event.amount, event.user],
    [15000, { firstName: 'Dana', lastName: 'Reed', email: 'dana@example.org', note: 'For the winter' }],
  );
  const other = await donate({ ...event, amount: 12500 });
  assert.deepEqual([other.status, other.body.error.code], [422, 'daf_amount_mismatch']);
  const { status, body } = await donate(event);
  assert.deepEqual([status, body.status, body.amount], [201, 'initiated', 15000]);
  const again = await donate({ ...event, metadata: { again: 'yes' } });
  assert.deepEqual([again.status, again.body.error.code], [409, 'daf_session_already_used']);
  assert.deepEqual(page.refusals, []);
});

test('integrated: a donor may go to another fund in the component', async (t) => {
  const page = await visit(t);
  await authorizeAt(await openPages(page), { fund: OTHER });
  const { status, body } = await donate(await authorized(page));
  assert.deepEqual([status, body.fund.name], [201, OTHER]);
});

test('a fund that is not integrated needs no visit', async (t) => {
  const page = await visitShop(newPage, t);
  await page.getByText('$100', { exact: true }).click();
  await button(page).click();
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: OFFLINE }).click();
  await heading(page, `Make your grant at ${OFFLINE}`).waitFor();
});

test('nonintegrated: a confirmation at Chariot is found by its session', async (t) => {
  const page = await visit(t);
  const pages = await openPages(page);
  await signInAt(pages, { fund: OFFLINE });
  await pages.getByRole('button', { name: 'I make this grant myself' }).click();
  const event = await authorized(page);
  assert.match(event.grantId, /^gr_/);
  assert.deepEqual([event.workflowSessionId, event.amount], [undefined, 12500]);
  const { status, body } = await donate(event);
  assert.deepEqual([status, body.kind, body.status, body.fund.name], [201, 'nonintegrated', 'unknown', OFFLINE]);
});

test('nonintegrated: a confirmation that Chariot does not have is none', async (t) => {
  const page = await visit(t);
  await page.route('**/daf/visits/*/exit', (route) => {
    const report = { ...route.request().postDataJSON(), session: 'a-session-that-is-made-up' };
    return route.continue({ postData: JSON.stringify(report) });
  });
  const pages = await openPages(page);
  await signInAt(pages, { fund: OFFLINE });
  await pages.getByRole('button', { name: 'I make this grant myself' }).click();
  await heading(page, 'We are waiting for your confirmation').waitFor();
  await follow(page, 'Check again');
  await heading(page, 'We are waiting for your confirmation').waitFor();
  assert.deepEqual(await cancel(page), [[{}], []]);
});

// Every reason of an exit, and what the donor reads.
const EXITS = {
  USER_EXIT: 'You came back without authorizing',
  UNINTEGRATED_DAF: 'You make this grant yourself',
  UNINTEGRATED_DAF_NOT_SUPPORTED: 'You make this grant yourself',
  CREDENTIALS_ERROR: `The sign-in at ${FUND} failed`,
  TFA_ERROR: `The sign-in at ${FUND} failed`,
  INSTITUTION_DOWN_ERROR: `${FUND} can’t be reached at present`,
  NO_CHARITABLE_ACCOUNTS: 'There is no account to give from',
  CID_NOT_FOUND: 'Riverside Food Bank can’t accept this grant at present',
  INELIGIBLE_ORGANIZATION: 'Riverside Food Bank can’t accept this grant at present',
  SERVICE_DEACTIVATED: 'Riverside Food Bank can’t accept this grant at present',
  SESSION_NOT_FOUND: 'Time is up',
  RECURRING_NOT_SUPPORTED: 'Only one-time grants can be made here',
  SOMETHING_NEW: `${FUND} couldn’t continue`,
};

test('every exit of the component has words for the donor, who can go on or cancel', async (t) => {
  for (const [reason, words] of Object.entries(EXITS)) {
    const page = await visit(t);
    await endWith(await openPages(page), reason);
    await notice(page, words);
    assert.deepEqual(await cancel(page), [[{}], []], reason);
    await page.context().close();
  }
});

test('a wrong password ends the visit; the next one is granted', async (t) => {
  const page = await visit(t);
  await signInAt(await openPages(page), { password: 'wrong' });
  await notice(page, EXITS.CREDENTIALS_ERROR);
  await inModal(page).locator('.funds button', { hasText: FUND }).click();
  await component(page).waitFor();
  await authorizeAt(await openPages(page));
  assert.equal((await donate(await authorized(page))).status, 201);
});

test('the donor leaves the page of the visit, or closes the modal', async (t) => {
  const page = await visit(t);
  await press(page, 'Choose another fund');
  await notice(page, EXITS.USER_EXIT);
  await inModal(page).locator('.funds button', { hasText: FUND }).click();
  await component(page).waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  assert.deepEqual(await endings(page), [[{}], []]);
});

test('on a phone, Chariot’s pages are in a window of their own', async (t) => {
  const page = await visit(t, { context: phone });
  const [window] = await Promise.all([page.waitForEvent('popup'), component(page).tap()]);
  await authorizeAt(window);
  assert.equal((await authorized(page)).amount, 12500);
  assert.ok(window.isClosed());
  assert.deepEqual(page.refusals, []);
});

test('on a phone, the donor closes the window', async (t) => {
  const page = await visit(t, { context: phone });
  const [window] = await Promise.all([page.waitForEvent('popup'), component(page).tap()]);
  await window.getByRole('heading', { name: /^Give to/ }).waitFor();
  await window.close();
  await notice(page, EXITS.USER_EXIT);
});

test('a session that another gift used is refused, and the donor can authorize', async (t) => {
  const first = await visit(t);
  const sent = first.waitForRequest('**/daf/visits/*/authorized');
  await authorizeAt(await openPages(first));
  const { session } = (await sent).postDataJSON();
  await authorized(first);

  const page = await visit(t);
  const reports = '**/daf/visits/*/authorized';
  await page.route(
    reports,
    (route) => route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), session }) }),
    { times: 1 },
  );
  const refused = page.waitForResponse(reports);
  await authorizeAt(await openPages(page));
  const answer = await refused;
  assert.deepEqual([answer.status(), (await answer.json()).error.code], [409, 'daf_session_used']);
  await inModal(page).getByText('This authorization belongs to another gift').waitFor();
  await authorizeAt(await openPages(page));
  assert.notEqual((await authorized(page)).workflowSessionId, undefined);
});

test('15 minutes over at the service: the report is refused, and the donor can authorize again', async (t) => {
  const page = await visit(t);
  const reports = '**/daf/visits/*/authorized';
  await page.route(
    reports,
    (route) => route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), age: 901 }) }),
    { times: 1 },
  );
  const refused = page.waitForResponse(reports);
  await authorizeAt(await openPages(page));
  assert.equal((await (await refused).json()).error.code, 'daf_authorization_expired');
  await inModal(page).getByText('An authorization is good for 15 minutes').waitFor();
  await authorizeAt(await openPages(page));
  await authorized(page);
});

test('15 minutes over at Chariot: the grant is declined, and the donor reads why', async (t) => {
  const page = await visitShop(newPage, t);
  await page.getByText('$100', { exact: true }).click();
  await page.route('**/daf-donations', async (route) => {
    await hasten('16m');
    await route.continue();
  });
  await visitFund(page);
  await authorizeAt(await openPages(page));
  await page.getByText('Your authorization is too old').first().waitFor({ timeout: 40_000 });
  const { workflowSessionId, amount, user } = page.posts[0];
  const { status, body } = await api('/api/dafDonations?limit=1');
  assert.deepEqual([status, body.data[0].status], [200, 'canceled']);
  assert.deepEqual(
    [body.data[0].workflowSessionId, body.data[0].failure.code, body.data[0].failure.decline_code],
    [workflowSessionId, 'daf_session_declined', 'authorization_expired'],
  );
  assert.deepEqual([amount, user.firstName], [10000, '']);
});

test('an authorization that cannot be saved at once is reported again', async (t) => {
  const page = await visit(t);
  let failures = 2;
  await page.route('**/daf/visits/*/authorized', (route) =>
    failures-- > 0 ? (failures ? route.abort() : route.fulfill({ status: 503, body: '' })) : route.continue(),
  );
  await authorizeAt(await openPages(page));
  await inModal(page).getByText('we can’t save it at present').waitFor();
  await press(page, 'Try again');
  await authorized(page);
});

test('a component that cannot be loaded is loaded again', async (t) => {
  const page = await newPage(t, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.route('**/chariot-connect.umd.js', (route) => route.abort(), { times: 1 });
  const options = { price: '125.00' };
  await open(page, site.put(merchantPage({ types: ['daf'], merchant: credentials.merchants.us, options })));
  await button(page).click();
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: FUND }).click();
  await inModal(page).getByText('can’t be loaded').waitFor();
  await press(page, 'Try again');
  await component(page).waitFor();
});

test('an organization that has not claimed its account at Chariot is enrolled with advice', async (t) => {
  const page = await as(t, 'organization_admin', `/merchants/${credentials.merchants.us_q}/daf`);
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('Is this the organization?').waitFor();
  await page.getByText('The organization hasn’t claimed its account at the provider').waitFor();
  await page.getByRole('button', { name: /^Yes, enroll/ }).waitFor();
});

for (const { width, colorScheme } of looks) {
  test(`the page of a visit is accessible, ${colorScheme} at ${width} px`, async (t) => {
    const page = await visit(t, { context: { viewport: { width, height: 800 }, colorScheme } });
    const frame = page.frames().find((one) => one.url().includes('/daf/visits/'));
    await accessible(frame, 'visit');
    await page.route('**/daf/visits/*/exit', (route) => route.abort());
    await endWith(await openPages(page), 'USER_EXIT');
    await inModal(page).getByText('The service can’t be reached').waitFor();
    await accessible(frame, 'not reached');
  });
}

// What a donor reads on the way, by the language that the page was given.
const LANGUAGES = {
  es: {
    button: 'Donar con DAF', amount: '$1,250', continue: 'Continuar', visit: `Autorice en ${FUND}`,
    offline: 'No se puede contactar con el servicio en este momento',
  },
  'fr-CA': {
    button: 'Donner par DAF', amount: '1\u00a0250\u00a0$\u00a0US', continue: 'Continuer',
    visit: `Autorisez auprès de ${FUND}`,
    offline: 'Le service est injoignable pour le moment',
  },
};

for (const [locale, words] of Object.entries(LANGUAGES)) {
  test(`the button, the modal and the page of a visit are in the donor's language: ${locale}`, async (t) => {
    const page = await newPage(t, { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' });
    const options = { price: '1250.00' };
    const { us: merchant } = credentials.merchants;
    await open(page, site.put(merchantPage({ types: ['daf'], merchant, options, instance: { locale } })));
    assert.equal(await button(page).textContent(), words.button);
    await button(page).click();
    const modal = inModal(page);
    await modal.getByRole('button', { name: words.continue }).click();
    await modal.getByText(words.amount).first().waitFor();
    await modal.locator('.funds button', { hasText: FUND }).click();
    await modal.getByRole('heading', { name: words.visit }).waitFor();
    assert.equal(await modal.locator('html').getAttribute('lang'), locale);
    assert.equal(await dialog(page).getAttribute('lang'), locale);
    await page.route('**/daf/visits/*/exit', (route) => route.abort());
    await modal.locator('[data-leave]').click();
    await modal.getByText(words.offline).waitFor();
  });
}

// Modals whose network is lost: the payer sees a message, not the browser's page for an error, and can try again.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { accessible } from './support/axe.mjs';
import { eventsOf } from './support/card.mjs';
import {
  PAGES, button, dialog, follow, inModal, leadTo, modalPage, openModal, press, startDonors,
} from './support/daf.mjs';

const { openPage } = await startDonors();

test('offline: told, and tried again when the network is back', async (t) => {
  const page = await openPage(t);
  await page.context().setOffline(true);
  await page.route('**/client/daf', (route) => route.abort('internetdisconnected'));
  await button(page).click();
  await dialog(page).getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
  await page.context().setOffline(false);
  await page.unroute('**/client/daf');
  await leadTo(page, PAGES);
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await page.locator('dialog[data-state=open]').waitFor();
  await page.context().setOffline(true);
  await press(page, 'Continue');
  await inModal(page).getByRole('alert').filter({ hasText: 'The connection was lost.' }).waitFor();
  assert.equal(await inModal(page).getByLabel('Amount').isVisible(), true, 'the page stays');
  await page.context().setOffline(false);
  await inModal(page).getByRole('alert').waitFor({ state: 'detached' });
  await press(page, 'Continue');
  await eventsOf(page, 'dafAuthorized', 1);
});

test('a connection that is lost: the page and what was typed stay, with a message and a way to try again', async (t) => {
  for (const [lang, words, again] of [
    ['en', 'The connection was lost.', 'Try again'],
    ['fr', 'La connexion est interrompue.', 'Réessayer'],
  ]) {
    const page = await openPage(t, { pages: { ...PAGES, start: PAGES.start.replace('lang="en"', `lang="${lang}"`) } });
    await openModal(page);
    await inModal(page).getByLabel('Amount').fill('40');
    // The browser believes that it is online, as it does next to a router that has lost its line.
    await page.route('**/3.2/**', (route) => route.abort('internetdisconnected'));
    await press(page, 'Continue');
    const notice = inModal(page).getByRole('alert').filter({ hasText: words });
    await notice.waitFor();
    assert.equal(await inModal(page).getByLabel('Amount').inputValue(), '40');
    await notice.getByRole('button', { name: again }).click();
    await notice.waitFor();
    assert.equal(await notice.count(), 1);
    await accessible(page, 'with the notice');
    await page.unroute('**/3.2/**');
    await leadTo(page, PAGES);
    await notice.getByRole('button', { name: again }).click();
    await eventsOf(page, 'dafAuthorized', 1);
  }
});

test('links wait for the connection, too, and a page of an error in front of the service is no connection', async (t) => {
  const start = modalPage('<a href="/3.2/modal/daf/secret/next">Back</a>');
  const page = await openPage(t, { pages: { ...PAGES, start } });
  await openModal(page);
  await page.route('**/3.2/modal.js', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }), { times: 1 });
  await follow(page, 'Back');
  await inModal(page).getByRole('alert').filter({ hasText: 'The connection was lost.' }).waitFor();
  await follow(page, 'Back');
  await eventsOf(page, 'dafAuthorized', 1);
});

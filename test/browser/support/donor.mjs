// A donor's submits the demo shop and in the service's own modal, up to the fund that he signs in at.
import { input } from './card.mjs';
import { button, inModal } from './daf.mjs';
import { credentials } from './env.mjs';

const { daf_login: login } = credentials;

/** Funds of the sandbox: of a good donor, of no one's provider, and one whose pages never answer. */
export const FUNDS = { integrated: 'Cedar & Stone Giving', nonintegrated: 'Seabright Donor Circle' };

/** Opens the demo shop and chooses a gift from a donor-advised fund. */
export async function visitShop(newPage, t, { width = 1280, colorScheme = 'light' } = {}) {
  const page = await newPage(t, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  page.refusals = [];
  page.on(
    'console',
    (message) => /Content Security Policy|Trusted/i.test(message.text()) && page.refusals.push(message.text()),
  );
  page.posts = [];
  page.on('request', (request) => request.url().endsWith('/daf-donations') && page.posts.push(request.postDataJSON()));
  await page.goto(credentials.shop_url);
  await input(page, 'number').waitFor();
  await page.getByText('Donor-advised fund', { exact: true }).first().click();
  await button(page).waitFor();
  return page;
}

export const heading = (page, name) => inModal(page).getByRole('heading', { name });
export const press = (page, name) => inModal(page).getByRole('button', { name, exact: true }).click();

/** Opens the modal, takes its first page as it is, and chooses a fund. */
export async function chooseFund(page, fund) {
  await button(page).click();
  await press(page, 'Continue');
  await inModal(page).locator('.funds button', { hasText: fund }).click();
}

/** Signs in at an integrated fund; the good donor unless told. */
export async function signIn(page, username = login.username, password = login.password) {
  await heading(page, 'Sign in').waitFor();
  await inModal(page).getByLabel('Email address').fill(username);
  await inModal(page).getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

/** The last page before the grant, whose amount may be written again. */
export async function authorize(page, amount) {
  await heading(page, 'Review your grant').waitFor();
  if (amount) await inModal(page).getByLabel('Amount in US dollars').fill(amount);
  await press(page, 'Authorize grant');
}

/** The whole way to a grant of the donor with one account. */
export async function giveIntegrated(page, { username = 'single@fund.example', amount } = {}) {
  await chooseFund(page, FUNDS.integrated);
  await signIn(page, username);
  await authorize(page, amount);
}

/** What the shop's result shows, by the names of its rows. */
export async function resultOf(page, state = 'succeeded') {
  await page.locator(`#result[data-state=${state}]`).waitFor({ timeout: 40_000 });
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll('[data-receipt]')].filter((row) => row.checkVisibility());
    return {
      title: document.getElementById('result-title').textContent,
      amount: document.getElementById('result-amount').textContent,
      ...Object.fromEntries(rows.map((row) => [row.dataset.receipt, row.textContent])),
    };
  });
}

// A donor's hands at Chariot: on the page of a visit, and on the pages of the fake that its component opens.
import { inModal } from './daf.mjs';
import { chooseFund, heading } from './donor.mjs';

/** Funds of the fake: one where donors authorize, another, and one that they choose in the component themselves. */
export const FUND = 'Cedar & Stone Giving';
export const OTHER = 'Aldergrove Charitable';
export const OFFLINE = 'Juniper Family Foundations';

/** Chooses a fund in the modal and waits for the page of the visit with Chariot's component. */
export async function visitFund(page, fund = FUND) {
  await chooseFund(page, fund);
  await heading(page, `Authorize at ${fund}`).waitFor();
  await component(page).waitFor();
}

/** The button of Chariot's component. */
export const component = (page) => inModal(page).getByRole('button', { name: 'Give with DAFpay' });

/** The pages of the fake in the frame that the component shows. */
export const pagesIn = (page) => inModal(page).frameLocator('chariot-connect iframe');

/** Opens the component's pages, which are in a frame. */
export async function openPages(page) {
  await component(page).click();
  const pages = pagesIn(page);
  await pages.getByRole('heading', { name: /^Give to/ }).waitFor();
  return pages;
}

/** Signs in at a fund. */
export async function signInAt(pages, { fund, password = 'password123' } = {}) {
  if (fund) await pages.getByLabel('Fund').selectOption({ label: fund });
  await pages.getByLabel('Password').fill(password);
  await pages.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in and authorizes the grant, of another amount in dollars if one is given. */
export async function authorizeAt(pages, { amount, ...rest } = {}) {
  await signInAt(pages, rest);
  if (amount) await pages.getByLabel('Amount in US dollars').fill(amount);
  await pages.getByRole('button', { name: 'Authorize grant' }).click();
}

/** Has the component end with a reason. */
export async function endWith(pages, reason) {
  await pages.getByText('Other outcomes').click();
  await pages.getByLabel('Reason').selectOption(reason);
  await pages.getByRole('button', { name: 'End with this reason' }).click();
}

// A payer's submits the modal for bank accounts.
import { eventsOf } from './card.mjs';
import { inModal } from './daf.mjs';
import { credentials } from './env.mjs';

const { bank_login: login } = credentials;

export const linkButton = (page, type) => page.frameLocator(`#${type} iframe`).getByRole('button');

/** Opens the modal and waits for its first page. */
export async function openLink(page, type) {
  await linkButton(page, type).click();
  await page.locator('dialog[data-state=open]').waitFor();
}

/** An account in Canada whose debits settle, as the modal's inputs are named. */
export const CANADIAN = {
  first_name: 'Léa',
  last_name: 'Roy',
  email: 'lea@example.org',
  type: 'checking',
  institution: '000',
  transit: '11000',
  account: '000123456789',
};

/** One in the United States that is typed, not shown by its bank. */
export const TYPED = {
  first_name: 'Dana',
  last_name: 'Reed',
  email: 'dana@example.org',
  type: 'checking',
  routing: '110000000',
  account: '000123456789',
};

/** Fills the modal's form in, agrees and sends it. */
export async function submitAccount(page, values, { agree = true } = {}) {
  const frame = inModal(page);
  for (const [name, text] of Object.entries(values)) {
    const input = frame.locator(`[name=${name}]`);
    if (name === 'type') await input.selectOption(text);
    else await input.fill(text);
  }
  await frame.locator('#mandate').setChecked(agree);
  await frame.locator('form[action$="/account"] button.primary').click();
}

/** Signs in at a bank of the sandbox, and shows the accounts. */
export async function showAccounts(page, { bank = 'Cascade Credit Union', username = login.username, password } = {}) {
  const frame = inModal(page);
  await frame.locator('.funds button', { hasText: bank }).click();
  await signIn(page, username, password);
  await frame.getByRole('button', { name: 'Share accounts' }).click();
}

export async function signIn(page, username, password = login.password) {
  const frame = inModal(page);
  await frame.getByLabel('Email address').fill(username);
  await frame.getByLabel('Password').fill(password);
  await frame.getByRole('button', { name: 'Sign in' }).click();
}

/** What is wrong in the modal's form, by input. */
export const mistakes = (page) =>
  inModal(page)
    .locator('.field-error')
    .evaluateAll((all) => Object.fromEntries(all.map(({ id, dataset }) => [id.replace('-error', ''), dataset.code])));

/** Waits for the event, and for the modal to be gone. */
export async function authorized(page, name) {
  const events = await eventsOf(page, name, 1);
  await page.locator('dialog').waitFor({ state: 'detached' });
  return events;
}

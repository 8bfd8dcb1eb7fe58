// A payer's submits the bank form, and what the API says of it afterwards.
/** A bank account whose debits settle, as typed. */
export const ACCOUNT = {
  first: 'Dana',
  last: 'Reed',
  email: 'dana@example.org',
  type: 'checking',
  routing: '110000000',
  account: '000123456789',
  mandate: true,
};

/** A plain control of the form, by the name of its field. */
export const control = (page, name, container = '#bankaccount') =>
  page.locator(`${container} [data-field=${name}] :is(input, select):not([inert])`);

/** The input inside the frame of a number. */
export const number = (page, name, container = '#bankaccount') =>
  page.locator(container).frameLocator(`[data-field=${name}] iframe`).locator('input');

/** Fills the form in; what is undefined stays as it is. */
export async function fillBank(
  page,
  { first, last, email, type, routing, account, mandate } = ACCOUNT,
  container = '#bankaccount',
) {
  for (const [name, text] of Object.entries({
    account_holder_first_name: first, account_holder_last_name: last, email,
  })) {
    if (text !== undefined) await control(page, name, container).fill(text);
  }
  if (type !== undefined) await control(page, 'account_type', container).selectOption(type);
  for (const [name, text] of Object.entries({ routing_number: routing, account_number: account })) {
    if (text !== undefined) await number(page, name, container).fill(text);
  }
  if (mandate !== undefined) await control(page, 'mandate', container).setChecked(mandate);
}

/** The error that the form shows at a field. */
export const shownAt = (page, name, container = '#bankaccount') =>
  page.locator(`${container} [data-field=${name}] .svcpay__bank-error`).textContent();

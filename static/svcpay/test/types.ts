// Checked by tsc alone: what the published types allow, and, by @ts-expect-error, what they refuse.
export {};

const pay = new SvcPay('pk_sandbox_x', 1042);
const sameAsText = new SvcPay('pk_sandbox_x', '1042', { swipe: false });
const card = pay.createField('card', {
  value: { postalCode: '94107' },
  country: 'US',
  style: { base: { ':focus': { fontWeight: 600 } } },
});
const cvc = sameAsText.createField('cardCvc', { placeholder: '123' });

card
  .on('change', ({ empty, complete, error }) => console.log(empty && complete, error?.code))
  .once('ready', () => card.focus());
cvc.on('cardbrand', ({ brand }) => brand === 'diners_club');
card.mount('#card');
card.mount(document.body);
card.unmountField();

async function pays(): Promise<string> {
  const can = await pay.canMakePayments();
  if (!can) return pay.lastError?.message ?? '';
  const result = await pay.createToken(card, { first_name: 'Dana', phone: 5551234 });
  // A result without an error has a token; the compiler knows.
  return result.error ? result.error.message : result.token + result.card.last4 + can.country;
}
void pays();

async function narrows(): Promise<string> {
  const result = await pay.createToken(card);
  // Either member tells the other.
  if (result.token) return result.token;
  return result.error.code === 'invalid_number' ? result.error.doc_url ?? '' : result.error.code;
}
void narrows();

async function methods(): Promise<boolean> {
  const can = await pay.canMakePayments();
  // @ts-expect-error the methods have other names than the types of fields
  return can && can.methods.walletA;
}
void methods();
pay.createField('card', { submitOnEnter: false }).unmountField('#card');

const daf = new SvcPay('pk_sandbox_x', 1042).createField('daf', {
  customerDetail: { amount: 12.5, address: { postalCode: '97301' }, metadata: { appeal: 7 } },
});
daf.setPrice('25.00');
daf.updateField({ customerDetail: { anonymous: true }, disabled: false });
daf.on('dafCanceled', () => daf.focus()).on('dafAuthorized', (event) => {
  // Exactly one of the ids is there; the compiler knows.
  const id: string = event.workflowSessionId ?? event.grantId;
  console.log(id, event.amount / 100, event.user.firstName);
});
const spoken = new SvcPay('pk_sandbox_x', 1042, { swipe: true, locale: 'fr-CA' });
new SvcPay('pk_sandbox_x', 1042, { locale: 'auto' });
void spoken;
const walletA = pay.createField('walletA', {
  label: 'Gift',
  storeName: 'River Pantry',
  cardNetworks: ['VISA'],
  walletAElement: '#a',
});
walletA.mount();
walletA.setPrice('25.00');
walletA
  .on('walletACanceled', () => walletA.focus())
  .on('walletAIncompatible', ({ reason }) => reason === 'version_unsupported');
const walletB = pay.createField('walletB', { buttonSizeMode: 'fill', price: '25.00' });
walletB.on('walletBAuthorized', async () => (await pay.createToken(walletB, { phone: 5551234 })).token);

const covered: number = SvcPay.dafQuote(10000, { cover: 'all', servicePercentage: 1.5 });
void covered;

const bank = new SvcPay('pk_sandbox_x', 1042).createField('bankaccount', {
  customizeFields: { routing_number: { label: 'Bank code' }, email: { placeholder: 'you@example.org' } },
  style: { invalid: { color: 'red' } },
});
bank.on('achAuthorized', () => bank.focus()).on('change', ({ complete }) => console.log(complete));
bank.clear();
const acss = new SvcPay('pk_sandbox_x', 1043).createField('acssDebit', { disabled: true });
acss.on('acssAuthorized', async () => {
  const result = await pay.createToken(acss, { country: 'CA', address_zip: 'K1A 0B1' });
  console.log(result.error ? result.error.code : result.bank_account.last4 + result.bank_account.status);
});

async function eitherWay(): Promise<string> {
  const result = await pay.createToken(card);
  if (result.token) return result.card.last4;
  else return result.error.code;
}
void eitherWay();

// @ts-expect-error the merchant id is required
new SvcPay('pk_sandbox_x');
// @ts-expect-error swipe is on or off
new SvcPay('pk_sandbox_x', 1042, { swipe: 'yes' });
// @ts-expect-error a language is text
new SvcPay('pk_sandbox_x', 1042, { locale: ['fr'] });
// @ts-expect-error not an option of the constructor
new SvcPay('pk_sandbox_x', 1042, { language: 'fr' });
// @ts-expect-error not a field type of this version
pay.createField('walletC');
// @ts-expect-error a card number cannot be prefilled
pay.createField('card', { value: { number: '4242' } });
// @ts-expect-error placeholders are for split fields
pay.createField('card', { placeholder: 'Card' });
// @ts-expect-error not one of the twelve style properties
pay.createField('card', { style: { base: { background: 'red' } } });
// @ts-expect-error not an event of the library
card.on('keydown', () => {});
// @ts-expect-error not a brand of the library
cvc.on('cardbrand', ({ brand }) => brand === 'maestro');
// @ts-expect-error the field comes first
pay.createToken({ first_name: 'Dana' });
// @ts-expect-error not a member of tokenData
pay.createToken(card, { card_number: '4242' });
// @ts-expect-error false has no methods
pay.canMakePayments().then((can) => can.methods);
// @ts-expect-error a price is text
daf.setPrice(25);
// @ts-expect-error only buttons have a price
card.setPrice('25.00');
// @ts-expect-error nothing can be typed into a button, so nothing cleared
daf.clear();
// @ts-expect-error not an event of a card
card.on('dafAuthorized', () => {});
// @ts-expect-error not an event of the DAF button
daf.on('cardbrand', () => {});
// @ts-expect-error a DAF donation has no token
pay.createToken(daf);
// @ts-expect-error not a member of customerDetail
daf.updateField({ customerDetail: { first_name: 'Dana' } });
// @ts-expect-error buttons have no style
daf.updateField({ style: {} });
// @ts-expect-error the provider's fee alone cannot be covered
SvcPay.dafQuote(10000, { cover: 'provider' });
// @ts-expect-error wallet A alone has a label
pay.createField('walletB', { label: 'Gift' });
// @ts-expect-error not a network that wallets offer
pay.createField('walletA', { cardNetworks: ['MAESTRO'] });
// @ts-expect-error not a size
pay.createField('walletB', { buttonSizeMode: 'static' });
// @ts-expect-error buttons have no style
walletA.updateField({ style: {} });
// @ts-expect-error an event of the other wallet
walletB.on('walletAAuthorized', () => {});
// @ts-expect-error a price is text
walletB.setPrice(25);
// @ts-expect-error nothing can be typed into a button
walletA.clear();
// @ts-expect-error not one of the six fields
bank.updateField({ customizeFields: { iban: { label: 'IBAN' } } });
// @ts-expect-error only label and placeholder can be customized
bank.updateField({ customizeFields: { email: { value: 'dana@example.org' } } });
// @ts-expect-error not an event of bank accounts in the United States
bank.on('acssAuthorized', () => {});
// @ts-expect-error not an event of debits in Canada
acss.on('achAuthorized', () => {});
// @ts-expect-error the button has no style
acss.updateField({ style: {} });
// @ts-expect-error nothing can be typed into a button, so nothing cleared
acss.clear();
// @ts-expect-error only bank accounts have a country
pay.createToken(card, { country: 'US' });
// @ts-expect-error a bank account's token has no card
pay.createToken(bank).then((result) => result.card);
// @ts-expect-error not a code of the library
card.on('change', ({ error }) => error?.code === 'card_declined');
// @ts-expect-error the method is wallet_a
pay.canMakePayments().then((can) => can && can.methods.walletA);

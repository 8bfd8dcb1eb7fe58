/** What a payer is told, by error code. */
export const MESSAGES: Record<string, string> = {
  incomplete_number: 'Your card number is incomplete.',
  invalid_number: 'Your card number is not valid.',
  unsupported_brand: 'Cards of this brand are not accepted.',
  incomplete_expiry: 'Your card’s expiration date is incomplete.',
  invalid_expiry: 'Your card’s expiration date is not valid.',
  invalid_expiry_month_past: 'Your card’s expiration date is in the past.',
  invalid_expiry_year_past: 'Your card’s expiration year is in the past.',
  incomplete_cvc: 'Your card’s security code is incomplete.',
  invalid_cvc: 'Your card’s security code is not valid.',
  incomplete_postal_code: 'Your postal code is incomplete.',
  invalid_postal_code: 'Your postal code is not valid.',
};

import { cardNumber } from 'card-validator/dist/card-number';
import { cvv } from 'card-validator/dist/cvv';
import { postalCode } from 'card-validator/dist/postal-code';
import { brandOf } from './brands';
import { isLongYear } from './expiry';

/** A verdict on one input's text. */
export interface Check {
  valid: boolean;
  /** Whether typing on can still make it valid. */
  possible: boolean;
  /** The error code while it is not valid. */
  code: string;
}

export const VALID: Check = { valid: true, possible: true, code: '' };
const not = (code: string, possible = false): Check => ({ valid: false, possible, code });

/** How many years ahead a card can expire. */
const MAX_YEARS = 20;

export function checkNumber(digits: string): Check {
  const { isValid, isPotentiallyValid, card } = cardNumber(digits, { luhnValidateUnionPay: true });
  if (!brandOf(digits).accepted) return not('unsupported_brand');
  if (isValid) return VALID;
  if (!isPotentiallyValid) return not('invalid_number');
  const shortest = card ? Math.min(...card.lengths) : 16;
  return not(digits.length < shortest ? 'incomplete_number' : 'invalid_number', true);
}

/** The world's last time zone, UTC−12, is behind UTC by this many milliseconds. */
const LAST_ZONE = 43_200_000;

/**
 * Checks "MMYY" digits, or those of a longer date on its way there. A card is valid until its month is over everywhere;
 * whether it really has expired, its bank decides.
 */
export function checkExpiry(digits: string, now: Date): Check {
  const unfinished = isLongYear(digits);
  if (!unfinished && /^(1[3-9]|[2-9]|00)/.test(digits)) return not('invalid_expiry');
  if (digits.length < 4 || (unfinished && !/^(?!20)..20$/.test(digits))) return not('incomplete_expiry', true);
  const { month, year } = expiryOf(digits);
  const there = new Date(+now - LAST_ZONE);
  const ahead = year - there.getUTCFullYear();
  if (ahead < 0) return not('invalid_expiry_year_past', unfinished);
  if (ahead > MAX_YEARS) return not('invalid_expiry');
  return ahead === 0 && month <= there.getUTCMonth() ? not('invalid_expiry_month_past') : VALID;
}

export function expiryOf(digits: string): { month: number; year: number } {
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2)) };
}

/** `lengths` are those that the card's brand allows. */
export function checkCvc(digits: string, lengths: number[]): Check {
  const { isValid, isPotentiallyValid } = cvv(digits, lengths);
  if (isValid) return VALID;
  return isPotentiallyValid ? not('incomplete_cvc', true) : not('invalid_cvc');
}

export function checkPostalCode(text: string): Check {
  const code = text.trim();
  if (/[^a-z\d -]/i.test(code)) return not('invalid_postal_code');
  return postalCode(code, { minLength: 3 }).isValid ? VALID : not('incomplete_postal_code', true);
}

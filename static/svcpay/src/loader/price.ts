import { raise } from './notice';

/** The cents of a price like "25.00"; throws for any other notation. */
export function centsOf(price: unknown): number {
  const [, dollars, cents] = (typeof price === 'string' && /^(\d+)\.(\d\d)$/.exec(price)) || [];
  const sum = Number(dollars) * 100 + Number(cents);
  if (!Number.isSafeInteger(sum))
    raise('invalid_price', 'A price is a string like "25.00": digits, a point and two digits.');
  return sum;
}

/** The cents of a price in whole dollars, in which alone donor-advised funds grant; rounded up with a warning. */
export function wholeDollarsOf(price: unknown): number {
  const cents = centsOf(price);
  if (!cents) raise('invalid_price', 'A donation from a donor-advised fund must be at least 1.00.');
  const whole = Math.ceil(cents / 100) * 100;
  if (whole !== cents)
    console.warn(`[SvcPay] Donor-advised funds grant whole dollars: ${price} becomes ${whole / 100}.00.`);
  return whole;
}

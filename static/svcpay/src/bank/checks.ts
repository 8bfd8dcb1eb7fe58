/** A verdict on one number. */
export interface Check {
  valid: boolean;
  /** Whether typing on can still make it valid. */
  possible: boolean;
  /** The error code while it is not valid. */
  code: string;
}

const VALID: Check = { valid: true, possible: true, code: '' };
const not = (code: string, possible = false): Check => ({ valid: false, possible, code });

/** Lengths of account numbers in digits (NACHA file format). */
const SHORTEST = 4;
const LONGEST = 17;

/** What was typed without the blanks and hyphens that people group digits with. */
export const digitsOf = (text: string): string => text.replace(/[\s-]/g, '');

/** Checks a routing number: nine digits, a prefix that is given out, the check digit. */
export function checkRouting(text: string): Check {
  if (/\D/.test(text) || text.length > 9 || !prefixGiven(text)) return not('invalid_routing_number');
  if (text.length < 9) return not('incomplete_routing_number', true);
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * [3, 7, 1][at % 3]!, 0);
  return sum % 10 || !Number(text) ? not('invalid_routing_number') : VALID;
}

/** Whether the first two digits, as far as they are there, can begin a routing number. */
function prefixGiven(text: string): boolean {
  return text.length < 2 ? !/^[459]/.test(text) : /^(0|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(text);
}

export function checkAccount(text: string): Check {
  if (/\D/.test(text) || text.length > LONGEST) return not('invalid_account_number');
  return text.length < SHORTEST ? not('incomplete_account_number', true) : VALID;
}

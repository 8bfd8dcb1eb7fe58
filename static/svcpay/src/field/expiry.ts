/**
 * The four digits "MMYY" of a date as people, password managers and clipboards write it ("8/2030", "122030", "2030-08",
 * "203008", "08 30", a lone "5" for May), or of one that is on its way there; the text itself when it is none of these.
 */
export function expiryDigits(text: string): string {
  const iso = /^\s*20(\d\d)-(\d\d)\s*$/.exec(text);
  if (iso) return iso[2]! + iso[1]!;
  const written = /^\s*(\d\d?)\s*[/.\s-]\s*(?:20)?(\d\d)\s*$/.exec(text);
  if (written) return written[1]!.padStart(2, '0') + written[2]!;
  const month = /^\s*(?:([2-9])|(1)\s*\/)\s*$/.exec(text);
  if (month) return `0${month[1] ?? month[2]}`;
  const shown = /^(\d\d)(?: \/ )?(\d+)$/.exec(text);
  const digits = shown ? shown[1]! + shown[2]! : '';
  const ordered = inOrder(digits);
  return ordered === digits ? text : ordered;
}

/** Digits of a date whose year has four of them, after or before the month, once all are there. */
function inOrder(digits: string): string {
  const date = digits.replace(/^(0[1-9]|1[0-2])20(\d\d)$/, '$1$2').replace(/^20(\d\d)(0[1-9]|1[0-2])$/, '$2$1');
  if (date !== digits) return date;
  // The 2 of a year was taken for February; no card expires in the 2000s.
  if (/^020/.test(digits)) return digits.slice(1);
  return digits.length > 4 && !isLongYear(digits) ? digits.slice(0, 4) : digits;
}

/** Reports whether digits may be the beginning of a date with a year of four digits, which is not complete. */
export function isLongYear(digits: string): boolean {
  return /^(20\d{0,3}|\d\d20\d?)$/.test(digits);
}

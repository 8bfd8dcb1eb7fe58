/**
 * The four digits "MMYY" of a date as people, password managers and clipboards write it ("8/2030",
 * "2030-08", "08 30", a lone "5" for May), or the text itself when it is none of these.
 */
export function expiryDigits(text: string): string {
  const iso = /^\s*20(\d\d)-(\d\d)\s*$/.exec(text);
  if (iso) return iso[2]! + iso[1]!;
  const written = /^\s*(\d\d?)\s*[/.\s-]\s*(?:20)?(\d\d)\s*$/.exec(text);
  if (written) return written[1]!.padStart(2, '0') + written[2]!;
  const month = /^\s*(?:([2-9])|(1)\s*\/)\s*$/.exec(text);
  return month ? `0${month[1] ?? month[2]}` : text;
}

import type { PayError } from '../shared/errors';

/** The page's language, one that the library has words of. */
export const locale = new URLSearchParams(location.search).get('l') ?? 'en';

/** How long fields wait for words, in milliseconds; then they are in English. */
const PATIENCE = 3_000;

/** The words of the page's language: none for English, which is in the code, nor where they cannot be had in time. */
export const words: Promise<Record<string, string>> = Object.hasOwn(SVCPAY_LOCALES, locale)
  ? Promise.race([fetch(SVCPAY_LOCALES[locale]!).then((answer) => answer.json()), late()]).catch(() => ({}))
  : Promise.resolve({});

function late(): Promise<never> {
  return new Promise((_, reject) => setTimeout(reject, PATIENCE));
}

/** Throws an error again, in the page's language where there are words for it. */
export async function localized(error: PayError): Promise<never> {
  const message = (await words)[error.code];
  throw message ? { ...error, message } : error;
}

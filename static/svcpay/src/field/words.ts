import english from '../locales/en.json';

/** What a payer reads and hears, by name or error code, in English until told otherwise. */
const words: Record<string, string> = { ...english };

export const word = (name: string): string => words[name] ?? '';

/** Learns English words, of which there may be others already. */
export const learn = (more: Record<string, string>): unknown => Object.assign(words, { ...more, ...words });

/** Takes on another language; what it has no words for stays English. */
export function speak(locale: string, others: Record<string, string>): void {
  Object.assign(words, others);
  document.documentElement.lang = locale;
}

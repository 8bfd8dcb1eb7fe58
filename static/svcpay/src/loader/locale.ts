const LOCALES = ['en', 'es', 'fr', 'fr-CA'];

/**
 * The language of the fields: the one wanted, of the browser ("auto"), or of the page; English when there is no other.
 */
export function localeOf(wanted: unknown): string {
  const tags = wanted === 'auto' ? navigator.languages : [String(wanted ?? document.documentElement.lang)];
  for (const each of tags) {
    const tag = each.replace('_', '-');
    const found = [tag, tag.split('-')[0]!].map((each) =>
      LOCALES.find((locale) => locale.toLowerCase() === each.toLowerCase()),
    );
    const locale = found[0] ?? found[1];
    if (locale) return locale;
  }
  return 'en';
}

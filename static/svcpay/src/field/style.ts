import { rulesOf } from './style-rules';

const sheet = new CSSStyleSheet();

/** Applies a `style` option through the object model: no text of the page is parsed as a style sheet. */
export function applyStyle(style: unknown): void {
  while (sheet.cssRules.length) sheet.deleteRule(0);
  for (const { selector, declarations } of rulesOf(style, matchMedia('(pointer: coarse)').matches)) {
    const rule = sheet.cssRules[sheet.insertRule(`${selector}{}`, sheet.cssRules.length)] as CSSStyleRule;
    for (const [property, value] of declarations) rule.style.setProperty(property, value);
  }
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [sheet];
}

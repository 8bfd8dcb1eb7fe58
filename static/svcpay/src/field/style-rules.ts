const PROPERTIES: Record<string, string[]> = {
  // And the color of what a browser fills in, which has its own unless a style sheet says so by another property.
  color: ['color', '--svcpay-ink'],
  fontFamily: ['font-family'],
  fontSize: ['font-size'],
  fontSmoothing: ['-webkit-font-smoothing', '-moz-osx-font-smoothing'],
  fontStyle: ['font-style'],
  fontVariant: ['font-variant'],
  fontWeight: ['font-weight'],
  letterSpacing: ['letter-spacing'],
  textAlign: ['text-align'],
  textDecoration: ['text-decoration'],
  textShadow: ['text-shadow'],
  textTransform: ['text-transform'],
};
const VARIANTS = { base: '', complete: '.complete', empty: '.empty', invalid: '.invalid' };
const STATES = ['', ':hover', ':focus', '::placeholder', ':disabled'];

/** Anything that could load, look up or break out; what is left must still parse as the property. */
const FORBIDDEN = /[\\;{}<>]|\b(url|var|env|attr|image|element|expression)\b/i;

/** One rule of a style option: selector and declarations, all from the allow-list. */
export interface Rule {
  selector: string;
  declarations: [property: string, value: string][];
}

/** The rules of a `style` option; `touch` keeps fonts at 16 px or more, or a phone zooms the page. */
export function rulesOf(style: unknown, touch: boolean): Rule[] {
  const rules: Rule[] = [];
  // What base says of a state comes after, and so goes before, what a variant says of none.
  for (const state of STATES) {
    for (const [variant, suffix] of Object.entries(VARIANTS)) {
      const wanted = member(style, variant);
      const declarations = declarationsOf(state ? member(wanted, state) : wanted, touch);
      if (declarations.length) rules.push({ selector: `.i${suffix}${state}`, declarations });
    }
  }
  return rules;
}

function declarationsOf(wanted: unknown, touch: boolean): Rule['declarations'] {
  return Object.entries(PROPERTIES).flatMap(([name, properties]) => {
    const value = member(wanted, name);
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const text = String(value);
    if (text.length > 200 || FORBIDDEN.test(text)) return [];
    return properties.map((property): [string, string] => [
      property,
      touch && name === 'fontSize' ? `max(16px, ${text})` : text,
    ]);
  });
}

function member(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

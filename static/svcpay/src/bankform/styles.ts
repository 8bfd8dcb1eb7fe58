import { rulesOf } from '../field/style-rules';
import type { Options } from '../loader/options';

/**
 * The form's look as long as the page has none of its own: in a layer, so that every rule of the page outside of one
 * goes before it, whatever its selector.
 */
const DEFAULTS = `@layer svcpay {
.SvcPay__form {
  display: flex; flex-wrap: wrap; gap: 16px; --svcpay-error: #b91c1c; --svcpay-focus: #2563eb; --svcpay-line: #8b909a;
  --svcpay-text: #18181b; --svcpay-back: #fff;
}
.SvcPay__form--dark {
  --svcpay-error: #fca5a5; --svcpay-focus: #60a5fa; --svcpay-line: #71767f; --svcpay-text: #f4f4f5;
  --svcpay-back: #18181b;
}
.SvcPay__field { flex: 1 1 100%; min-width: 0; box-sizing: border-box; }
.SvcPay__label { display: block; margin: 0 0 6px; }
.SvcPay__input { display: block; box-sizing: border-box; width: 100%; min-height: 46px; margin: 0; padding: 8px 12px;
  border: 1px solid var(--svcpay-line); border-radius: 8px; background: var(--svcpay-back);
  color: var(--svcpay-text); font: inherit; }
.SvcPay__input:focus, .SvcPay__input--focus { outline: 2px solid var(--svcpay-focus); outline-offset: -1px; }
.SvcPay__input:disabled, .SvcPay__input--disabled { opacity: 0.6; cursor: not-allowed; }
.SvcPay__field--error .SvcPay__input { border-color: var(--svcpay-error); }
.SvcPay__mandate { display: flex; gap: 10px; align-items: flex-start; }
.SvcPay__mandate input { flex: none; width: 20px; height: 20px; margin: 2px 0 0; }
.svcpay__bank-error { margin: 6px 0 0; color: var(--svcpay-error); }
.svcpay__bank-error:empty { display: none; }
@media (pointer: coarse) { .SvcPay__input { font-size: max(16px, 1em); } }
}
.SvcPay__frame { position: relative; }
.SvcPay__frame iframe { position: absolute; inset: 0; display: block; width: 100%; height: 100%; border: 0; }`;

let defaults: CSSStyleSheet | undefined;

/**
 * Gives the document or shadow tree of a form its default look, once; a constructed sheet needs no exception in the
 * page's policy.
 */
export function useDefaults(root: DocumentOrShadowRoot): void {
  if (!defaults) {
    defaults = new CSSStyleSheet();
    defaults.replaceSync(DEFAULTS);
  }
  // First, so that sheets of the page that were made the same way come later.
  if (!root.adoptedStyleSheets.includes(defaults)) root.adoptedStyleSheets = [defaults, ...root.adoptedStyleSheets];
}

/** The `style` option on the form's own inputs, which the frames then take over with everything else. */
export class StyleOption {
  #sheet = new CSSStyleSheet();
  #form: string;
  #root: DocumentOrShadowRoot;

  constructor(root: DocumentOrShadowRoot, form: string) {
    this.#root = root;
    this.#form = form;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.#sheet];
  }

  apply(style: unknown): void {
    while (this.#sheet.cssRules.length) this.#sheet.deleteRule(0);
    for (const { selector, declarations } of rulesOf(style, matchMedia('(pointer: coarse)').matches)) {
      const own = selector.replace('.i', '.SvcPay__input').replace(/\.(complete|empty|invalid)/, '.SvcPay__input--$1');
      const at = this.#sheet.insertRule(`[data-svcpay-form="${this.#form}"] ${own}{}`, this.#sheet.cssRules.length);
      const { style: rule } = this.#sheet.cssRules[at] as CSSStyleRule;
      for (const [property, value] of declarations) rule.setProperty(property, value);
    }
  }

  remove(): void {
    this.#root.adoptedStyleSheets = this.#root.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }
}

const TEXT = [
  'color', 'fontFamily', 'fontSize', 'fontStyle', 'fontVariant', 'fontWeight', 'letterSpacing', 'textAlign',
  'textShadow', 'textTransform',
] as const;

/**
 * How an input of the page looks: the `style` of a frame that is in for it, the room around the text and what is behind
 * it.
 */
export function looksOf(input: Element): { style: Options; inset: number[]; back: string } {
  const computed = getComputedStyle(input);
  const base: Options = Object.fromEntries(TEXT.map((name) => [name, computed[name]]));
  base.textDecoration = computed.textDecorationLine;
  base.fontSmoothing = computed.getPropertyValue('-webkit-font-smoothing');
  base['::placeholder'] = { color: getComputedStyle(input, '::placeholder').color };
  const side = (name: string) =>
    parseFloat(computed.getPropertyValue(`padding-${name}`)) +
    parseFloat(computed.getPropertyValue(`border-${name}-width`));
  return { style: { base }, inset: ['top', 'right', 'bottom', 'left'].map(side), back: computed.backgroundColor };
}

import { applyStyle } from '../field/style';
import { accept } from '../shared/accept';
import { channel } from '../shared/channel';
import { acceptDigits, asciiDigits } from '../shared/digits';
import { fault, type PayError } from '../shared/errors';
import { TYPING, onceFocused } from '../shared/focus';
import { joinController } from '../shared/join';
import type { BankNumber, Collected, FieldState, Joined } from '../shared/protocol';
import { checkAccount, checkRouting, digitsOf } from './checks';

/** What the page reports the look of one number's frame; it is not trusted. */
interface Settings {
  label?: unknown;
  placeholder?: unknown;
  disabled?: unknown;
  style?: unknown;
  scheme?: unknown;
  /** Pixels between the frame's edges and the text: above, right, below, left. */
  inset?: unknown;
  /** The color behind the text, which the page draws. */
  back?: unknown;
}

/** In English until told otherwise. */
const MESSAGES: Record<string, string> = {
  incomplete_routing_number: 'Your routing number is incomplete: it has nine digits.',
  invalid_routing_number: 'Your routing number is not valid.',
  incomplete_account_number: 'Your account number is incomplete.',
  invalid_account_number: 'Your account number is not valid: it has 4 to 17 digits.',
};
const CHECKS = { routing_number: checkRouting, account_number: checkAccount };

const wanted = new URLSearchParams(location.search).get('t');
const name: BankNumber = wanted === 'routing_number' ? wanted : 'account_number';

accept((port) => {
  const input = Object.assign(document.createElement('input'), {
    id: name, name, className: 'i', type: 'text', inputMode: 'numeric', autocomplete: 'off', spellcheck: false,
  });
  const described = Object.assign(document.createElement('p'), { id: 'error', className: 'sr' });
  /** How much of an unfinished value counts as an error: none while typing, any after leaving, all on submit. */
  let demand: 'typing' | 'left' | 'submitted' = 'typing';
  let reported = '';

  const text = () => digitsOf(asciiDigits(input.value));
  const errorNow = (): PayError | undefined => {
    const { valid, possible, code } = CHECKS[name](text());
    const early = demand === 'typing' || (demand === 'left' && !text());
    return valid || (possible && early)
      ? undefined
      : fault(code, MESSAGES[code]!, 'validation_error', `bank_account.${name}`);
  };
  const state = (): FieldState => {
    const error = errorNow();
    return { empty: !text(), complete: CHECKS[name](text()).valid, ...(error && { error }) };
  };
  const report = (): FieldState => {
    const now = state();
    for (const [variant, on] of Object.entries({ empty: now.empty, complete: now.complete, invalid: !!now.error }))
      input.classList.toggle(variant, on);
    input.setAttribute('aria-invalid', String(!!now.error));
    described.textContent = now.error?.message ?? '';
    if (now.error) input.setAttribute('aria-describedby', 'error');
    else input.removeAttribute('aria-describedby');
    if (JSON.stringify(now) !== reported) page.send('change', now);
    reported = JSON.stringify(now);
    return now;
  };
  const submit = (): FieldState => {
    demand = 'submitted';
    return report();
  };
  const apply = ({ label, placeholder, disabled, style, scheme, inset, back }: Settings) => {
    document.documentElement.className = scheme === 'dark' ? 'dark' : 'light';
    input.ariaLabel = String(label ?? '').slice(0, 200);
    input.placeholder = String(placeholder ?? '').slice(0, 200);
    input.disabled = !!disabled;
    const room = Array.isArray(inset) ? inset.map((pixels) => Math.min(Math.max(Number(pixels) || 0, 0), 100)) : [];
    input.style.padding = room.map((pixels) => `${pixels}px`).join(' ');
    // Said again here, because nothing in a frame says what lies behind it; another one shows through.
    input.style.backgroundColor = /^rgb\([\d, ]+\)$/.test(String(back)) ? String(back) : 'transparent';
    applyStyle(style);
  };

  const clear = () => {
    input.value = '';
    demand = 'typing';
    report();
  };
  acceptDigits(input, report);

  const page = channel(port, {
    async init(settings: Settings) {
      const collect = (): Collected => {
        const { error } = submit();
        return { values: { [name]: text() }, errors: error ? [error] : [] };
      };
      const { locale, words } = await new Promise<Joined>((told) => {
        joinController({ collect }, (link) => void link.call('hello').then(told));
      });
      Object.assign(MESSAGES, words);
      document.documentElement.lang = locale;
      apply(settings);
      document.body.replaceChildren(input, described);
      return report();
    },
    update: apply,
    submit,
    focus: onceFocused(() => input.focus(), TYPING),
    clear,
  });
  input.oninput = () => {
    demand = 'typing';
    report();
  };
  input.onkeydown = ({ key, isComposing }) => {
    if (key === 'Enter' && !isComposing) page.send('enter');
  };
  input.onfocus = () => page.send('focus');
  input.onblur = () => {
    if (demand === 'typing') demand = 'left';
    report();
    page.send('blur');
  };
  addEventListener('pagehide', ({ persisted }) => persisted && clear());
});

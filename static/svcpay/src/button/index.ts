import { accept } from '../shared/accept';
import { channel } from '../shared/channel';
import { onceFocused } from '../shared/focus';

interface Settings {
  disabled?: unknown;
  scheme?: unknown;
  /** Of the label, as in BCP 47. */
  language?: unknown;
}

const SVG = 'http://www.w3.org/2000/svg';

/** A coin above an open hand. */
const HAND = [
  'M12 2.5a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 5.2v2.6',
  'M2.5 13.5h3l3.2 1.5h3.7a1.7 1.7 0 0 1 0 3.4H9.5',
  'M14 16.6l4.5-2a1.7 1.7 0 0 1 1.5 3l-7.6 3.6-9.9-2.4',
];

/** A house with columns. */
const BANK = ['M3 10 12 4l9 6', 'M5 10v8M10 10v8M14 10v8M19 10v8', 'M3 21h18'];

/** The label, and for a donation what is read aloud. */
const DONATE: Record<string, [string, string]> = {
  en: ['Donate with DAF', 'Donate with DAF, your donor-advised fund'],
  es: ['Donar con DAF', 'Donar con DAF, su fondo asesorado por el donante'],
  fr: ['Donner par DAF', 'Donner par DAF, votre fonds orienté par le donateur'],
};
/** The label of another button, and what its frame's title has after it. */
const PAY: Record<string, [string, string]> = {
  en: ['Pay from your bank account', ''],
  es: ['Pagar desde su cuenta', ' bancaria'],
  fr: ['Payer depuis votre compte', ' bancaire'],
};
const donates = new URLSearchParams(location.search).get('t') === 'daf';

function mark(lines: string[]): Element {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  for (const line of lines) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', line);
    svg.append(path);
  }
  return svg;
}

accept((port) => {
  const button = document.createElement('button');
  button.type = 'button';
  const label = document.createElement('span');
  button.append(mark(donates ? HAND : BANK), label);
  const apply = ({ disabled, scheme, language }: Settings) => {
    const locale = typeof language === 'string' ? language : 'en';
    document.documentElement.lang = locale;
    const own = locale.slice(0, 2);
    const [text, more] = (donates ? DONATE : PAY)[own] ?? (donates ? DONATE : PAY).en!;
    label.textContent = text;
    if (donates) button.ariaLabel = more;
    if (own !== 'en') page.send('title', donates ? text : text + more);
    button.disabled = !!disabled;
    document.documentElement.className = scheme === 'dark' ? 'dark' : 'light';
  };
  const page = channel(port, {
    init(settings: Settings) {
      apply(settings);
      document.body.replaceChildren(button);
      return true;
    },
    update: apply,
    focus: onceFocused(() => button.focus(), /^(Enter| )$/),
  });
  button.onclick = () => page.send('click');
  button.onfocus = () => page.send('focus');
  button.onblur = () => page.send('blur');
});

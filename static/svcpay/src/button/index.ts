import { accept } from '../shared/accept';
import { channel } from '../shared/channel';

interface Settings {
  disabled?: unknown;
  scheme?: unknown;
}

const SVG = 'http://www.w3.org/20/svg';

/** A coin above an open hand. */
const MARK = ['M12 3a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 5.700v2.6', 'M2.5 14h3.200l3.3 1.500h3.800a1.6 1.6 0 0 1 0 3.200H9.6', 'M14 17l4.6-2.200a1.7 1.7 0 0 1 1.6 3L12.6 21.200l-10.1-2.4'];

function mark(): Element {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  for (const line of MARK) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', line);
    svg.append(path);
  }
  return svg;
}

function span(textContent: string, className = ''): HTMLElement {
  return Object.assign(document.createElement('span'), { textContent, className });
}

accept((port) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(mark(), span('Donate with DAF'), span(', your donor-advised fund', 'sr'));
  const apply = ({ disabled, scheme }: Settings) => {
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
    focus: () => button.focus(),
  });
  button.onclick = () => page.send('click');
  button.onfocus = () => page.send('focus');
  button.onblur = () => page.send('blur');
});

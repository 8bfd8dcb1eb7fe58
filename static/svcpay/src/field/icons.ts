type Shape = [tag: string, attributes: Record<string, string | number>, text?: string];

const card = (fill: string): Shape => ['rect', { width: 32, height: 20, rx: 3, fill }];
const word = (text: string, fill: string, size: number, more: Shape[1] = {}): Shape => [
  'text',
  {
    x: 16,
    y: 10,
    dy: '.36em',
    'text-anchor': 'middle',
    'font-family': 'Arial, sans-serif',
    'font-weight': 700,
    'font-size': size,
    fill,
    ...more,
  },
  text,
];
const dot = (cx: number, r: number, fill: string, opacity = 1): Shape => ['circle', { cx, cy: 10, r, fill, opacity }];

const ICONS: Record<string, Shape[]> = {
  visa: [card('#1a3a8f'), word('VISA', '#fff', 10, { 'font-style': 'italic' })],
  mastercard: [card('#26262b'), dot(12.5, 6, '#eb001b'), dot(19.5, 6, '#f79e1b', 0.85)],
  amex: [card('#1668b8'), word('AMEX', '#fff', 9)],
  discover: [
    card('#f3f4f6'),
    dot(25, 4, '#f47216'),
    word('DISC', '#1f2328', 8, { x: 3, 'text-anchor': 'start' }),
  ],
  diners_club: [
    card('#0a579b'),
    dot(16, 7, '#fff'),
    dot(16, 5.5, '#0a579b'),
    ['path', { d: 'M14.5 6v8a4.4 4.4 0 0 1 0-8zm3 0v8a4.4 4.4 0 0 0 0-8z', fill: '#fff' }],
  ],
  jcb: [
    card('#f3f4f6'),
    ['rect', { x: 5, y: 3, width: 7, height: 14, rx: 2, fill: '#0b6cb3' }],
    ['rect', { x: 12.5, y: 3, width: 7, height: 14, rx: 2, fill: '#d4213d' }],
    ['rect', { x: 20, y: 3, width: 7, height: 14, rx: 2, fill: '#2c8a3c' }],
  ],
  none: [
    [
      'rect',
      {
        x: 0.75, y: 0.75, width: 30.5, height: 18.5, rx: 2.5, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5,
      },
    ],
    ['path', { d: 'M1 5.5h30v3H1zM4 13h8v2H4z', fill: 'currentColor' }],
  ],
};

const element = (tag: string, attributes: Record<string, string | number>) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
};

/** A small picture of the brand, drawn here: nothing is loaded for it. */
export function icon(brand: string): SVGElement {
  const picture = element('svg', { viewBox: '0 0 32 20', class: `icon ${brand}`, 'aria-hidden': 'true' });
  for (const [tag, attributes, text] of ICONS[brand] ?? ICONS.none!) {
    const shape = element(tag, attributes);
    if (text) shape.textContent = text;
    picture.append(shape);
  }
  return picture as SVGElement;
}

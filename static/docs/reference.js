// The reference page: Redoc over the contract, in the colors of the page around it.
import * as Redoc from 'redoc/bundles/redoc.standalone.js';

const place = document.getElementById('reference');
const declared = getComputedStyle(document.documentElement);
const color = (name) => declared.getPropertyValue(`--${name}`).trim();

// The column of examples is dark in both schemes: so are the colors in which code is shown there.
const night = { ground: '#10201c', code: '#0a1613', text: '#e9eeec' };

const theme = {
  spacing: { sectionVertical: 28 },
  breakpoints: { medium: '64rem', large: '85rem' },
  colors: {
    primary: { main: color('link'), light: color('link') },
    success: { main: color('good') },
    error: { main: color('bad') },
    text: { primary: color('ink'), secondary: color('soft') },
    gray: { 50: color('mark'), 100: color('line') },
    border: { light: color('line'), dark: color('line') },
    responses: {
      success: { color: color('good'), backgroundColor: color('mark'), tabTextColor: '#6ee0b5' },
      error: { color: color('bad'), backgroundColor: color('mark'), tabTextColor: '#ff9f94' },
    },
    http: { get: '#1d6b50', post: '#245a94', put: '#7a5200', delete: '#9c2f28' },
  },
  schema: {
    linesColor: color('line'),
    nestedBackground: color('mark'),
    typeNameColor: color('soft'),
    typeTitleColor: color('soft'),
    requireLabelColor: color('bad'),
    arrow: { color: color('soft') },
  },
  typography: {
    fontSize: '15px',
    lineHeight: '1.6',
    fontFamily: 'Inter, ui-sans-serif, system-ui, sans-serif',
    headings: { fontFamily: 'inherit', fontWeight: '650' },
    code: {
      fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
      fontSize: '13px',
      color: color('ink'),
      backgroundColor: color('mark'),
    },
    links: { color: color('link'), visited: color('link'), hover: color('ink') },
  },
  sidebar: {
    backgroundColor: color('raised'),
    textColor: color('ink'),
    activeTextColor: color('link'),
    arrow: { color: color('soft') },
  },
  rightPanel: {
    backgroundColor: night.ground,
    textColor: night.text,
    servers: {
      overlay: { backgroundColor: color('raised'), textColor: color('ink') },
      url: { backgroundColor: color('mark') },
    },
  },
  codeBlock: { backgroundColor: night.code },
  fab: { backgroundColor: color('raised'), color: color('link') },
};

/** How much of the window the page's head covers: it scrolls away where there is little room. */
const head = document.querySelector('.top');
const covered = () => (getComputedStyle(head).position === 'sticky' ? head.offsetHeight : 0);

Redoc.init(
  place.dataset.contract,
  { theme, hideDownloadButton: true, hideSchemaPattern: true, nativeScrollbars: true, scrollYOffset: covered },
  place,
);

// Redoc computes its colors once.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => location.reload());

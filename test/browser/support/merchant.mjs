// A merchant's web site (and an evil one) for the tests: a small server of pages made on the spot.
import { createServer } from 'node:http';
import { after } from './test.mjs';
import { credentials } from './env.mjs';

/**
 * Starts a server, for the tests of one file, whose pages are reached under any *.localhost name.
 * `put` adds a page and returns its address on a host; `log` lists every request it got, body included.
 */
export async function startSite() {
  const pages = new Map();
  const log = [];
  const answer = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    log.push({ method: request.method, url: request.url, body });
    const page = pages.get(request.url.split('?')[0]);
    response.writeHead(page ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8', ...page?.headers });
    response.end(page?.html ?? '');
  };
  const first = createServer(answer);
  await listen(first, 0, '127.0.0.1');
  const { port } = first.address();
  const servers = [first];
  const second = createServer(answer);
  await listen(second, port, '::1').then(() => servers.push(second), () => {}); // a machine without IPv6

  after(() =>
    Promise.all(servers.map((server) => new Promise((done) => (server.closeAllConnections(), server.close(done))))),
  );

  return {
    log,
    port,
    origin: (host = 'merchant') => `http://${host}.localhost:${port}`,
    put(html, { host, headers } = {}) {
      const path = `/page-${pages.size}`;
      pages.set(path, { html, headers });
      return this.origin(host) + path;
    },
  };
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
}

/** The reference's events, recorded by the page below. */
export const EVENTS = [
  'ready', 'change', 'focus', 'blur', 'cardbrand', 'dafAuthorized', 'dafCanceled',
  'walletAButtonClick', 'walletAAuthorized', 'walletACanceled', 'walletAIncompatible',
  'walletBReady', 'walletBButtonReady', 'walletBButtonClick', 'walletBAuthorized', 'walletBIncompatible',
  'achAuthorized', 'acssAuthorized',
];

/**
 * A donation form with a container for each of `types` (#card, #cardNumber …). Its script leaves
 * `pay`, `fields` and `seen` (events as [type, name, event]) in the window; `before` runs ahead of the library.
 */
export function merchantPage({
  types = ['card'],
  options = {},
  instance,
  lang = 'en',
  body = '',
  key = credentials.public_key,
  merchant = credentials.merchants.us,
  before = '',
  nonce = '',
  style = '',
  dark = false,
  version = '3.2',
} = {}) {
  const attribute = nonce && ` nonce="${nonce}"`;
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>Donate</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style${attribute}>
  :root { color-scheme: ${dark ? 'dark' : 'light'}; }
  body { font-family: system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  .SvcPayField { margin: .5rem 0 1rem; } ${style}
</style>
<script${attribute}>${before}</script>
<script src="${credentials.pay_url}/${version}/svcpay.js"${attribute}></script></head>
<body><main><h1>Donate</h1>
${types.map((type) => `<label for="${type}">${type}</label><div id="${type}"></div>`).join('\n')}
${body}<button id="after">Donate</button></main>
<script${attribute}>
  const pay = window.pay = new SvcPay(${JSON.stringify(key)}, ${JSON.stringify(merchant)}, ${JSON.stringify(instance)});
  const fields = window.fields = {}, seen = window.seen = [];
  for (const type of ${JSON.stringify(types)}) {
    const field = fields[type] = pay.createField(type, ${JSON.stringify(options)});
    for (const name of ${JSON.stringify(EVENTS)}) field.on(name, (event) => seen.push([type, name, event]));
  }
  window.started = pay.canMakePayments().then((can) => {
    if (can) for (const type in fields) fields[type].mount('#' + type);
    return can;
  });
</script></body></html>`;
}

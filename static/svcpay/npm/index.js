/** How long to wait before the script is asked for again, in milliseconds; twice as long each further time. */
const PAUSE = 500;

/** The script that is being loaded, or was, with its address. */
let loading;

/** Loads svcpay.js once and gives its class; null where there is no page. See index.d.ts. */
export function loadSvcPay({ origin, version = '3.2', integrity, nonce, retries = 2 } = {}) {
  if (typeof window === 'undefined' || typeof document === 'undefined') return Promise.resolve(null);
  const found = document.querySelector('script[src$="/svcpay.js"]');
  const address = origin ? `${new URL(origin).origin}/${version}/svcpay.js` : found?.src;
  if (!address) return Promise.reject(failure('not_ready', 'loadSvcPay needs the pay origin: loadSvcPay({ origin }).', 'integration_error'));
  if (loading && loading.address === address) return loading.script;
  if (loading || (found && found.src !== address)) {
    return Promise.reject(failure('not_ready', `This page has another svcpay.js: ${(loading?.address ?? found.src)}.`, 'integration_error'));
  }
  const script = found ? present(found) : load({ src: address, ...(integrity && { integrity, crossOrigin: 'anonymous' }), ...(nonce && { nonce }) }, retries);
  loading = { address, script };
  script.catch(() => (loading = undefined));
  return script;
}

/** A script that the page itself has. */
function present(script) {
  if (window.SvcPay) return Promise.resolve(window.SvcPay);
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve(window.SvcPay));
    script.addEventListener('error', () => reject(unreachable()));
  });
}

async function load(attributes, retries) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await request(attributes);
    } catch (error) {
      if (attempt >= retries) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE * 2 ** attempt));
    }
  }
}

function request(attributes) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), attributes);
    script.addEventListener('load', () => (window.SvcPay ? resolve(window.SvcPay) : reject(unreachable())));
    script.addEventListener('error', () => {
      script.remove();
      reject(unreachable());
    });
    document.head.append(script);
  });
}

const unreachable = () => failure('network_error', 'svcpay.js could not be loaded. Check the connection, the address and the Content-Security-Policy of the page.', 'api_connection_error');

const failure = (code, message, type) => Object.assign(new Error(message), { code, type });

/** How long to wait before the script is asked for again, in milliseconds; twice as long each further time. */
const PAUSE = 500;

/** How long a script of the page's own can stay silent once the page has loaded, in milliseconds. */
const SILENCE = 3000;

/** The script that is being loaded, or was, with its address. */
let loading;

/**
 * The policy by which a page that requires Trusted Types takes the script's address; svcpay.js has another one, for
 * what it loads.
 */
let policy;

/** Loads svcpay.js once and gives its class; null where there is no page. See index.d.ts. */
export function loadSvcPay({ origin, version = '3.2', integrity, nonce, retries = 2 } = {}) {
  if (typeof window === 'undefined' || typeof document === 'undefined') return Promise.resolve(null);
  const found = document.querySelector('script[src$="/svcpay.js"]');
  const address = origin ? addressOf(origin, version) : found?.src;
  if (!address) return refused("loadSvcPay needs the pay origin: loadSvcPay({ origin: 'https://pay.example.com' }).");
  if (loading && loading.address === address) return loading.script;
  if (loading || (found && found.src !== address)) {
    const other = `This page already uses another svcpay.js: ${loading?.address ?? found.src}.`;
    return refused(`${other} Use one origin and version for the whole page.`, address);
  }
  const pin = integrity ?? found?.integrity;
  const allowed = nonce ?? found?.nonce;
  const pinned = pin && { integrity: pin, crossOrigin: 'anonymous' };
  const attributes = { src: address, ...pinned, ...(allowed && { nonce: allowed }) };
  const script = load(found, attributes, retries);
  loading = { address, script };
  script.catch(() => (loading = undefined));
  return script;
}

/** The address of a version's script; undefined if the origin is none. */
function addressOf(origin, version) {
  try {
    const { protocol, host } = new URL(origin);
    return /^https?:$/.test(protocol) ? `${protocol}//${host}/${version}/svcpay.js` : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for the script that the page itself has, if any, and asks for it again where it cannot be had. */
async function load(found, attributes, retries) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await (found && !attempt ? (window.SvcPay ?? outcome(found, silent())) : request(attributes));
    } catch (error) {
      if (attempt >= retries || error.type === 'integration_error') throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE * 2 ** attempt));
    }
  }
}

function request({ src, ...attributes }) {
  const script = Object.assign(document.createElement('script'), attributes);
  try {
    script.src = trusted(src);
  } catch {
    const fix = 'Add svcpay and svcpay-loader to trusted-types in its Content-Security-Policy.';
    throw failure('not_ready', `This page requires Trusted Types. ${fix}`, 'integration_error', src);
  }
  document.head.append(script);
  return outcome(script);
}

function trusted(address) {
  try {
    policy ??= window.trustedTypes?.createPolicy('svcpay-loader', { createScriptURL: (url) => url });
  } catch {
    // The page does not name it, and may require none.
  }
  return policy ? policy.createScriptURL(address) : address;
}

/** The class that a script defines. One that fails leaves the page, so that the next is not taken for it. */
async function outcome(script, over) {
  await Promise.race([event(script, 'load'), event(script, 'error'), over].filter(Boolean));
  if (window.SvcPay) return window.SvcPay;
  script.remove();
  throw unreachable(script.src);
}

/**
 * Whether a script failed before anybody listened cannot be asked: one did that stays silent when the page has loaded.
 */
async function silent() {
  if (document.readyState !== 'complete') await event(window, 'load');
  await new Promise((resolve) => setTimeout(resolve, SILENCE));
}

const event = (target, name) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));

const unreachable = (address) =>
  failure(
    'network_error',
    'svcpay.js could not be loaded. Check the connection, the address and the Content-Security-Policy of the page.',
    'api_connection_error',
    address,
  );

const refused = (message, address) => Promise.reject(failure('not_ready', message, 'integration_error', address));

/** An error like those of the library, with its page if the script's address is known. */
const failure = (code, message, type, address) => {
  const error = Object.assign(new Error(message), { code, type });
  return address ? Object.assign(error, { doc_url: new URL(`/docs/errors#${code}`, address).href }) : error;
};

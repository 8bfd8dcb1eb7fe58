import { fault, type PayError } from '../shared/errors';

interface Policy {
  createScriptURL(url: string): unknown;
}

let policy: Policy | undefined;

/** Of the page's own tag of svcpay.js: where the page's policy wants one, it lets the scripts below run, too. */
const { nonce } = (document.currentScript as HTMLScriptElement | null) ?? {};

const UNREACHABLE = fault(
  'network_error',
  'The payment service could not be reached. Check the connection and try again.',
  'api_connection_error',
);
const BLOCKED = fault(
  'script_blocked',
  'The Content-Security-Policy of the page blocks a script of the payment form.',
);

/**
 * Puts a script into the page and resolves once it has run. Rejects with a PayError: script_blocked where the page's
 * policy did not let it load, else network_error. `script` can be prepared before.
 */
export function loadScript(src: string, script = document.createElement('script')): Promise<void> {
  let error: PayError = UNREACHABLE;
  const blocked = ({ blockedURI }: SecurityPolicyViolationEvent) => {
    if (src.startsWith(blockedURI)) error = BLOCKED;
  };
  document.addEventListener('securitypolicyviolation', blocked);
  return new Promise<void>((resolve, reject) => {
    Object.assign(script, { src: trusted(src), onload: () => resolve() }, nonce && { nonce });
    // The browser may report what it blocked after it reports that nothing was loaded.
    script.onerror = () => {
      script.remove();
      setTimeout(() => reject(error), 100);
    };
    document.head.append(script);
  }).finally(() => document.removeEventListener('securitypolicyviolation', blocked));
}

/**
 * The address of a script as a page takes it that requires trusted types; such a page's policy either names no
 * `trusted-types`, or "svcpay" among them. It may be made once, so that parts are given the function above and have
 * none of their own.
 */
function trusted(url: string): string {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  try {
    policy ??= factory?.createPolicy('svcpay', { createScriptURL: (address) => address });
  } catch {
    // The page does not name it, and may require none.
  }
  return (policy ? policy.createScriptURL(url) : url) as string;
}

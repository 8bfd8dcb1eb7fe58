import { fault, type PayError } from '../shared/errors';

interface Policy {
  createScriptURL(url: string): unknown;
}

let policy: Policy | undefined;

/** The nonce of the page's tag for svcpay.js. If the page's policy requires one, the scripts below need it, too. */
const nonce = (globalThis.document?.currentScript as HTMLScriptElement | null)?.nonce;

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
 * Puts a script into the page and resolves once it has run. Rejects with a PayError: script_blocked if the page's
 * policy blocked it, else network_error. `script` can be prepared before.
 */
export function loadScript(src: string, script = document.createElement('script')): Promise<void> {
  let error: PayError = UNREACHABLE;
  const blocked = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent) => {
    // Not by a policy that only reports, nor something else of the same origin.
    if (disposition === 'enforce' && /^script-src/.test(effectiveDirective) && src.startsWith(blockedURI))
      error = BLOCKED;
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
 * The address of a script, in the form that pages with trusted types require. The policy of such a page either has no
 * `trusted-types` directive, or lists "svcpay" there. Only one policy of this name can be created, so parts use the
 * function above.
 */
function trusted(url: string): string {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  try {
    policy ??= factory?.createPolicy('svcpay', { createScriptURL: (address) => address });
  } catch {
    // The page's policy does not list the name; it may not require trusted types.
  }
  return (policy ? policy.createScriptURL(url) : url) as string;
}

interface Policy {
  createScriptURL(url: string): unknown;
}

let policy: Policy | undefined;

/**
 * The address of a script of ours as a page takes it that requires trusted types; such a page's policy either names no
 * `trusted-types`, or "svcpay" among them. It may be made once, so that parts are given this function and have none of
 * their own.
 */
export function scriptURL(url: string): string {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  try {
    policy ??= factory?.createPolicy('svcpay', { createScriptURL: (address) => address });
  } catch {
    // The page does not name it, and may require none.
  }
  return (policy ? policy.createScriptURL(url) : url) as string;
}

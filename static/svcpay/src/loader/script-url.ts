interface Policy {
  createScriptURL(url: string): unknown;
}

let policy: Policy | undefined;

/**
 * The address of a script of ours as a page takes it that requires trusted types; such a page's policy either names no
 * `trusted-types`, or "svcpay" among them.
 */
export function scriptURL(url: string): string {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('svcpay', { createScriptURL: (address) => address });
  return (policy ? policy.createScriptURL(url) : url) as string;
}

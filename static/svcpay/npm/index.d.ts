/// <reference path="./svcpay.d.ts" />

export interface LoadOptions {
  /** The pay origin; may be left out where the page has the library's script already. */
  origin?: string;
  /** The version in the script's address; "3.2" unless told. */
  version?: '1.1' | '1.2' | '3.0' | '3.2' | (string & {});
  /** The published hash of a version with its patch. */
  integrity?: string;
  /** The nonce of the page's Content-Security-Policy. */
  nonce?: string;
  /** How often to try again; 2 unless told. */
  retries?: number;
}

/**
 * Loads svcpay.js once and gives its class; null where there is no page. Rejects with a SvcPay.PayError: network_error
 * when the script cannot be had, which the next call tries again; an integration_error when there is no origin, or
 * another script, or when the page requires Trusted Types and does not name svcpay-loader.
 */
export function loadSvcPay(options?: LoadOptions): Promise<typeof SvcPay | null>;

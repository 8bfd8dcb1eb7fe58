/// <reference path="./svcpay.d.ts" />

export interface LoadOptions {
  /** The pay origin; optional if the page already has the library's script. */
  origin?: string;
  /** The version in the script's address; "3.2" by default. */
  version?: '1.1' | '1.2' | '3.0' | '3.2' | (string & {});
  /** The published hash of a version with its patch. */
  integrity?: string;
  /** The nonce of the page's Content-Security-Policy. */
  nonce?: string;
  /** How often to try again; 2 by default. */
  retries?: number;
}

/**
 * Loads svcpay.js once and resolves to its class, or to null on a server. Rejects with a SvcPay.PayError: network_error
 * if the script can't be loaded (the next call tries again); an integration_error without a valid origin, if the page
 * has another script, or if it requires Trusted Types and its policy does not name svcpay-loader.
 */
export function loadSvcPay(options?: LoadOptions): Promise<typeof SvcPay | null>;

export type BankTokenResult = SvcPay.BankTokenResult;
export type Capabilities = SvcPay.Capabilities;
export type ErrorCode = SvcPay.ErrorCode;
export type Method = SvcPay.Method;
export type PayError = SvcPay.PayError;
export type TokenResult = SvcPay.TokenResult;

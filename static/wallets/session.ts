/// <reference types="applepayjs" />
// The sandbox's ApplePaySession, for browsers that have none and for those that have: what it is asked is what the real
// one is asked.
import { becomeIncompatible, compatible, Sheet } from './dialog';

/** Where the sandbox's provider gives merchant sessions; a server alone can ask it, with a certificate. */
const VALIDATION_URL = 'https://gateway.wallet-a.localhost/paymentservices/startSession';

/** How long the sheet waits for the page once it has authorized, in milliseconds. */
const PATIENCE = 30_000;

type Handler<E> = ((event: E) => void) | null;
type Loose = Record<string, unknown>;

let open: Session | undefined;

class Session extends EventTarget {
  static readonly STATUS_SUCCESS = 0;
  static readonly STATUS_FAILURE = 1;

  onvalidatemerchant: Handler<Loose> = null;
  onpaymentauthorized: Handler<Loose> = null;
  oncancel: Handler<Loose> = null;
  #request: ApplePayJS.ApplePayPaymentRequest;
  #sheet: Sheet | undefined;
  /** Runs while the sheet waits for the page. */
  #timer = 0;

  static canMakePayments(): boolean {
    return compatible();
  }

  static supportsVersion(version: number): boolean {
    return version >= 1 && version <= 14;
  }

  constructor(version: number, request: ApplePayJS.ApplePayPaymentRequest) {
    super();
    check(version, request);
    this.#request = request;
  }

  begin(): void {
    if (!navigator.userActivation.isActive)
      throw new DOMException('A session must begin in a click.', 'InvalidAccessError');
    if (open) throw new DOMException('Another session is open.', 'InvalidAccessError');
    open = this;
    const { total, lineItems, currencyCode, supportedNetworks, applicationData = '' } = this.#request;
    const shown = {
      store: total.label,
      label: lineItems?.[0]?.label ?? '',
      amount: total.amount,
      currency: currencyCode,
      networks: supportedNetworks,
      bound: applicationData,
    };
    this.#sheet = new Sheet(
      'a',
      shown,
      {
        authorized: (payment: unknown) => {
          this.#timer = window.setTimeout(() => this.#canceled(), PATIENCE);
          this.onpaymentauthorized?.({ type: 'paymentauthorized', payment });
        },
        error: () => this.#canceled(),
        incompatible: () => {
          becomeIncompatible();
          this.#canceled();
        },
      },
      () => this.#canceled(),
    );
    setTimeout(
      () => open === this && this.onvalidatemerchant?.({ type: 'validatemerchant', validationURL: VALIDATION_URL }),
    );
  }

  completeMerchantValidation(session: unknown): void {
    this.#sheet?.tell('validated', session);
  }

  /** A failure with errors lets the payer try again; one without is as final as a success. */
  completePayment(result: number | ApplePayJS.ApplePayPaymentAuthorizationResult): void {
    if (open !== this || !this.#timer)
      throw new DOMException('No payment waits to be completed.', 'InvalidAccessError');
    this.#still();
    const { status, errors = [] } = typeof result === 'number' ? { status: result } : result;
    this.#sheet?.tell('completed', status === Session.STATUS_SUCCESS);
    if (errors.length) return;
    open = undefined;
    setTimeout(() => this.#end(), 600);
  }

  abort(): void {
    if (open !== this) throw new DOMException('The session is over.', 'InvalidAccessError');
    this.#end();
  }

  #canceled(): void {
    if (open !== this) return;
    this.#end();
    this.oncancel?.({ type: 'cancel', sessionError: { code: 'unknown', info: {} } });
  }

  #end(): void {
    this.#still();
    if (open === this) open = undefined;
    this.#sheet?.close();
  }

  #still(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}

/** What the payer is told to mend; "unknown" is what trying again may mend. */
class SheetError {
  constructor(
    readonly code: string,
    readonly contactField?: string,
    readonly message = '',
  ) {}
}

/** Refuses what the real one refuses. */
function check(version: number, request: ApplePayJS.ApplePayPaymentRequest): void {
  const { countryCode, currencyCode, merchantCapabilities, supportedNetworks, total } = request;
  const right =
    Session.supportsVersion(version) &&
    /^[A-Z]{2}$/.test(countryCode) &&
    /^[A-Z]{3}$/.test(currencyCode) &&
    merchantCapabilities.includes('supports3DS') &&
    supportedNetworks.length > 0 &&
    !!total.label &&
    /^\d+(\.\d\d)?$/.test(total.amount);
  if (!right) throw new TypeError('ApplePaySession: not a payment request.');
}

Object.assign(window, { ApplePaySession: Session, ApplePayError: SheetError });

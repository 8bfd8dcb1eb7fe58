/// <reference types="applepayjs" />
import { asFault, fault, type PayError } from '../shared/errors';
import type { WalletARequest } from '../shared/protocol';
import type { Wallet, WalletSeat } from '../loader/wallet';
import { Authorization, EXPIRED, notAuthorized } from './authorization';
import { BUTTON_A, buttonA } from './button-a';
import { networksOf, type Network } from './networks';
import { Place } from './place';
import { loadScript } from './script';

/** The version of the wallet's interface that the request below is of. */
const VERSION = 3;

/** How long the page may take to make the token, in milliseconds; the sheet itself waits for 30 seconds. */
const LIFE = 25_000;

const NAMES: Record<Network, string> = {
  AMEX: 'amex', DISCOVER: 'discover', JCB: 'jcb', MASTERCARD: 'masterCard', VISA: 'visa',
};

/** Wallet A, as its provider's "Apple Pay on the Web" has it. */
export class WalletA implements Wallet {
  #seat: WalletSeat;
  #place: Place;
  #networks: Network[];
  #drawn = '';
  #removed = false;
  #session: ApplePaySession | undefined;
  #authorization: Authorization | undefined;
  /** Why the payment that the sheet shows failed. */
  #cause: PayError | undefined;
  /** Runs while the sheet waits for a token. */
  #timer = 0;

  constructor(seat: WalletSeat) {
    this.#seat = seat;
    this.#place = new Place(seat, BUTTON_A);
    this.#networks = this.#allowed();
    void this.#start();
  }

  update(): void {
    this.#place.update();
    this.#networks = this.#allowed();
    if (this.#drawn) this.#draw();
  }

  focus(): void {
    this.#place.focus();
  }

  remove(): void {
    this.#removed = true;
    this.#authorization?.end();
    abort(this.#end());
  }

  /** Makes the token while the sheet waits, and tells the sheet the outcome of it. */
  async tokenize(billing: Record<string, unknown>): Promise<SvcPay.TokenResult> {
    const authorization = this.#authorization;
    if (!authorization) throw notAuthorized();
    try {
      const result = await authorization.tokenize(billing);
      this.#complete(authorization);
      return result;
    } catch (caught) {
      this.#complete(authorization, asFault(caught));
      throw caught;
    }
  }

  async #start(): Promise<void> {
    if (!this.#networks.length) return;
    const { script } = this.#seat.setup.wallets.a!;
    try {
      if (script) await loadScript(this.#seat, script);
    } catch (caught) {
      return this.#seat.failed(asFault(caught), true);
    }
    if (this.#removed) return;
    if (!compatible()) return this.#seat.emit('walletAIncompatible', { reason: 'device_unsupported' });
    this.#draw();
    this.#seat.emit('ready', {});
  }

  #draw(): void {
    const scheme = this.#seat.scheme();
    if (scheme === this.#drawn) return;
    this.#drawn = scheme;
    this.#place.element.replaceChildren(buttonA(scheme === 'dark', () => this.#open()));
  }

  /** Opens the sheet, in the click itself. */
  #open(): void {
    const { price } = this.#seat.options();
    if (!Number(price))
      return this.#seat.failed(
        fault('price_required', 'setPrice must be called, with more than 0.00, before the sheet of wallet A can open.'),
      );
    if (this.#session) return;
    try {
      const session = new ApplePaySession(VERSION, this.#request(price));
      session.onvalidatemerchant = ({ validationURL }) => void this.#validate(session, validationURL);
      session.onpaymentauthorized = ({ payment }) => this.#authorized(payment);
      session.oncancel = () => this.#canceled();
      session.begin();
      this.#session = session;
    } catch {
      return this.#failed(
        fault('internal_error', 'Wallet A could not open its sheet. Nothing was authorized.', 'wallet_error'),
      );
    }
    this.#authorization?.end();
    this.#authorization = undefined;
    this.#seat.emit('walletAButtonClick', {});
  }

  /** Has the service prove to the wallet's provider whose page this is. */
  async #validate(session: ApplePaySession, validationURL: string): Promise<void> {
    const request: WalletARequest = { validationURL, displayName: this.#store() };
    try {
      const merchantSession: unknown = await this.#seat.ask('walletA', request);
      if (this.#session === session) session.completeMerchantValidation(merchantSession);
    } catch (caught) {
      if (this.#session !== session) return;
      abort(session);
      this.#failed(asFault(caught));
    }
  }

  #authorized({ token, billingContact, shippingContact }: ApplePayJS.ApplePayPayment): void {
    const authorization = new Authorization(
      this.#seat,
      token,
      billingOf(billingContact, shippingContact?.emailAddress),
      LIFE,
    );
    this.#authorization = authorization;
    this.#still();
    this.#timer = window.setTimeout(() => {
      authorization.end();
      this.#complete(authorization, EXPIRED);
    }, LIFE);
    this.#seat.emit('walletAAuthorized', {});
  }

  /**
   * Tells the sheet, once, what it waits for. After a failure it stays, and the payer may authorize again: it would be
   * over, without a word, if the failure had no error.
   */
  #complete(authorization: Authorization, cause?: PayError): void {
    const session = this.#session;
    if (authorization !== this.#authorization || !session) return;
    const waits = this.#timer;
    this.#still();
    this.#cause = cause;
    if (!cause) {
      this.#end();
      // It was notified of a failure before the same authorization did after all.
      if (!waits) return abort(session);
      session.completePayment(ApplePaySession.STATUS_SUCCESS);
    } else if (waits) {
      session.completePayment({ status: ApplePaySession.STATUS_FAILURE, errors: [new ApplePayError('unknown')] });
    }
  }

  #canceled(): void {
    this.#end();
    this.#authorization?.end();
    this.#authorization = undefined;
    this.#place.focus();
    if (this.#cause) this.#seat.failed(this.#cause);
    this.#cause = undefined;
    this.#seat.emit('walletACanceled', {});
  }

  #failed(error: PayError): void {
    this.#seat.failed(error);
    this.#canceled();
  }

  /** Forgets the session, which is over. */
  #end(): ApplePaySession | undefined {
    const session = this.#session;
    this.#session = undefined;
    this.#still();
    return session;
  }

  #still(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  /** JCB cannot be charged through wallet A in the United States. */
  #allowed(): Network[] {
    const us = this.#seat.setup.merchant.country === 'US';
    return networksOf(this.#seat).filter((name) => !us || name !== 'JCB');
  }

  #store(): string {
    return String(this.#seat.options().storeName || this.#seat.setup.merchant.name);
  }

  #request(price: string): ApplePayJS.ApplePayPaymentRequest {
    const { id, country, currency } = this.#seat.setup.merchant;
    const { label } = this.#seat.options();
    return {
      countryCode: country,
      currencyCode: currency.toUpperCase(),
      merchantCapabilities: ['supports3DS'],
      supportedNetworks: this.#networks.map((name) => NAMES[name]),
      requiredBillingContactFields: ['postalAddress', 'name'],
      requiredShippingContactFields: ['email'],
      // The wallet signs it with the payment, which then is good for this merchant alone.
      applicationData: btoa(String(id)),
      ...(label && { lineItems: [{ label: String(label), amount: price, type: 'final' as const }] }),
      total: { label: this.#store(), amount: price, type: 'final' },
    };
  }
}

/** Takes a sheet away. */
function abort(session?: ApplePaySession): void {
  try {
    session?.abort();
  } catch {
    // It was over already, of which no one is told.
  }
}

function compatible(): boolean {
  try {
    return !!window.ApplePaySession?.supportsVersion(VERSION) && ApplePaySession.canMakePayments();
  } catch {
    return false; // as in a page that is not secure
  }
}

declare global {
  interface Window {
    ApplePaySession?: typeof ApplePaySession;
  }
}

function billingOf(
  contact: ApplePayJS.ApplePayPaymentContact = {},
  email?: string,
): Record<string, string | undefined> {
  const [first, ...rest] = contact.addressLines ?? [];
  return {
    first_name: contact.givenName,
    last_name: contact.familyName,
    address_line_1: first,
    address_line_2: rest.join(', '),
    address_city: contact.locality,
    address_state: contact.administrativeArea,
    address_zip: contact.postalCode,
    address_country: contact.countryCode?.toUpperCase(),
    email,
  };
}

/// <reference types="googlepay" />
import { asFault, fault, type PayError } from '../shared/errors';
import type { Wallet, WalletSeat } from '../loader/wallet';
import { Authorization, namesOf, notAuthorized } from './authorization';
import { networksOf, type Network } from './networks';
import { Place } from './place';
import { loadScript } from './script';

import api = google.payments.api;

const VERSION = { apiVersion: 2, apiVersionMinor: 0 };

/** How long an authorization is good, in milliseconds. */
const LIFE = 5 * 60_000;

/** Wallet B, as its provider's "Request objects" and "Response objects" have it. */
export class WalletB implements Wallet {
  #seat: WalletSeat;
  #place: Place;
  #client: api.PaymentsClient | undefined;
  #networks: Network[];
  #drawn = '';
  #sheet = false;
  #removed = false;
  #authorization: Authorization | undefined;

  constructor(seat: WalletSeat) {
    this.#seat = seat;
    this.#place = new Place(seat);
    this.#networks = networksOf(seat);
    void this.#start();
  }

  update(): void {
    this.#place.update();
    this.#networks = networksOf(this.#seat);
    if (this.#drawn) this.#draw();
  }

  focus(): void {
    this.#place.focus();
  }

  remove(): void {
    this.#removed = true;
    this.#authorization?.end();
  }

  async tokenize(billing: Record<string, unknown>): Promise<SvcPay.TokenResult> {
    if (!this.#authorization) throw notAuthorized();
    return this.#authorization.tokenize(billing);
  }

  get #setup() {
    return this.#seat.setup.wallets.b!;
  }

  async #start(): Promise<void> {
    if (!this.#networks.length) return;
    try {
      await loadScript(this.#seat, this.#setup.script);
      this.#client = new google.payments.api.PaymentsClient({
        environment: this.#setup.environment,
        merchantInfo: this.#merchant(),
      });
      this.#seat.emit('walletBReady', {});
      const { result } = await this.#client.isReadyToPay({ ...VERSION, allowedPaymentMethods: [this.#method()] });
      if (this.#removed) return;
      if (!result) return this.#seat.emit('walletBIncompatible', { reason: 'device_unsupported' });
    } catch (caught) {
      return this.#seat.failed(asFault(caught), true);
    }
    this.#draw();
    this.#seat.emit('walletBButtonReady', {});
    this.#seat.emit('ready', {});
  }

  #draw(): void {
    const looks = `${this.#seat.scheme()} ${this.#place.fills}`;
    if (looks === this.#drawn) return;
    this.#drawn = looks;
    const button = this.#client!.createButton({
      onClick: () => void this.#open(),
      // The wallet's own contrast rules: a dark button on light ground, and the other way round.
      buttonColor: this.#seat.scheme() === 'dark' ? 'white' : 'black',
      buttonType: 'pay',
      buttonSizeMode: this.#place.fills ? 'fill' : 'static',
      buttonRootNode: this.#seat.root,
      allowedPaymentMethods: [this.#method()],
    });
    this.#place.element.replaceChildren(button);
  }

  /** Opens the sheet, in the click itself: a browser lets nothing later open a window. */
  async #open(): Promise<void> {
    const { price } = this.#seat.options();
    if (!Number(price))
      return this.#seat.failed(
        fault('price_required', 'setPrice must be called, with more than 0.00, before the sheet of wallet B can open.'),
      );
    if (this.#sheet) return;
    this.#sheet = true;
    const answer = this.#client!.loadPaymentData(this.#request(price));
    this.#seat.emit('walletBButtonClick', {});
    try {
      const paid = await answer;
      if (this.#removed) return;
      const payload: unknown = JSON.parse(paid.paymentMethodData.tokenizationData.token);
      this.#authorization = new Authorization(this.#seat, payload, billingOf(paid), LIFE);
      this.#seat.emit('walletBAuthorized', {});
    } catch (caught) {
      this.#failed(caught as Partial<api.PaymentsError>);
    } finally {
      this.#sheet = false;
    }
  }

  /** A payer who closes the sheet has done nothing wrong; one whose account cannot pay will not be able to here. */
  #failed({ statusCode }: Partial<api.PaymentsError>): void {
    if (statusCode === 'CANCELED') return;
    if (statusCode === 'BUYER_ACCOUNT_ERROR')
      return this.#seat.emit('walletBIncompatible', { reason: 'account_unsupported' });
    const error: PayError = fault(
      'internal_error',
      `Wallet B reported an error${statusCode ? ` (${statusCode})` : ''}. Nothing was authorized.`,
      'wallet_error',
    );
    this.#seat.failed(error);
  }

  #merchant(): api.MerchantInfo {
    return { merchantId: this.#setup.merchant_id, merchantName: this.#seat.setup.merchant.name };
  }

  #method() {
    return {
      type: 'CARD' as const,
      parameters: {
        allowedAuthMethods: ['PAN_ONLY', 'CRYPTOGRAM_3DS'] satisfies api.CardAuthMethod[] as api.CardAuthMethod[],
        allowedCardNetworks: this.#networks as api.CardNetwork[],
        billingAddressRequired: true,
        billingAddressParameters: { format: 'FULL' as const },
      },
    };
  }

  #request(price: string): api.PaymentDataRequest {
    const { gateway, gateway_merchant_id: gatewayMerchantId } = this.#setup;
    const { country, currency } = this.#seat.setup.merchant;
    return {
      ...VERSION,
      merchantInfo: this.#merchant(),
      emailRequired: true,
      allowedPaymentMethods: [
        {
          ...this.#method(),
          tokenizationSpecification: { type: 'PAYMENT_GATEWAY', parameters: { gateway, gatewayMerchantId } },
        },
      ],
      transactionInfo: {
        countryCode: country,
        currencyCode: currency.toUpperCase(),
        totalPriceStatus: 'FINAL',
        totalPrice: price,
      },
    };
  }
}

function billingOf({ email, paymentMethodData: { info } }: api.PaymentData): Record<string, string | undefined> {
  const address = info?.billingAddress;
  return {
    ...namesOf(address?.name),
    address_line_1: address?.address1,
    address_line_2: [address?.address2, address?.address3].filter(Boolean).join(', '),
    address_city: address?.locality,
    address_state: address?.administrativeArea,
    address_zip: address?.postalCode,
    address_country: address?.countryCode,
    email,
  };
}

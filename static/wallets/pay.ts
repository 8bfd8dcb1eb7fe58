/// <reference types="googlepay" />
// The sandbox's script of wallet B: PaymentsClient as the real one has it, for what the library asks of it.
import { becomeIncompatible, compatible, Sheet } from './dialog';

import api = google.payments.api;

const BUTTON = `
button.wallet-b {
  display: inline-flex; align-items: center; justify-content: center; gap: 8px; box-sizing: border-box; width: 100%;
  height: 100%; min-height: 40px;
  padding: 0 18px; border: 1px solid transparent; border-radius: 8px; background: #1f1f1f; color: #fff;
  font: 500 16px/1 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  white-space: nowrap; cursor: pointer;
}
button.wallet-b:hover { background: #3c4043; }
button.wallet-b.white { background: #fff; border-color: #747775; color: #1f1f1f; }
button.wallet-b.white:hover { background: #f2f2f2; }
button.wallet-b:focus-visible { outline: 2px solid #3a4fb8; outline-offset: 2px; }
button.wallet-b.white:focus-visible { outline-color: #aab8ff; }
button.wallet-b b {
  display: grid; place-items: center; width: 24px; height: 24px; border-radius: 6px; background: #aab8ff;
  color: #0d1436; font-size: 14px;
}
@media (forced-colors: active) { button.wallet-b { border: 1px solid; } }
`.replace(/\n\s*/g, '');

const refusal = (statusCode: string, statusMessage: string): api.PaymentsError => ({ statusCode, statusMessage });

class PaymentsClient {
  constructor(options: api.PaymentOptions) {
    if (options.environment !== 'TEST') throw new Error('The sandbox’s wallet B has the environment TEST alone.');
  }

  async isReadyToPay(request: api.IsReadyToPayRequest): Promise<api.IsReadyToPayResponse> {
    checkVersion(request);
    methodOf(request.allowedPaymentMethods);
    return { result: compatible() };
  }

  createButton({ onClick, buttonColor, buttonRootNode = document }: api.ButtonOptions): HTMLElement {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(BUTTON);
    if (
      !(buttonRootNode.adoptedStyleSheets as CSSStyleSheet[]).some(
        (known) => known.cssRules[0]?.cssText === sheet.cssRules[0]?.cssText,
      )
    ) {
      buttonRootNode.adoptedStyleSheets.push(sheet);
    }
    const letter = Object.assign(document.createElement('b'), { textContent: 'B', ariaHidden: 'true' });
    const button = Object.assign(document.createElement('button'), { type: 'button', onclick: onClick });
    button.className = `wallet-b ${buttonColor === 'white' ? 'white' : ''}`;
    button.append(letter, 'Pay with Wallet B');
    return button;
  }

  loadPaymentData(request: api.PaymentDataRequest): Promise<api.PaymentData> {
    return new Promise((resolve, reject) => {
      try {
        check(request);
      } catch (caught) {
        return reject(refusal('DEVELOPER_ERROR', (caught as Error).message));
      }
      const { transactionInfo, merchantInfo } = request;
      const sale = transactionInfo!;
      const { specification, parameters } = methodOf(request.allowedPaymentMethods);
      const end = (settle: () => void): void => {
        if (sheet.close()) settle();
      };
      const sheet: Sheet = new Sheet(
        'b',
        {
          store: merchantInfo.merchantName ?? '',
          label: '',
          amount: sale.totalPrice!,
          currency: sale.currencyCode,
          networks: parameters.allowedCardNetworks,
          bound: (specification!.parameters as Record<string, string>).gatewayMerchantId!,
        },
        {
          authorized: (data: api.PaymentData) => end(() => resolve(data)),
          error: () => end(() => reject(refusal('INTERNAL_ERROR', 'The sandbox was asked for a fault.'))),
          incompatible: () => {
            becomeIncompatible();
            end(() => reject(refusal('BUYER_ACCOUNT_ERROR', 'This device cannot pay.')));
          },
        },
        () => reject(refusal('CANCELED', 'The payer closed the sheet.')),
      );
    });
  }
}

function checkVersion({ apiVersion, apiVersionMinor }: { apiVersion: number; apiVersionMinor: number }): void {
  if (apiVersion !== 2 || apiVersionMinor !== 0) throw new Error('apiVersion must be 2, apiVersionMinor 0.');
}

/** Refuses what the real one refuses: a sheet without a click, a request that lacks something. */
function check(request: api.PaymentDataRequest): void {
  if (!navigator.userActivation.isActive) throw new Error('loadPaymentData must be called in a click.');
  checkVersion(request);
  const { totalPriceStatus, totalPrice, currencyCode, countryCode } = request.transactionInfo!;
  if (totalPriceStatus !== 'FINAL' || !/^\d+\.\d\d$/.test(totalPrice ?? ''))
    throw new Error('transactionInfo needs a final totalPrice.');
  if (!/^[A-Z]{3}$/.test(currencyCode) || !/^[A-Z]{2}$/.test(countryCode ?? ''))
    throw new Error('transactionInfo needs currencyCode and countryCode.');
  if (typeof request.merchantInfo?.merchantId !== 'string') throw new Error('merchantInfo needs a merchantId.');
  const { gateway, gatewayMerchantId } = (methodOf(request.allowedPaymentMethods).specification?.parameters ??
    {}) as Record<string, string>;
  if (!gateway || !gatewayMerchantId) throw new Error('tokenizationSpecification needs gateway and gatewayMerchantId.');
}

function methodOf(methods: (api.PaymentMethodSpecification | api.IsReadyToPayPaymentMethodSpecification)[]) {
  const [method] = methods ?? [];
  const parameters = method?.parameters as api.CardParameters | undefined;
  if (method?.type !== 'CARD' || !parameters?.allowedAuthMethods?.length || !parameters.allowedCardNetworks?.length) {
    throw new Error('allowedPaymentMethods needs CARD with allowedAuthMethods and allowedCardNetworks.');
  }
  return { parameters, specification: (method as api.PaymentMethodSpecification).tokenizationSpecification };
}

Object.assign(window, { google: { payments: { api: { PaymentsClient } } } });

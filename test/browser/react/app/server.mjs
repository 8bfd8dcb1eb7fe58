// Renders a form on a server, with both forms of the packages.
import { createRequire } from 'node:module';
import { createElement as h } from 'react';
import { renderToString } from 'react-dom/server';
import * as modules from '@svcpay/react';

const { SvcPayProvider, CardField, WalletAField, useSvcPay } = modules;
const State = ({ use }) => use().status;
const form = ({ SvcPayProvider, CardField, WalletAField, useSvcPay }) =>
  renderToString(
    h(
      SvcPayProvider,
      { origin: 'https://pay.example.com', publicKey: 'pk_sandbox_x', merchant: 1042 },
      h(State, { use: useSvcPay }),
      h(CardField, { id: 'card', className: 'field', options: { hidePostalCode: true }, onChange: () => {} }),
      h(WalletAField, { options: { price: '25.00' } }),
    ),
  );
const common = createRequire(import.meta.url)('@svcpay/react');
const noProvider = (() => {
  try {
    renderToString(h(CardField));
  } catch (error) {
    return error.message;
  }
})();
console.log(JSON.stringify({
  modules: form({ SvcPayProvider, CardField, WalletAField, useSvcPay }),
  common: form(common),
  names: Object.keys(modules).sort().join() === Object.keys(common).sort().join(),
  window: typeof window,
  noProvider,
}));

// Checked by tsc alone: what the types of @svcpay/react allow, and, by @ts-expect-error, what they refuse.
import { useRef } from 'react';
import { loadSvcPay, type ErrorCode } from '@svcpay/js';
import {
  AcssDebitField, BankAccountField, CardCvcField, CardExpirationField, CardField, CardNumberField, DafField,
  SvcPayProvider, WalletAField, WalletBField, useField, useSvcPay, type CardHandle,
} from '@svcpay/react';

const ask = new Set<ErrorCode>(['incomplete_number', 'invalid_cvc']);

export function Cards() {
  const card = useRef<CardHandle>(null);
  const { can, error } = useSvcPay();
  const { ref, ready, field } = useField('walletB', { options: { price: '25.00' }, onLoaded: () => {} });
  async function pay(): Promise<string> {
    const result = await card.current!.createToken({ first_name: 'Dana' });
    // Both ways round: a result has a token or an error, and the compiler knows.
    if (result.token) return result.token + result.card.last4;
    else return result.error.code + ask.has(result.error.code);
  }
  async function payByWallet(): Promise<string> {
    const result = await field.createToken();
    if (result.error) return result.error.message;
    return result.token;
  }
  if (!can) return <p>{error?.message}</p>;
  return (
    <>
      {can.methods.cc && <CardField ref={card} id="card" aria-label="Card" options={{ hidePostalCode: true }} />}
      <CardNumberField options={{ placeholder: '1234' }} onCardBrand={({ brand }) => brand === 'visa'} />
      <CardExpirationField onChange={({ complete }, handle) => complete && handle.focus()} />
      <DafField onChange={({ error }) => error?.doc_url} />
      <CardCvcField className="cvc" onError={({ code }) => code === 'frame_blocked'} />
      <div ref={ref} hidden={!ready} />
      <button onClick={pay}>Pay</button>
      <button onClick={payByWallet}>Pay by wallet</button>
      {/* @ts-expect-error there is no such method */}
      {can.methods.walletA}
      {/* @ts-expect-error placeholders are for split fields */}
      <CardField options={{ placeholder: 'Card' }} />
      {/* @ts-expect-error not an event of cards */}
      <CardField onAuthorized={() => {}} />
      {/* @ts-expect-error not a code of the library */}
      <CardField onError={({ code }) => code === 'card_declined'} />
    </>
  );
}

export const others = (
  <SvcPayProvider origin="https://pay.example.com" publicKey="pk_sandbox_x" merchant={1042} locale="fr-CA">
    <BankAccountField
      options={{ customizeFields: { email: { label: 'Mail' } } }}
      onAuthorized={async (_, field) => {
        const result = await field.createToken({ country: 'US' });
        return result.token ? result.bank_account.last4 : result.error.message;
      }}
    />
    <AcssDebitField onAuthorized={(_, field) => void field.createToken()} />
    <DafField
      options={{ price: '125.00' }}
      onAuthorized={({ amount, workflowSessionId, grantId }) => amount + (workflowSessionId ?? grantId)}
    />
    <WalletAField options={{ label: 'Gift' }} onIncompatible={({ reason }) => reason === 'device_unsupported'} />
    <WalletBField onAuthorized={(_, field) => field.setPrice('25.00')} />
    {/* @ts-expect-error a DAF donation has no token */}
    <DafField onAuthorized={(_, field) => field.createToken()} />
    {/* @ts-expect-error nothing to clear in a button */}
    <WalletBField onReady={(_, field) => field.clear()} />
    {/* @ts-expect-error the container is the component's */}
    <WalletAField options={{ walletAElement: '#wallet' }} />
  </SvcPayProvider>
);

// @ts-expect-error the key is required
export const keyless = <SvcPayProvider merchant={1042} />;

export async function plain(): Promise<string> {
  const SvcPay = await loadSvcPay({ origin: 'https://pay.example.com' });
  if (!SvcPay) return 'on a server';
  const pay = new SvcPay('pk_sandbox_x', 1042);
  const result = await pay.createToken(pay.createField('card'));
  if (result.token) return result.token;
  else return result.error.code;
}

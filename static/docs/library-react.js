// The examples of library.js in React, by their names: components inside a <SvcPayProvider>. A test compiles them.
const REACT = {
  card: `function Card() {
  const card = useRef<CardHandle>(null);
  async function pay() {
    const result = await card.current!.createToken({ first_name: 'Dana', last_name: 'Reed' });
    show(result.token ?? result.error);
  }
  return (
    <>
      <label htmlFor="card">Card</label>
      <CardField id="card" ref={card} onChange={({ complete, error }) => show(error ?? { complete })} />
      <button onClick={pay}>Create a token</button>
    </>
  );
}`,
  split: `function SplitCard() {
  const number = useRef<CardHandle>(null);
  async function pay() {
    const result = await number.current!.createToken({ address_zip: '94107' });
    show(result.token ?? result.error);
  }
  return (
    <>
      <CardNumberField aria-label="Card number" ref={number} options={{ placeholder: '1234 1234 1234 1234' }} />
      <CardExpirationField aria-label="Expiration" />
      <CardCvcField aria-label="Security code" options={{ placeholder: '123' }} />
      <button onClick={pay}>Create a token</button>
    </>
  );
}`,
  styled: `function Styled() {
  const [disabled, setDisabled] = useState(false);
  const style = {
    base: { color: '#8b5cf6', fontFamily: 'Georgia, serif', fontSize: '19px', fontWeight: 700 },
    complete: { color: '#0f8a5f' },
    invalid: { color: '#d03050', textDecoration: 'underline wavy' },
  };
  return (
    <>
      <CardField options={{ hidePostalCode: true, disabled, style }} onChange={show} />
      <button onClick={() => setDisabled(!disabled)}>Disable or enable</button>
    </>
  );
}`,
  country: `function Abroad() {
  const [country, setCountry] = useState('HK');
  return (
    <>
      <CardField options={{ country }} onChange={({ complete }) => show({ complete })} />
      <button onClick={() => setCountry('HK')}>Hong Kong</button>
      <button onClick={() => setCountry('US')}>United States</button>
    </>
  );
}`,
  french: `function French() { // inside <SvcPayProvider locale="fr">
  return <CardField options={{ value: { postalCode: '75001' } }} onChange={({ error }) => show(error?.message)} />;
}`,
  swipe: `function Swiped() { // inside <SvcPayProvider swipe>
  return (
    <>
      <CardField
        onChange={async ({ complete }, card) => {
          if (complete) show(await card.createToken());
        }}
      />
      <button type="button" id="swipe">Swipe a card</button>
    </>
  );
}`,
  'wallet-a': `function WalletA() {
  return (
    <WalletAField
      options={{ price: '25.00', buttonSizeMode: 'fill', label: 'Gift', storeName: 'Riverside Food Bank' }}
      onAuthorized={async (_, wallet) => show(await wallet.createToken())}
      onCanceled={() => show('canceled')}
      onIncompatible={show}
    />
  );
}`,
  'wallet-b': `function WalletB() {
  return (
    <WalletBField
      options={{ price: '25.00', buttonSizeMode: 'fill' }}
      onAuthorized={async (_, wallet) => show(await wallet.createToken())}
      onIncompatible={show}
    />
  );
}`,
  bank: `function Bank() {
  const bank = useRef<BankAccountHandle>(null);
  return (
    <>
      <BankAccountField
        ref={bank}
        options={{ customizeFields: { account_holder_first_name: { label: 'Given name', placeholder: 'Dana' } } }}
      />
      <button onClick={async () => show(await bank.current!.createToken())}>Create a token</button>
    </>
  );
}`,
  'bank-q': `function BankByModal() {
  return <BankAccountField onAuthorized={async (_, bank) => show(await bank.createToken())} />;
}`,
  acss: `function Debit() {
  return <AcssDebitField onAuthorized={async (_, debit) => show(await debit.createToken())} />;
}`,
  daf: `function Daf() {
  return (
    <DafField
      options={{ price: '125.00', customerDetail: { firstName: 'Dana', lastName: 'Reed', email: 'dana@example.org' } }}
      onAuthorized={show} // goes to your server, and from there to POST /api/dafDonations
      onCanceled={() => show('canceled')}
    />
  );
}`,
};


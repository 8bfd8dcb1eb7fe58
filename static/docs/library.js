// The fields of svcpay.js, each next to the code that made it. The code that is shown is the text of the functions
// below:
// they are written as a page would have them, with `pay` for its instance and `show` for what it does with results.

/**
 * One entry for each field type: `merchant` takes such payments (us, us_q, ca), `instance` are the constructor's
 * options, `fields` the labels and ids of the containers, `buttons` ids and words of buttons.
 */
const EXAMPLES = [
  {
    name: 'card',
    title: 'Card',
    about: 'Number, expiration, security code and postal code in one frame.',
    merchant: 'us',
    fields: [['Card', 'card']],
    buttons: [['card-pay', 'Create a token']],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const card = pay.createField('card');
      card.on('change', ({ complete, error }) => show(error ?? { complete }));
      card.on('cardbrand', ({ brand }) => show({ brand }));
      card.mount('#card');

      document.querySelector('#card-pay').onclick = async () => {
        const { token, card: details, error } = await pay.createToken(card, { first_name: 'Dana', last_name: 'Reed' });
        show(error ?? { token, details }); // the token goes to your server, and from there to POST /api/charges
      };
    },
  },
  {
    name: 'split',
    title: 'Split card fields',
    about: 'One frame for each part, so that your page can lay them out. Any of them stands for all.',
    merchant: 'us',
    fields: [
      ['Card number', 'split-number'],
      ['Expiration', 'split-expiration'],
      ['Security code', 'split-cvc'],
    ],
    buttons: [['split-pay', 'Create a token']],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const number = pay.createField('cardNumber', { placeholder: '1234 1234 1234 1234' });
      const expiration = pay.createField('cardExpiration');
      const cvc = pay.createField('cardCvc', { placeholder: '123' });
      number.mount('#split-number');
      expiration.mount('#split-expiration');
      cvc.mount('#split-cvc');

      document.querySelector('#split-pay').onclick = async () => {
        const { token, error } = await pay.createToken(number, { address_zip: '94107' });
        show(error ?? { token });
      };
    },
  },
  {
    name: 'styled',
    title: 'Styled',
    about: 'Four variants, twelve properties, and the states :hover, :focus, ::placeholder and :disabled.',
    merchant: 'us',
    fields: [['Card', 'styled']],
    buttons: [['styled-off', 'Disable or enable']],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const styled = pay.createField('card', {
        hidePostalCode: true,
        style: {
          base: {
            color: '#8b5cf6',
            fontFamily: 'Georgia, serif',
            fontSize: '19px',
            fontWeight: 700,
            '::placeholder': { color: '#8b7bb8' },
          },
          complete: { color: '#0f8a5f' },
          invalid: { color: '#d03050', textDecoration: 'underline wavy' },
        },
      });
      styled.on('change', (event) => show(event));
      styled.mount('#styled');

      let disabled = false;
      document.querySelector('#styled-off').onclick = () => {
        disabled = !disabled;
        styled.updateField({ disabled });
      };
    },
  },
  {
    name: 'country',
    title: 'Countries without postal codes',
    about: 'The postal code is optional for payers in Hong Kong, Ireland and some other countries.',
    merchant: 'us',
    fields: [['Card', 'abroad']],
    buttons: [
      ['abroad-hk', 'Hong Kong'],
      ['abroad-us', 'United States'],
    ],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const card = pay.createField('card', { country: 'HK' });
      card.on('change', ({ complete }) => show({ complete }));
      card.mount('#abroad');

      for (const country of ['HK', 'US']) {
        document.querySelector(`#abroad-${country.toLowerCase()}`).onclick = () => card.updateField({ country });
      }
    },
  },
  {
    name: 'french',
    title: 'Another language',
    about: 'en, es, fr or fr-CA: placeholders, labels for assistive technology, and messages of errors.',
    merchant: 'us',
    instance: { locale: 'fr' },
    fields: [['Carte', 'french']],
    buttons: [['french-pay', 'Valider']],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const french = pay.createField('card', { value: { postalCode: '75001' } });
      french.on('change', ({ error }) => show(error?.message ?? ''));
      french.mount('#french');

      document.querySelector('#french-pay').onclick = async () => {
        const { token, error } = await pay.createToken(french);
        show(error?.message ?? token);
      };
    },
  },
  {
    name: 'swipe',
    title: 'Card swiper',
    about:
      'A reader that types what is on the stripe. Click, then swipe; without a reader, nothing comes for 20 seconds and an error says so.',
    merchant: 'us',
    instance: { swipe: true },
    fields: [['Card', 'swiped']],
    buttons: [
      ['swipe', 'Swipe a card'],
      ['swiped-pay', 'Create a token'],
    ],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const swiped = pay.createField('card'); // the page has a button with the id "swipe"
      swiped.on('change', ({ complete, error }) => show(error ?? { complete }));
      swiped.mount('#swiped');

      document.querySelector('#swiped-pay').onclick = async () => {
        const { token, error } = await pay.createToken(swiped);
        show(error ?? { token });
      };
    },
  },
  {
    name: 'wallet-a',
    title: 'Wallet A',
    about:
      'Only on registered domains of the merchant. The sheet waits for createToken, and shows the payer the outcome.',
    merchant: 'us',
    fields: [['Wallet A', 'wallet-a']],
    buttons: [],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const wallet = pay.createField('walletA', {
        buttonSizeMode: 'fill',
        label: 'Gift',
        storeName: 'Riverside Food Bank',
      });
      wallet.on('ready', () => wallet.setPrice('25.00'));
      wallet.on('walletACanceled', () => show('canceled'));
      wallet.on('walletAIncompatible', (event) => show(event));
      wallet.on('walletAAuthorized', async () => {
        const { token, card, error } = await pay.createToken(wallet);
        show(error ?? { token, card });
      });
      wallet.mount('#wallet-a');
    },
  },
  {
    name: 'wallet-b',
    title: 'Wallet B',
    about: 'The wallet’s own button and sheet. In the sandbox, the sheet offers persons with cards of all kinds.',
    merchant: 'us',
    fields: [['Wallet B', 'wallet-b']],
    buttons: [],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const wallet = pay.createField('walletB', { buttonSizeMode: 'fill' });
      wallet.on('ready', () => wallet.setPrice('25.00'));
      wallet.on('walletBIncompatible', (event) => show(event));
      wallet.on('walletBAuthorized', async () => {
        const { token, card, error } = await pay.createToken(wallet);
        show(error ?? { token, card });
      });
      wallet.mount('#wallet-b');
    },
  },
  {
    name: 'bank',
    title: 'Bank account',
    about:
      'Processor P: a form in the page, with frames for the two numbers. In the sandbox, routing number 110000000 and account 000123456789.',
    merchant: 'us',
    fields: [['Bank account', 'bank']],
    buttons: [['bank-pay', 'Create a token']],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const bank = pay.createField('bankaccount', {
        customizeFields: { account_holder_first_name: { label: 'Given name', placeholder: 'Dana' } },
      });
      bank.mount('#bank');

      document.querySelector('#bank-pay').onclick = async () => {
        const { token, bank_account: account, error } = await pay.createToken(bank);
        show(error ?? { token, account });
      };
    },
  },
  {
    name: 'bank-q',
    title: 'Bank account by a modal',
    about: 'Processor Q: the payer signs in at a bank, or types the account, which is then verified.',
    merchant: 'us_q',
    fields: [['Bank account', 'bank-q']],
    buttons: [],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const bank = pay.createField('bankaccount');
      bank.on('achAuthorized', async () => {
        const { token, bank_account: account, error } = await pay.createToken(bank);
        show(error ?? { token, account });
      });
      bank.mount('#bank-q');
    },
  },
  {
    name: 'acss',
    title: 'Pre-authorized debit',
    about: 'Canadian merchants: a modal for the account and the agreement, in English or French.',
    merchant: 'ca',
    fields: [['Pre-authorized debit', 'acss']],
    buttons: [],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const debit = pay.createField('acssDebit');
      debit.on('acssAuthorized', async () => {
        const { token, bank_account: account, error } = await pay.createToken(debit);
        show(error ?? { token, account });
      });
      debit.mount('#acss');
    },
  },
  {
    name: 'daf',
    title: 'DAF',
    about: 'Donations from a donor-advised fund: a button, and a modal of the service.',
    merchant: 'us',
    fields: [['Donor-advised fund', 'daf']],
    buttons: [],
    async run(pay, show) {
      if (!(await pay.canMakePayments())) return show(pay.lastError);
      const daf = pay.createField('daf', {
        customerDetail: { firstName: 'Dana', lastName: 'Reed', email: 'dana@example.org' },
      });
      daf.on('ready', () => daf.setPrice('125.00'));
      daf.on('dafAuthorized', (event) => show(event)); // goes to your server, and from there to POST /api/dafDonations
      daf.on('dafCanceled', () => show('canceled'));
      daf.mount('#daf');
    },
  },
];

const gallery = document.querySelector('#gallery');
const whose = document.querySelector('#whose');
const query = new URLSearchParams(location.search);
const key = query.get('key') ?? gallery.dataset.key;
const merchants = JSON.parse(gallery.dataset.merchants) ?? {};

/** An element with its attributes and what is in it. */
function element(name, attributes, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

/** The text of a function's body, as far to the left as it goes. */
function bodyOf(run) {
  const lines = run.toString().split('\n').slice(1, -1);
  const indent = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}

function codeOf({ instance, fields, buttons, run }, merchant) {
  const html = [
    ...fields.flatMap(([label, id]) => [`<label for="${id}">${label}</label>`, `<div id="${id}"></div>`]),
    ...buttons.map(([id, words]) => `<button type="button" id="${id}">${words}</button>`),
  ].join('\n');
  const options = instance
    ? `, { ${Object.entries(instance)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`)
        .join(', ')} }`
    : '';
  return `${html}\n\nconst pay = new SvcPay('${key.slice(0, 14)}…', ${merchant}${options});\n${bodyOf(run)}`;
}

/** One example: what it is, the live fields, the code. */
function sectionOf(example, merchant) {
  const { name, title, about, fields, buttons } = example;
  const output = element('output', { id: `${name}-output`, ariaLabel: `What ${title} tells` });
  const live = element(
    'div',
    { className: 'live' },
    ...fields.flatMap(([label, id]) => [
      element('label', { htmlFor: id }, label),
      element('div', { id, className: 'field' }),
    ]),
    element(
      'div',
      { className: 'row' },
      ...buttons.map(([id, words], at) =>
        element('button', { type: 'button', id, className: at ? 'second' : '' }, words),
      ),
    ),
    output,
  );
  const pre = element(
    'pre',
    { tabIndex: 0, ariaLabel: `Code of ${title}`, role: 'region' },
    element('code', {}, codeOf(example, merchant)),
  );
  const react = element('pre', { tabIndex: 0, ariaLabel: `${title} in React`, role: 'region' });
  react.append(element('code', {}, REACT[name]));
  const heading = element('h2', { id: `${name}-title` }, title);
  const section = element(
    'section',
    { id: `about-${name}`, className: 'example' },
    heading,
    element('p', {}, about),
    element('div', { className: 'both' }, live, pre),
    element('details', {}, element('summary', {}, 'In React'), react),
  );
  section.setAttribute('aria-labelledby', heading.id);
  return section;
}

/** Makes the example's instance and lets its code run. */
async function start({ name, instance, run }, merchant) {
  const output = document.querySelector(`#${name}-output`);
  const show = (value) => {
    output.textContent = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  };
  try {
    await run(new window.SvcPay(key, merchant, instance), show);
  } catch (error) {
    show({ code: error.code, message: error.message });
  }
}

whose.hidden = !!key;
whose.addEventListener('submit', (event) => {
  event.preventDefault();
  location.search = new URLSearchParams(new FormData(whose));
});
if (key && window.SvcPay) {
  const mine = (example) => query.get('merchant') ?? merchants[example.merchant];
  const shown = EXAMPLES.filter(mine);
  const links = shown.map(({ name, title }) => element('li', {}, element('a', { href: `#about-${name}` }, title)));
  const nav = element('nav', {}, element('ul', {}, ...links));
  nav.ariaLabel = 'Fields';
  gallery.replaceChildren(nav, ...shown.map((example) => sectionOf(example, mine(example))));
  // As they come near: twenty frames at once are more than a page would have.
  const near = new IntersectionObserver((seen) => {
    for (const { target } of seen.filter(({ isIntersecting }) => isIntersecting)) {
      near.unobserve(target);
      const example = shown.find(({ name }) => target.id === `about-${name}`);
      start(example, mine(example));
    }
  }, { rootMargin: '300px' });
  for (const { name } of shown) near.observe(document.querySelector(`#about-${name}`));
}

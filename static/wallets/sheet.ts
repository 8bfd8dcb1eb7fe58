// Runs in the sheets of the sandbox's wallets: asks the issuer for the payload of anyone who is chosen, and hands it to
// the page.
import { accept } from '../svcpay/src/shared/accept';
import { channel, type Channel } from '../svcpay/src/shared/channel';

const form = document.querySelector<HTMLFormElement>('#form')!;
const status = document.querySelector<HTMLElement>('#status')!;
const pay = form.querySelector<HTMLButtonElement>('.pay')!;
const wallet = document.body.dataset.wallet!.toLowerCase();

/** Wallet A's sheet waits for the merchant session, without which nothing is authorized. */
let merchantSession: unknown;
let page: Channel;

function show(text: string, open: boolean, bad = false): void {
  status.textContent = text;
  status.className = bad ? 'bad' : '';
  pay.disabled = !open;
}

async function authorize(person: string, pageOrigin: string): Promise<void> {
  const answer = await fetch(`/sandbox/wallet-${wallet}/authorize`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      person,
      ...Object.fromEntries(new URLSearchParams(location.search)),
      page_origin: pageOrigin,
      merchant_session: merchantSession,
    }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  page.send('authorized', body);
}

accept((port, pageOrigin) => {
  page = channel(port, {
    init: () => {
      if (wallet === 'b') show('', true);
      else show('The website is checked…', false);
      return true;
    },
    validated(session: unknown) {
      merchantSession = session;
      show('', true);
    },
    completed(success: boolean) {
      if (success) show('Done', false);
      else show('The payment was not completed. Try again, or cancel.', true, true);
    },
  });
  form.onsubmit = async (event) => {
    event.preventDefault();
    const person = new FormData(form).get('person') as string;
    if (person === 'error' || person === 'incompatible') return page.send(person);
    show('One moment…', false);
    try {
      await authorize(person, pageOrigin);
    } catch (caught) {
      show((caught as Error).message || 'The wallet does not answer. Try again.', true, true);
    }
  };
  document.querySelector<HTMLElement>('#cancel')!.onclick = () => page.send('canceled');
  addEventListener('keydown', ({ key }) => key === 'Escape' && page.send('canceled'));
});

// The end of a donation: thanks, or the wait for the bank's answer.
import { brandName } from './card.js'

const $ = (id) => document.getElementById(id)
const words = {
  initiated: 'Sent to your fund',
  completed: 'Paid by your fund',
  canceled: 'Canceled',
  unknown: 'Waiting for your fund',
  captured: 'Captured',
  settled: 'Settled',
  authorized: 'Authorized',
  pending: 'Bank payment processing',
  failed: 'Not paid',
  returned: 'Returned by the bank',
  processing: 'Confirming',
}

const texts = {
  succeeded: ({ name, receipt }) => [name ? `Thank you, ${name}!` : 'Thank you!', thanks(receipt)],
  processing: () => [
    'We’re confirming your gift',
    'Your bank is taking longer than usual. There is nothing for you to do: please don’t give again.',
  ],
  waiting: () => [
    'Still waiting for your bank',
    'Your gift is safe with us and will be charged only once. You can look again now, or come back later.',
  ],
}

function thanks(receipt) {
  if (receipt?.status === 'unknown') return `Please remember to make the grant on the website of ${receipt.fund}.`
  if (receipt?.status === 'pending')
    return 'Your account will be debited within a few business days. We’ve emailed you a copy of your authorization.'
  return 'Your gift is on its way to where it is needed.'
}

// showResult replaces the form by the state of the donation and takes the
// reader there.
export function showResult(answer, { name, again, follow }) {
  const [title, text] = texts[answer.state]({ name, receipt: answer.receipt })
  $('form').hidden = true
  $('result').hidden = false
  $('result').dataset.state = answer.state
  $('badge').classList.toggle('waiting', answer.state !== 'succeeded')
  $('result-title').textContent = title
  $('result-text').textContent = text
  if (answer.receipt) showReceipt(answer.receipt)
  $('receipt').hidden = !answer.receipt
  $('result-amount').hidden = !answer.receipt
  const button = $('again')
  button.hidden = answer.state === 'processing'
  button.textContent = answer.state === 'waiting' ? 'Look again' : 'Give another gift'
  button.onclick =
    answer.state === 'waiting'
      ? () => {
          showResult({ ...answer, state: 'processing' }, { name, again, follow })
          follow()
        }
      : again
  $('result-title').focus({ preventScroll: true })
  $('give').scrollIntoView({ block: 'nearest' })
}

// set fills a row of the receipt, or leaves it out.
function set(name, text) {
  const place = document.querySelector(`[data-receipt=${name}]`)
  place.textContent = text ?? ''
  place.closest('div').hidden = !text
}

function showReceipt({
  id, status, amount, currency, brand, bank, last4, fund, tracking_id: tracking, created_at: created,
}) {
  $('result-amount').textContent = new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount / 100)
  set('card', brand && `${brandName(brand)} ••${last4}`)
  set('account', bank && `${bank} ••${last4}`)
  set('fund', fund)
  set('date', new Date(created).toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'short' }))
  set('status', words[status] ?? status)
  set('tracking', tracking)
  set('charge', fund ? '' : id)
  set('donation', fund && id)
}

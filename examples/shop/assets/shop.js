// The donation form: reads the donor's inputs, has the card or bank account made
// a token or a grant authorized, asks the shop's own server to take the gift, and shows the outcome of it.
import { BankEntry } from './bank.js'
import { CardEntry } from './card.js'
import { DafEntry } from './daf.js'
import { Donation } from './donation.js'
import { showResult } from './result.js'
import { WalletEntry } from './wallet.js'
import './sandbox.js'

const $ = (id) => document.getElementById(id)
const form = $('form')
const { key, merchant, currency, min, max, bankProcessor, dafPercentage } = form.dataset
const donation = new Donation()
const card = new CardEntry(key, merchant, {
  onChange: (message) => showError('card', message),
  onEdit: () => donation.edited(),
})
const bank = new BankEntry(key, merchant, bankProcessor, {
  onAuthorized: async (account) => {
    notice()
    setBusy(true)
    await concluded(await giveToken('bank', await account.tokenize(), amount()))
  },
  onEdit: () => donation.edited(),
})
const daf = new DafEntry(key, merchant, Number(dafPercentage), {
  onAuthorized: grant,
  onCanceled: () =>
    notice(
      'You closed the window before authorizing a grant.',
      'Nothing was given. You can try again, or give by card.',
    ),
})
const store = { label: 'Gift', storeName: document.querySelector('.brand span').textContent }
const wallets = [
  new WalletEntry(key, merchant, 'walletA', '#wallet-a', { onAuthorized: payByWallet, ...store }),
  new WalletEntry(key, merchant, 'walletB', '#wallet-b', { onAuthorized: payByWallet, ...store }),
]
let busy = false

const money = (cents) => new Intl.NumberFormat('en-US', {
  style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger',
}).format(cents / 100)

// amount is the gift in cents, NaN while it is not one.
function amount() {
  if (form.elements.amount.value !== 'other') return Number(form.elements.amount.value)
  const [, whole, cents = ''] = /^\$?(\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.(\d{1,2}))?$/.exec(value('other')) ?? []
  return whole === undefined ? NaN : Number(whole.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'))
}

const amountFits = () => amount() >= Number(min) && amount() <= Number(max)
const splitShown = () => form.elements.mode.value === 'split'
const input = (name) => form.elements[name === 'amount' ? 'other' : name]
const value = (name) => input(name).value.trim()

function showError(name, message) {
  const error = $(`${name}-error`)
  error.textContent = message ?? ''
  error.hidden = !message
  if (name === 'card') markFrames(Boolean(message))
  else input(name).setAttribute('aria-invalid', String(Boolean(message)))
}

// markFrames marks the fields of the card that are not complete.
function markFrames(wrong) {
  for (const frame of document.querySelectorAll('.frame')) {
    frame.classList.toggle('wrong', wrong && !frame.classList.contains('SvcPayField--complete'))
  }
}

const checks = {
  amount: () => (amountFits() ? '' : `Choose an amount between ${money(min)} and ${money(max)}.`),
  first_name: () => (value('first_name') ? '' : 'Enter your first name.'),
  last_name: () => (value('last_name') ? '' : 'Enter your last name.'),
  email: () =>
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value('email')) ? '' : 'Enter an email address like name@example.org.',
  zip: () =>
    !splitShown() || /^[0-9a-z][0-9a-z -]{2,9}$/i.test(value('zip'))
      ? ''
      : 'Enter the ZIP code of your card’s billing address.',
  card: () => card.problem(),
}

// check shows every mistake at once, takes the donor to the first, and is true without any.
function check() {
  const asked = Object.entries(checks).filter(([name]) => way() === 'card' || name === 'amount')
  const wrong = asked.filter(([name, find]) => {
    const message = find()
    showError(name, message)
    return message
  }).map(([name]) => name)
  if (wrong.length === 0) return true
  if (wrong[0] === 'card') card.focus()
  else input(wrong[0]).focus()
  return false
}

function notice(message, advice) {
  const box = $('notice')
  box.hidden = !message
  box.replaceChildren()
  if (!message) return
  const strong = document.createElement('b')
  strong.textContent = message
  box.append(strong, advice ?? '')
}

function setBusy(now) {
  busy = now
  $('donate').setAttribute('aria-disabled', String(now))
  label()
  offer()
}

function label() {
  const gift = amountFits() ? money(amount()) : ''
  $('donate-text').textContent = busy ? 'One moment…' : `Donate ${gift}`.trim()
  $('impact').hidden = !gift
  const { cents, unit, before, tail } = $('impact').dataset
  const good = document.createElement('b')
  good.textContent = `${Math.max(1, Math.round(amount() / cents)).toLocaleString('en-US')} ${unit}`
  $('impact').replaceChildren(`${before} `, good, ` ${tail}`)
}

// billing goes with the card, to make a decline by address checks less likely.
// The combined field asks for the ZIP code itself.
function billing() {
  const person = {
    first_name: value('first_name'),
    last_name: value('last_name'),
    email: value('email'),
    address_country: currency === 'cad' ? 'CA' : 'US',
  }
  return splitShown() ? { ...person, address_zip: value('zip') } : person
}

// typed is who gives, by the form.
const typed = () => ({ first_name: value('first_name'), last_name: value('last_name'), email: value('email') })

async function give() {
  if (donation.unsent) return donation.send()
  if (way() === 'bank') return giveToken('bank', await bank.tokenize(), amount())
  return giveToken('card', await card.tokenize(billing()), amount(), {
    ...typed(),
    zip: splitShown() ? value('zip') : '',
  })
}

// giveToken has the server charge a token, unless there is none. Wallets and banks know themselves who gives.
async function giveToken(by, { error, token, billing: known }, sum, donor) {
  if (error) return { state: by, ...error }
  const { first_name = '', last_name = '', email = '' } = donor ?? known
  donation.start('charge')
  const answer = await donation.send({
    way: by,
    token,
    amount: sum,
    merchant_id: Number(merchant),
    donor: { first_name, last_name, email, zip: donor?.zip ?? '' },
  })
  return { ...answer, name: first_name }
}

// payByWallet gives what a wallet's sheet has shown. What the wallet does not say of the donor is the form's.
async function payByWallet(wallet) {
  notice()
  const sum = amount()
  setBusy(true)
  await concluded(await giveToken('card', await wallet.tokenize(billing()), sum))
}

// concluded shows the outcome of a gift that began with a button of svcpay.js.
async function concluded({ name, ...answer }) {
  setBusy(false)
  if (answer.code) return notice(answer.message, 'Nothing was charged. You can try again, or give in another way.')
  await act(answer, name)
}

// offer keeps the buttons of wallets and funds in step with the form.
function offer() {
  const fits = amountFits() && !busy
  for (const wallet of wallets) wallet.offer(fits ? amount() : 0)
  $('debit').textContent = fits
    ? `A debit of ${money(amount())} from your account`
    : busy
      ? 'One moment…'
      : checks.amount()
  if (way() === 'bank' && !submits()) bank.enable(fits)
  if (way() !== 'daf') return
  const cover = form.elements.cover.checked
  const sum = fits ? daf.sum(amount(), cover) : 0
  const fee = fits ? daf.sum(amount(), true) - daf.sum(amount(), false) : 0
  $('cover-sum').textContent = fee ? ` of ${money(fee)}` : ''
  $('grant').textContent = sum ? `A grant of ${money(sum)} from your fund` : busy ? 'One moment…' : checks.amount()
  daf.offer(sum, { firstName: value('first_name'), lastName: value('last_name'), email: value('email') })
}

// grant has the server record what the donor authorized, who may have changed the amount.
async function grant(event) {
  notice()
  setBusy(true)
  donation.start('grant')
  const answer = await donation.send({
    ...event,
    merchant_id: Number(merchant),
    covers_fee: form.elements.cover.checked,
  })
  setBusy(false)
  await act(answer, event.user.firstName)
}

const way = () => form.elements.way.value

// submits is true where the donor gives by the form's own button, not by one of svcpay.js.
const submits = () => way() === 'card' || (way() === 'bank' && form.dataset.bank === 'form')

// showWay shows what a way of giving needs.
function showWay() {
  for (const name of ['card', 'bank', 'daf']) $(`${name}-way`).hidden = way() !== name
  $('about').hidden = way() === 'bank'
  $('pay').hidden = !submits()
  notice()
  if (way() === 'bank') bank.show('#bank')
  if (way() === 'daf') daf.mount('#daf')
  offer()
}

// act shows an answer: in place while the donor can go on, else as the result.
async function act(answer, name = value('first_name')) {
  notice()
  if (answer.state === 'succeeded' || answer.state === 'processing') {
    showResult(answer, { name, again: startOver, follow })
    return answer.state === 'processing' ? follow() : undefined
  }
  showForm()
  if (answer.type === 'validation_error')
    return answer.state === 'bank' ? bank.focus() : showError('card', answer.message)
  for (const [name, message] of Object.entries(answer.errors ?? {})) showError(name, message)
  if (answer.state !== 'none') notice(answer.message, answer.advice)
  if (donation.unsent && !submits()) offerAgain()
}

// offerAgain lets the donor send again what is authorized, instead of authorizing it twice.
function offerAgain() {
  const again = document.createElement('button')
  again.type = 'button'
  again.className = 'quiet'
  again.textContent = 'Try again'
  again.onclick = async () => {
    setBusy(true)
    const answer = await donation.send()
    setBusy(false)
    await act(answer)
  }
  $('notice').append(again)
}

async function follow() {
  const answer = await donation.follow()
  if (['processing', 'unreachable', 'none'].includes(answer.state)) {
    showResult({ ...answer, state: 'waiting' }, { again: startOver, follow })
  } else await act(answer)
}

function showForm() {
  $('result').hidden = true
  form.hidden = false
}

// A page of its own for a new gift: the fields of the card begin empty.
function startOver() {
  donation.end()
  location.reload()
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (busy || !submits()) return
  notice()
  if (!check()) return
  setBusy(true)
  const { name, ...answer } = await give()
  setBusy(false)
  await act(answer, name)
})

form.addEventListener('input', ({ target }) => {
  if (submits()) donation.edited()
  if (target.name === 'amount') {
    $('other-row').hidden = target.value !== 'other'
    showError('amount', '')
    if (target.value === 'other') input('other').focus()
  }
  label()
  offer()
})

// A mistake is named when the donor leaves an input, and gone once corrected.
form.addEventListener('change', ({ target }) => {
  const name = target.name === 'other' ? 'amount' : target.name
  if (target.name === 'way') showWay()
  else if (target.name === 'mode') showCard(target.value)
  else if (name in checks && target.type !== 'radio') showError(name, checks[name]())
})

async function showCard(mode) {
  $('combined').hidden = mode !== 'combined'
  $('split').hidden = mode !== 'split'
  const problem = await card.show(mode)
  notice(problem?.message)
}

label()
offer()
const [debits, grants] = await Promise.all([bank.available(), daf.available(), showCard(form.elements.mode.value)])
form.dataset.bank = debits ?? ''
for (const [name, takes] of Object.entries({ bank: debits, daf: grants }))
  form.querySelector(`label:has([name=way][value=${name}])`).hidden = !takes
$('ways').hidden = !debits && !grants
if (donation.begun) await act(await donation.look())

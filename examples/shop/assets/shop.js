// The donation form: reads the donor's inputs, has the card made a token or a
// grant authorized, asks the shop's own server to take the gift, and shows what came of it.
import { CardEntry } from './card.js'
import { DafEntry } from './daf.js'
import { Donation } from './donation.js'
import { showResult } from './result.js'
import { WalletEntry } from './wallet.js'
import './sandbox.js'

const $ = (id) => document.getElementById(id)
const form = $('form')
const { key, merchant, currency, min, max, dafPercentage } = form.dataset
const donation = new Donation()
const card = new CardEntry(key, merchant, {
  onChange: (message) => showError('card', message),
  onEdit: () => donation.edited(),
})
const daf = new DafEntry(key, merchant, Number(dafPercentage), {
  onAuthorized: grant,
  onCanceled: () => notice('You left before you authorized a grant.', 'Nothing was given. You can try again, or give by card.'),
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
  amount: () => amountFits() ? '' : `Choose an amount between ${money(min)} and ${money(max)}.`,
  first_name: () => value('first_name') ? '' : 'Enter your first name.',
  last_name: () => value('last_name') ? '' : 'Enter your last name.',
  email: () => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value('email')) ? '' : 'Enter an e-mail address like name@example.org.',
  zip: () => !splitShown() || /^[0-9a-z][0-9a-z -]{2,9}$/i.test(value('zip')) ? '' : 'Enter the ZIP code of your card’s billing address.',
  card: () => card.problem(),
}

// check shows every mistake at once, takes the donor to the first, and is true without any.
function check() {
  const wrong = Object.entries(checks).filter(([name, find]) => {
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
  const meals = document.createElement('b')
  meals.textContent = `${Math.round(amount() / 50).toLocaleString('en-US')} meals`
  $('impact').replaceChildren('Puts about ', meals, ' on tables')
}

// billing goes with the card, to make a decline by address checks less likely.
// The combined field asks for the ZIP code itself.
function billing() {
  const person = { first_name: value('first_name'), last_name: value('last_name'), email: value('email'), address_country: currency === 'cad' ? 'CA' : 'US' }
  return splitShown() ? { ...person, address_zip: value('zip') } : person
}

async function give() {
  if (donation.unsent) return donation.send()
  const result = await card.tokenize(billing())
  if (result.error) return { state: 'card', ...result.error }
  donation.start('card')
  return donation.send({
    token: result.token, amount: amount(), merchant_id: Number(merchant),
    donor: { first_name: value('first_name'), last_name: value('last_name'), email: value('email'), zip: splitShown() ? value('zip') : '' },
  })
}

// payByWallet gives what a wallet's sheet has shown. The wallet knows who gives; what it does not tell is the form's.
async function payByWallet(wallet) {
  notice()
  const sum = amount()
  setBusy(true)
  const result = await wallet.tokenize(billing())
  if (result.error) {
    setBusy(false)
    return notice(result.error.message, 'Nothing was charged. You can try again, or give by card.')
  }
  const { first_name = '', last_name = '', email = '' } = result.billing
  donation.start('card')
  const answer = await donation.send({
    token: result.token, amount: sum, merchant_id: Number(merchant), donor: { first_name, last_name, email, zip: '' },
  })
  setBusy(false)
  await act(answer, first_name)
}

// offer keeps the buttons of wallets and funds in step with the form.
function offer() {
  for (const wallet of wallets) wallet.offer(amountFits() && !busy ? amount() : 0)
  if (way() !== 'daf') return
  const fits = amountFits() && !busy
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
  donation.start('daf')
  const answer = await donation.send({ ...event, merchant_id: Number(merchant), covers_fee: form.elements.cover.checked })
  setBusy(false)
  await act(answer, event.user.firstName)
}

const way = () => form.elements.way.value

// showWay shows what a way of giving needs.
function showWay() {
  const fund = way() === 'daf'
  $('daf-way').hidden = !fund
  $('card-way').hidden = $('pay').hidden = fund
  notice()
  if (!fund) return
  daf.mount('#daf')
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
  if (answer.state === 'card' && answer.type === 'validation_error') return showError('card', answer.message)
  for (const [name, message] of Object.entries(answer.errors ?? {})) showError(name, message)
  if (answer.state !== 'none') notice(answer.message, answer.advice)
  if (donation.unsent && way() === 'daf') offerAgain()
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
  if (busy || way() !== 'card') return
  notice()
  if (!check()) return
  setBusy(true)
  const answer = await give()
  setBusy(false)
  await act(answer)
})

form.addEventListener('input', ({ target }) => {
  if (way() === 'card') donation.edited()
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
$('ways').hidden = !(await Promise.all([daf.available(), showCard(form.elements.mode.value)]))[0]
if (donation.begun) await act(await donation.look())

// The donation form: reads the donor's inputs, has the card made a token, asks
// the shop's own server to charge it, and shows what came of it.
import { CardEntry } from './card.js'
import { Donation } from './donation.js'
import { showResult } from './result.js'
import './sandbox.js'

const $ = (id) => document.getElementById(id)
const form = $('form')
const { key, merchant, currency, min, max } = form.dataset
const donation = new Donation()
const card = new CardEntry(key, merchant, {
  onChange: (message) => showError('card', message),
  onEdit: () => donation.edited(),
})
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
  donation.start()
  return donation.send({
    token: result.token, amount: amount(), merchant_id: Number(merchant),
    donor: { first_name: value('first_name'), last_name: value('last_name'), email: value('email'), zip: splitShown() ? value('zip') : '' },
  })
}

// act shows an answer: in place while the donor can go on, else as the result.
async function act(answer) {
  notice()
  if (answer.state === 'succeeded' || answer.state === 'processing') {
    showResult(answer, { name: value('first_name'), again: startOver, follow })
    return answer.state === 'processing' ? follow() : undefined
  }
  showForm()
  if (answer.state === 'card' && answer.type === 'validation_error') return showError('card', answer.message)
  for (const [name, message] of Object.entries(answer.errors ?? {})) showError(name, message)
  if (answer.state !== 'none') notice(answer.message, answer.advice)
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
  if (busy) return
  notice()
  if (!check()) return
  setBusy(true)
  const answer = await give()
  setBusy(false)
  await act(answer)
})

form.addEventListener('input', ({ target }) => {
  donation.edited()
  if (target.name === 'amount') {
    $('other-row').hidden = target.value !== 'other'
    showError('amount', '')
    if (target.value === 'other') input('other').focus()
  }
  label()
})

// A mistake is named when the donor leaves an input, and gone once corrected.
form.addEventListener('change', ({ target }) => {
  const name = target.name === 'other' ? 'amount' : target.name
  if (target.name === 'mode') showCard(target.value)
  else if (name in checks && target.type !== 'radio') showError(name, checks[name]())
})

async function showCard(mode) {
  $('combined').hidden = mode !== 'combined'
  $('split').hidden = mode !== 'split'
  const problem = await card.show(mode)
  notice(problem?.message)
}

label()
await showCard(form.elements.mode.value)
if (donation.begun) await act(await donation.look())

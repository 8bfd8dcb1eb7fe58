// The card: one combined field or three separate ones, each kind on a SvcPay
// instance of its own, made when it is first shown.

const kinds = {
  combined: { card: '#card' },
  split: { cardNumber: '#card-number', cardExpiration: '#card-expiration', cardCvc: '#card-cvc' },
}
const brandNames = {
  amex: 'American Express',
  diners_club: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  visa: 'Visa',
}
const unavailable = {
  unavailable: true,
  message: 'Cards can’t be taken right now. Please reload this page in a moment.',
}

export const brandName = (brand) => brandNames[brand] ?? 'Card'

// The frames cannot read this page's style sheet, so they are told.
function style() {
  const css = getComputedStyle(document.documentElement)
  const color = (name) => css.getPropertyValue(name).trim()
  return {
    base: {
      color: color('--ink'),
      fontFamily: color('--sans'),
      fontSize: '16px',
      '::placeholder': { color: color('--soft') },
    },
    invalid: { color: color('--bad') },
  }
}

export class CardEntry {
  #key
  #merchant
  #onChange
  #onEdit
  #made = {}
  #mode = 'combined'

  // onChange is called with a message, or '' when the card has no error; onEdit
  // when the donor may have typed. (A change event reports states, not digits.)
  constructor(key, merchant, { onChange, onEdit }) {
    this.#key = key
    this.#merchant = merchant
    this.#onChange = onChange
    this.#onEdit = onEdit
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const entry of Object.values(this.#made)) {
        for (const { field } of Object.values(entry.fields)) field.updateField({ style: style() })
      }
    })
  }

  // show makes and mounts the fields of a mode. It answers what is wrong, or nothing.
  async show(mode) {
    this.#mode = mode
    if (typeof SvcPay === 'undefined') return unavailable
    const entry = (this.#made[mode] ??= this.#make(mode))
    if (await entry.ready) return this.#onChange(this.#error())
    delete this.#made[mode]
    return unavailable
  }

  #make(mode) {
    const svcpay = new SvcPay(this.#key, this.#merchant)
    const entry = { svcpay, fields: {} }
    entry.ready = svcpay.canMakePayments().then((able) => {
      if (able)
        for (const [type, target] of Object.entries(kinds[mode])) entry.fields[type] = this.#mount(svcpay, type, target)
      return Boolean(able)
    })
    return entry
  }

  #mount(svcpay, type, target) {
    const field = svcpay.createField(type, { style: style(), hideBorders: true })
    const state = { field, complete: false, error: '' }
    const badge = document.querySelector(target).parentElement.querySelector('[data-brand]')
    field.on('change', ({ complete, error }) => {
      state.complete = complete
      state.error = error?.message ?? ''
      this.#onChange(this.#error())
    })
    field.on('focus', this.#onEdit)
    if (badge) field.on('cardbrand', ({ brand }) => { badge.textContent = brand === 'none' ? '' : brandName(brand) })
    field.mount(target)
    return state
  }

  get #states() {
    return Object.values(this.#made[this.#mode]?.fields ?? {})
  }

  #error() {
    return this.#states.find(({ error }) => error)?.error ?? ''
  }

  // problem says what keeps the card from being used, '' if nothing does.
  problem() {
    if (this.#states.length === 0) return unavailable.message
    if (this.#states.every(({ complete }) => complete)) return ''
    return this.#error() || 'Enter your card details.'
  }

  // focus takes the donor to what is missing.
  focus() {
    (this.#states.find(({ complete }) => !complete) ?? this.#states[0])?.field.focus()
  }

  // tokenize resolves to svcpay's {token, …} or {error}; it never rejects.
  tokenize(billing) {
    return this.#made[this.#mode].svcpay.createToken(this.#states[0].field, billing)
  }
}

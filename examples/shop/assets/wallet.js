// A wallet's button of svcpay.js, each on an instance of its own. It is shown once the device can pay with it: until
// then, and where it cannot, its place is hidden.

export class WalletEntry {
  #svcpay
  #field

  // onAuthorized is called when the donor has authorized; it may then call tokenize once.
  constructor(key, merchant, type, target, { onAuthorized, label, storeName }) {
    this.#make(key, merchant, type, target, { onAuthorized, label, storeName })
  }

  async #make(key, merchant, type, target, { onAuthorized, label, storeName }) {
    if (typeof SvcPay === 'undefined') return
    this.#svcpay = new SvcPay(key, merchant)
    const can = await this.#svcpay.canMakePayments()
    if (!can || !can.methods[type === 'walletA' ? 'wallet_a' : 'wallet_b']) return this.#svcpay.destroy()
    const place = document.querySelector(target)
    const hide = (hidden) => {
      place.hidden = hidden
      place.parentElement.closest('fieldset').hidden = !place.parentElement.querySelector(':scope > :not([hidden])')
    }
    const field = this.#svcpay.createField(type, {
      buttonSizeMode: 'fill',
      ...(type === 'walletA' && { label, storeName }),
    })
    field.on('ready', () => hide(false))
    field.on(`${type}Incompatible`, () => hide(true))
    field.on(`${type}Authorized`, () => onAuthorized(this))
    this.#field = field
    this.offer(this.#cents)
    field.mount(target)
  }

  #cents = 0

  // offer tells the sheet what is given, in cents; without an amount it does not open.
  offer(cents) {
    this.#cents = cents
    if (cents) this.#field?.setPrice((cents / 100).toFixed(2))
    this.#field?.updateField({ disabled: !cents })
  }

  // tokenize resolves to svcpay's {token, …} or {error}; what the wallet knows of the donor comes before billing.
  tokenize(billing) {
    return this.#svcpay.createToken(this.#field, billing)
  }
}

// Giving from a donor-advised fund: the button of svcpay.js, on an instance of its own. The donor
// authorizes a grant in the modal that it opens; this shop's server then records the donation.

export class DafEntry {
  #percentage
  #field
  #settled

  // onAuthorized is called with the event dafAuthorized, onCanceled when the donor left the modal.
  constructor(key, merchant, percentage, { onAuthorized, onCanceled }) {
    this.#percentage = percentage
    this.#settled = this.#make(key, merchant, { onAuthorized, onCanceled })
  }

  // available resolves to true where the merchant can take such gifts.
  available() {
    return this.#settled
  }

  async #make(key, merchant, { onAuthorized, onCanceled }) {
    if (typeof SvcPay === 'undefined') return false
    const svcpay = new SvcPay(key, merchant)
    const can = await svcpay.canMakePayments()
    if (!can || !can.methods.daf) {
      svcpay.destroy()
      return false
    }
    this.#field = svcpay.createField('daf')
    this.#field.on('dafAuthorized', onAuthorized)
    this.#field.on('dafCanceled', onCanceled)
    return true
  }

  // mount shows the button; it is cheap to call again.
  mount(target) {
    this.#field.mount(target)
  }

  // sum is what the donor grants for a gift in cents: whole dollars, and the fee where the donor covers it.
  sum(cents, cover) {
    return cover
      ? SvcPay.dafQuote(cents, { cover: 'service', servicePercentage: this.#percentage })
      : Math.ceil(cents / 100) * 100
  }

  // offer tells the modal what it opens with; without a sum it does not open.
  offer(sum, donor) {
    if (sum) this.#field.setPrice((sum / 100).toFixed(2))
    this.#field.updateField({ disabled: !sum, customerDetail: donor })
  }
}

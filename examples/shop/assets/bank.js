// Giving from a bank account, on an instance of its own: a form in the page, or a button whose modal the donor
// goes through. Which of the two it is follows from the merchant's processor; in Canada it is always the modal.

const short = {
  account_holder_first_name: { label: 'First name' },
  account_holder_last_name: { label: 'Last name' },
}

export class BankEntry {
  #svcpay
  #field
  #settled

  // onAuthorized is called when the donor has agreed in the modal, of a merchant of processor P never;
  // onEdit when the donor may have typed into the form.
  constructor(key, merchant, processor, { onAuthorized, onEdit }) {
    this.#settled = this.#make(key, merchant, processor, { onAuthorized, onEdit })
  }

  // available resolves to "form" or "modal" where the merchant debits bank accounts, else to nothing.
  available() {
    return this.#settled
  }

  async #make(key, merchant, processor, { onAuthorized, onEdit }) {
    if (typeof SvcPay === 'undefined') return undefined
    this.#svcpay = new SvcPay(key, merchant)
    const { ach, acss } = (await this.#svcpay.canMakePayments())?.methods ?? {}
    if (!ach && !acss) return void this.#svcpay.destroy()
    if (ach && processor === 'p') {
      this.#field = this.#svcpay.createField('bankaccount', { customizeFields: short })
      this.#field.on('focus', onEdit)
      return 'form'
    }
    this.#field = this.#svcpay.createField(acss ? 'acssDebit' : 'bankaccount')
    this.#field.on(acss ? 'acssAuthorized' : 'achAuthorized', () => onAuthorized(this))
    return 'modal'
  }

  // show makes the field appear, once: what was typed stays when the donor looks at another way.
  show(target) {
    if (!document.querySelector(target).firstElementChild) this.#field.mount(target)
  }

  // focus takes the donor to what is missing.
  focus() {
    this.#field.focus()
  }

  // enable opens or closes the way to the modal.
  enable(on) {
    this.#field.updateField({ disabled: !on })
  }

  // tokenize resolves to svcpay's {token, billing, …} or {error}; it never rejects.
  tokenize() {
    return this.#svcpay.createToken(this.#field)
  }
}

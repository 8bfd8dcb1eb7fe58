// A donation attempt and its talk with the shop's server. The nonce names the
// attempt: whatever is sent again under it is charged once. It is kept in the
// tab until the attempt has ended, so that a refresh shows the same donation.

const name = 'donation'
const places = { charge: '/donations', grant: '/daf-donations' }
const waits = [500, 1500]
const lost = {
  state: 'unreachable',
  message: 'We can’t reach our server right now.',
  advice: 'Please check your connection and try again. Trying again is safe: this gift can be charged only once.',
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

// A tab without storage only loses the memory across a refresh.
function recall() {
  try {
    const saved = JSON.parse(sessionStorage.getItem(name))
    return saved?.kind in places ? saved : null
  } catch {
    return null
  }
}

function remember(value) {
  try {
    if (value) sessionStorage.setItem(name, JSON.stringify(value))
    else sessionStorage.removeItem(name)
  } catch { /* see above */ }
}

async function ask(path, init) {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(60_000) })
    const answer = await response.json()
    return typeof answer.state === 'string' ? answer : lost
  } catch {
    return lost
  }
}

export class Donation {
  #saved = recall()
  #body = null

  // begun is true when an attempt is open that may have been charged.
  get begun() {
    return this.#saved !== null
  }

  // unsent is true when the last request had no answer and may go out again as it was.
  get unsent() {
    return this.#body !== null
  }

  // edited says that the donor changed something: the same request would be wrong.
  edited() {
    this.#body = null
  }

  // start opens an attempt to make a charge or a grant, or goes on with the one that is open.
  start(kind) {
    if (this.#saved?.kind === kind) return
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    this.#saved = { kind, nonce: Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('') }
    remember(this.#saved)
  }

  end() {
    this.#saved = this.#body = null
    remember(null)
  }

  // send asks the server to take the gift, again and with the same words when the
  // answer is lost; without a request it repeats the last one.
  async send(request) {
    if (request) this.#body = JSON.stringify({ ...request, nonce: this.#saved.nonce })
    const body = this.#body
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(places[this.#saved.kind], {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
      if (answer !== lost || attempt === waits.length) return this.#note(answer)
      await pause(waits[attempt])
    }
  }

  // look asks the outcome of the attempt.
  async look() {
    const { kind, nonce, id } = this.#saved
    return this.#note(await ask(`${places[kind]}/${nonce}${id ? `?id=${encodeURIComponent(id)}` : ''}`))
  }

  // follow looks until the outcome is known, for two minutes.
  async follow() {
    let answer = { state: 'processing' }
    for (let waited = 0, wait = 1000; waited < 120_000; waited += wait, wait = Math.min(wait * 1.4, 4000)) {
      await pause(wait)
      answer = await this.look()
      if (!['processing', 'unreachable', 'none'].includes(answer.state)) return answer
    }
    return answer
  }

  #note(answer) {
    if (answer.state !== 'unreachable') this.#body = null
    if (['declined', 'invalid', 'refused'].includes(answer.state)) this.end()
    else if (answer.receipt) remember(this.#saved = { ...this.#saved, id: answer.receipt.id })
    return answer
  }
}

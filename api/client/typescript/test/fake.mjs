import { mock } from "node:test"
import { Client } from "@svcpay/client"

/** An answer with an error. */
export const refusal = (status, code, headers = {}, more = {}) => ({
  status,
  headers,
  body: {
    error: {
      type: "x_error",
      code,
      message: "Said so.",
      errors: [],
      retryable: false,
      request_id: "req_2",
      doc_url: "https://x/#x",
      ...more,
    },
  },
})

/** A client of a service that gives one answer after the other, the last for ever; and the requests that it got. */
export function talking(answers, settings = {}) {
  const requests = []
  const fetch = async (url, init) => {
    const a = answers[Math.min(requests.length, answers.length - 1)]
    requests.push({ url: new URL(url), ...init, key: init.headers.get("idempotency-key") })
    init.signal.throwIfAborted()
    if (a instanceof Error) throw a
    const body = a.status === 204 ? null : typeof a.body === "string" ? a.body : JSON.stringify(a.body ?? {})
    return new Response(body, { status: a.status ?? 200, headers: { "request-id": "req_1", ...a.headers } })
  }
  const client = new Client({
    baseURL: "https://api.example/",
    appId: 12,
    apiKey: "sk_sandbox_topsecret",
    fetch,
    ...settings,
  })
  return { client, requests }
}

/** What a promise fails with. */
export const failure = (promise) => promise.then(() => { throw new Error("it does not fail") }, (error) => error)

/** Lets the time pass, quickly, until a promise is settled; gives the milliseconds that took. */
export async function passing(promise) {
  mock.timers.enable({ apis: ["setTimeout"] })
  let [done, passed] = [false, 0]
  const settled = promise.then(() => {}, () => {}).then(() => { done = true })
  try {
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve))
      mock.timers.tick(10)
      passed += 10
      if (passed > 600_000) throw new Error("it takes ten minutes")
    }
  } finally {
    mock.timers.reset()
  }
  await settled
  return passed
}

import assert from "node:assert/strict"
import { test } from "node:test"
import { inspect } from "node:util"
import { Client, SvcPayError, until, version } from "@svcpay/client"
import { load } from "../../generate/contract.mjs"
import { failure, passing, refusal, talking } from "./fake.mjs"

const order = { merchant_id: 1042, amount: 12500, token: "tok_1" }
const made = { status: 201, body: { id: "ch_1", status: "captured" } }

test("every operation of the contract is reachable, with the headers that it takes", async () => {
  const doc = load()
  const keyed = new Map()
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const [verb, op] of Object.entries(item)) {
      if (op.responses)
        keyed.set(
          `${verb.toUpperCase()} ${path.replace(/\{\w+\}/g, "{id}")}`,
          (op.parameters ?? []).some((p) => p.$ref === "#/components/parameters/IdempotencyKey"),
        )
    }
  }
  const { client, requests } = talking([{ body: { data: [], has_more: false, next: null, previous: null } }])
  const reached = new Set()
  for (const [name, service] of Object.entries(client)) {
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(service)).filter(
      (m) => m !== "constructor",
    )) {
      const [text, head] = [service[method].toString(), service[method].toString().match(/^\w+\((.*?)\) \{/)[1]]
      const args = head
        .split(", ")
        .filter((a) => !a.startsWith("options"))
        .map((a) => (text.includes(`segment(${a})`) ? "1/?" : a === "accept" ? "text/csv" : {}))
      const answer = service[method](...args)
      await (answer.page?.() ?? answer)
      const { url, headers, key, body } = requests.at(-1)
      const operation = `${requests.at(-1).method} ${url.pathname.replaceAll("1%2F%3F", "{id}")}`
      reached.add(operation)
      assert.ok(keyed.has(operation), `${name}.${method} calls ${operation}`)
      assert.equal(key !== null, keyed.get(operation), `${name}.${method} has the key ${key}`)
      assert.equal(headers.get("x-api-key"), "sk_sandbox_topsecret")
      assert.equal(headers.get("x-app-id"), "12")
      assert.equal(headers.get("x-api-version"), doc.info.version)
      assert.match(headers.get("user-agent"), new RegExp(`^svcpay-ts/${doc.info.version} `))
      assert.equal(headers.get("content-type") === "application/json", typeof body === "string")
    }
  }
  assert.deepEqual([...keyed.keys()].filter((o) => !reached.has(o)), [])
  assert.equal(version, doc.info.version)
})

test("requests carry what was given", async () => {
  const { client, requests } = talking([{ ...made, headers: { "idempotent-replayed": "true" } }], {
    userAgent: "shop/2",
  })
  let facts
  const charge = await client.charges.create({ ...order, capture: false, description: undefined, type: null },
    { idempotencyKey: "mine", ifMatch: 3, headers: { "X-Request-Id": "r" }, onResponse: (f) => { facts = f } })
  assert.equal(charge.id, "ch_1")
  const [r] = requests
  assert.equal(r.url.href, "https://api.example/api/charges")
  assert.equal(r.body, '{"merchant_id":1042,"amount":12500,"token":"tok_1","capture":false,"type":null}')
  for (const [name, want] of Object.entries({
    "idempotency-key": "mine",
    "if-match": '"3"',
    "x-request-id": "r",
    accept: "application/json",
  })) {
    assert.equal(r.headers.get(name), want)
  }
  assert.match(r.headers.get("user-agent"), /^shop\/2 svcpay-ts\//)
  assert.equal(r.redirect, "manual")
  assert.deepEqual([facts.statusCode, facts.requestId, facts.replayed], [201, "req_1", true])
})

test("files go both ways", async () => {
  const { client, requests } = talking([{}, { body: "a,b\n", headers: { "content-type": "text/csv" } }])
  await client.files.create({ name: "a b.pdf" }, { type: "application/pdf", content: Buffer.from("%PDF") })
  assert.deepEqual(
    [requests[0].url.search, requests[0].headers.get("content-type"), String(requests[0].body)],
    ["?name=a+b.pdf", "application/pdf", "%PDF"],
  )
  const file = await client.payouts.getStatementFile(1042, { month: "2026-12" }, "text/csv")
  assert.deepEqual(
    [file.type, Buffer.from(file.content).toString(), requests[1].headers.get("accept")],
    ["text/csv", "a,b\n", "text/csv"],
  )
})

test("queries", async () => {
  const { client, requests } = talking([{ body: { data: [], has_more: false } }])
  await client.charges
    .list({ status: ["failed", "returned"], "created_at[gte]": "2026-12-01T00:00:00Z", limit: undefined })
    .page()
  assert.equal(requests[0].url.search, "?status=failed%2Creturned&created_at%5Bgte%5D=2026-12-01T00%3A00%3A00Z")
  await client.charges.list({ "expand[]": ["merchant", "token"], metadata: { order: 7 }, at: new Date(0) }).page()
  assert.equal(
    decodeURIComponent(requests[1].url.search),
    "?expand[]=merchant&expand[]=token&metadata[order]=7&at=1970-01-01T00:00:00.000Z",
  )
})

test("a value that would get lost is an error before anything is sent", async () => {
  const { client, requests } = talking([made])
  for (const [why, send] of Object.entries({
    "amount must be an integer": (c) =>
      [NaN, Infinity, 10.5, 2 ** 53, "4000", "", {}].flatMap((amount) => [
        () => c.refunds.create({ charge_id: "ch_1", amount }),
        () => c.charges.capture("ch_1", { amount }),
        () => c.charges.create({ ...order, amount }),
        () => c.charges.list({ amount }).page(),
      ]),
    "amount has no value; leave it out to mean all": (c) =>
      [null, undefined].flatMap((amount) => [
        () => c.refunds.create({ charge_id: "ch_1", amount }),
        () => c.charges.capture("ch_1", { amount }),
        () => c.sandbox.simulateCharge("ch_1", { outcome: "chargeback", amount }),
      ]),
    "filters.created_at.gte has no value; leave it out to mean all": (c) => [
      () => c.exports.create({ resource: "charges", format: "csv", filters: { created_at: { gte: undefined } } }),
    ],
    "filters.merchant_id has no value; leave it out to mean all": (c) =>
      [[], null, undefined].map(
        (merchant_id) => () => c.exports.create({ resource: "charges", format: "csv", filters: { merchant_id } }),
      ),
    "filters.merchant_id must be an integer": (c) => [
      () => c.exports.create({ resource: "charges", format: "csv", filters: { merchant_id: [1042, NaN] } }),
    ],
    "until has no value; leave it out to mean all": (c) => [
      () => c.webhookEndpoints.replay("whe_1", { since: "2026-12-01T00:00:00Z", until: undefined }),
    ],
    "endpoint_id has no value; leave it out to mean all": (c) => [
      () => c.events.redeliver("evt_1", { endpoint_id: undefined }),
    ],
    "daf_percentage must be a finite number": (c) => [() => c.merchants.update(1042, { daf_percentage: NaN })],
    "limit must be an integer": (c) => [() => c.charges.list({ limit: NaN }).page()],
    "merchant_id must be an integer": (c) => [() => c.charges.list({ merchant_id: [NaN] }).page()],
    "status has no value; leave it out to mean all": (c) => [() => c.charges.list({ status: null }).page()],
  })) {
    for (const one of send(client)) await assert.rejects(async () => one(), { name: "TypeError", message: why })
  }
  assert.equal(requests.length, 0)
  await client.refunds.create({ charge_id: "ch_1", amount: 0 }) // which the service refuses
  await client.refunds.create({ charge_id: "ch_1" })
  assert.deepEqual(requests.map((r) => r.body), ['{"charge_id":"ch_1","amount":0}', '{"charge_id":"ch_1"}'])
})

test("what may pass is asked again, under one key, after the time that the service wants and a growing pause", async () => {
  const { client, requests } = talking(
    [
      new TypeError("fetch failed"),
      refusal(409, "idempotency_key_in_use", { "retry-after": "1" }),
      refusal(429, "rate_limited", { "retry-after": "3" }),
      refusal(500, "internal_error"),
      { status: 502, body: "<html>" },
      made,
    ],
    { retries: 5 },
  )
  const charging = client.charges.create(order)
  const took = await passing(charging)
  assert.equal((await charging).id, "ch_1")
  assert.equal(new Set(requests.map((r) => r.key)).size, 1)
  assert.equal(new Set(requests.map((r) => r.body)).size, 1)
  assert.equal(requests.length, 6)
  assert.ok(took >= 4000 && took <= 4000 + 500 + 1000 + 2000 + 4000 + 8000 + 100, `${took} ms`)
  await client.charges.create(order)
  assert.notEqual(requests.at(-1).key, requests[0].key)
})

test("what is final is not repeated", async () => {
  const codes = {
    parameter_invalid: 400, api_key_invalid: 401, card_declined: 402, permission_denied: 403, resource_missing: 404,
    external_id_taken: 409, operation_in_progress: 409, token_expired: 410, object_changed: 412, token_not_found: 422,
    processor_error: 502,
  }
  for (const [code, status] of Object.entries(codes)) {
    const { client, requests } = talking([
      refusal(status, code, { "retry-after": "1" }, { status: "voided", decline_code: "lost_card" }),
    ])
    const e = await failure(client.charges.create(order, { idempotencyKey: "k" }))
    assert.ok(e instanceof SvcPayError && e instanceof Error)
    assert.deepEqual(
      [e.statusCode, e.code, e.message, e.request_id, e.retryAfter, e.idempotencyKey, e.status, e.decline_code],
      [status, code, "Said so.", "req_2", 1, "k", "voided", "lost_card"],
    )
    assert.equal(requests.length, 1)
  }
  const { client, requests } = talking([refusal(429, "card_testing_suspected", { "retry-after": "31" })])
  assert.equal((await failure(client.charges.create(order))).retryAfter, 31)
  assert.equal(requests.length, 1)
})

test("repetitions end", async () => {
  const lost = talking([new TypeError("fetch failed")])
  const losing = failure(lost.client.charges.create(order))
  await passing(losing)
  const e = await losing
  assert.deepEqual(
    [e.statusCode, e.message, e.cause.message, lost.requests.length],
    [0, "POST /api/charges: no answer", "fetch failed", 5],
  )
  assert.equal(e.idempotencyKey, lost.requests[0].key)

  const never = talking([refusal(503, "overloaded")], { retries: 0 })
  assert.equal((await failure(never.client.charges.create(order))).statusCode, 503)
  assert.equal(never.requests.length, 1)

  const busy = talking([refusal(503, "overloaded", { "retry-after": "20" })])
  const aborted = await failure(busy.client.charges.create(order, { signal: AbortSignal.timeout(50) }))
  assert.deepEqual([aborted.statusCode, aborted.cause.name, busy.requests.length], [503, "TimeoutError", 1])
  const before = await failure(busy.client.charges.create(order, { signal: AbortSignal.abort() }))
  assert.deepEqual([before.statusCode, before.cause.name, busy.requests.length], [0, "AbortError", 2])
})

test("an attempt has its own time", async () => {
  const fetch = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
    })
  const { client } = talking([], { fetch, timeout: 20, retries: 0 })
  const alive = setTimeout(() => {}, 10_000) // the signal of a timeout keeps no program running
  const e = await failure(client.charges.get("ch_1"))
  clearTimeout(alive)
  assert.deepEqual([e.statusCode, e.cause.name], [0, "TimeoutError"])
})

test("outcomes are waited for", async () => {
  const processing = { status: 202, body: { id: "ch_1", status: "processing" } }
  const { client, requests } = talking([processing, processing, processing, refusal(402, "card_declined")])
  assert.equal((await client.charges.create(order)).status, "processing")
  const waiting = failure(client.charges.create(order, { untilKnown: true }))
  assert.ok(await passing(waiting) >= 1500)
  assert.equal((await waiting).code, "card_declined")
  assert.equal(requests[1].key, requests[3].key)
  const slow = talking([processing])
  const e = await failure(slow.client.charges.create(order, { untilKnown: true, signal: AbortSignal.timeout(50) }))
  assert.deepEqual([e.statusCode, e.cause.name, e.idempotencyKey], [202, "TimeoutError", slow.requests[0].key])
})

test("until reads until it is so", async () => {
  const pending = { body: { status: "pending" } }
  const { client, requests } = talking([pending, pending, { body: { status: "succeeded" } }])
  const reading = until(() => client.refunds.get("re_1"), (r) => r.status !== "pending")
  assert.ok(await passing(reading) >= 1500)
  assert.deepEqual([(await reading).status, requests.length], ["succeeded", 3])
  const ended = await failure(until(() => Promise.resolve(1), () => false, AbortSignal.timeout(20)))
  assert.equal(ended.name, "TimeoutError")
})

test("answers of what stands between us", async () => {
  const proxy = await failure(talking([{ status: 404, body: "<html>no</html>" }]).client.charges.get("ch_1"))
  assert.deepEqual([proxy.statusCode, proxy.code, proxy.request_id, proxy.message], [404, undefined, "req_1", "404"])
  const page = await failure(talking([{ status: 200, body: "<html>yes</html>" }]).client.charges.get("ch_1"))
  assert.match(page.message, /cannot be read/)
  const redirect = talking([{ status: 307, headers: { location: "https://elsewhere.example/" } }])
  assert.equal((await failure(redirect.client.charges.get("ch_1"))).statusCode, 307)
  assert.equal(redirect.requests.length, 1)
})

test("a client does not show its key, and refuses what it cannot use", () => {
  assert.doesNotMatch(inspect(talking([made]).client, { depth: 9, showHidden: true }), /topsecret/)
  for (const baseURL of [
    "",
    "api.example.org",
    "ftp://api.example.org",
    "https://user@api.example.org",
    "https://a.example?b=c",
    "https://a.example#b",
  ]) {
    assert.throws(() => new Client({ baseURL, appId: 1, apiKey: "k" }), TypeError, baseURL)
  }
  for (const wrong of [{ appId: 0 }, { apiKey: "" }])
    assert.throws(() => new Client({ baseURL: "https://a.example", appId: 1, apiKey: "k", ...wrong }), TypeError)
})

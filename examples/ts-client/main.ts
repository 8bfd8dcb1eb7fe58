// The TypeScript client against a running svcpay dev.
import { randomBytes, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import {
  type Charge,
  Client,
  type Options,
  signWebhook,
  SvcPayError,
  type TokenTestCase,
  until,
  verifyWebhook,
} from "@svcpay/client"

// What svcpay dev writes down.
const mine = JSON.parse(readFileSync(process.env["SVCPAY_CREDENTIALS"] ?? "", "utf8"))
const client = new Client({
  baseURL: mine.base_url,
  appId: mine.app_id,
  apiKey: mine.secret_key,
  userAgent: "example/1.0",
})

// Charges a payer whose card behaves like one of the sandbox's test cases. On a page, svcpay.js makes the token.
async function order(testCase: TokenTestCase, options?: Options): Promise<Charge> {
  const merchant_id: number = mine.merchants.us
  const token = await client.tokens.createTestToken({ merchant_id, test_case: testCase })
  return client.charges.create(
    { merchant_id, amount: 12500, token: token.id, description: "Spring appeal", metadata: { campaign: "spring" } },
    options,
  )
}

async function chargeAndRefund(): Promise<Charge> {
  // A key of your own, written down before it is sent, survives a crash of your program.
  const charge = await order("approved", { idempotencyKey: `order-${randomUUID()}`, untilKnown: true })
  console.log(`charged ${charge.id}: ${charge.status}, ${charge.amount} ${charge.currency}`)

  const refund = await client.refunds.create({ charge_id: charge.id, amount: 4000, reason: "requested_by_payer" })
  console.log(`refunded ${refund.amount}: ${refund.status}`)

  for await (const { amount } of client.refunds.list({ charge_id: charge.id }))
    console.log(`listed a refund of ${amount}`)

  try {
    await client.refunds.create({ charge_id: charge.id, amount: 12500 })
  } catch (error) {
    if (!(error instanceof SvcPayError) || error.code !== "refund_exceeds_remaining") throw error
    console.log(`refused: ${error.code}, ${error.remaining} is left`)
  }
  return charge
}

// How a card without money is declined.
async function decline(): Promise<void> {
  try {
    await order("declined_insufficient_funds")
  } catch (error) {
    if (!(error instanceof SvcPayError) || error.type !== "card_error") throw error
    console.log(`declined: ${error.decline_code}, ${error.advice}`)
  }
}

// A card whose processor loses its answer: the outcome is known some seconds later.
async function lateAnswer(): Promise<void> {
  const first = await order("timeout")
  console.log(`at first: ${first.status}`)
  const later = await until(
    () => client.charges.get(first.id),
    (charge) => charge.status !== "processing",
    AbortSignal.timeout(60_000),
  )
  console.log(`later: ${later.status}`)
}

// Verifies a delivery, which it signs itself here, and reads it.
function receive(charge: Charge): void {
  const secret = `whsec_${randomBytes(32).toString("base64")}`
  const body = JSON.stringify({ id: "evt_1", type: "charge.captured", timestamp: new Date(), data: { object: charge } })
  const now = Math.floor(Date.now() / 1000)
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": `${now}`,
    "webhook-signature": signWebhook(secret, "evt_1", now, body),
  }

  const event = verifyWebhook([secret], headers, body) // respond with 400 if it throws
  if (event.data.object.object === "charge") console.log(`webhook: ${event.type} of ${event.data.object.id}`)
}

const charge = await chargeAndRefund()
await decline()
await lateAnswer()
receive(charge)

// Compiled only: what a program may write, and what it may not.
import { type Charge, Client, type CreateCharge, SvcPayError, until, verifyWebhook } from "@svcpay/client"

declare const client: Client

export async function allowed(body: string): Promise<void> {
  const order: CreateCharge = { merchant_id: 1042, amount: 12500, token: "tok_1" }
  const charge: Charge = await client.charges.create(
    { ...order, capture: false, type: null },
    { idempotencyKey: "k", untilKnown: true },
  )
  if (charge.payment_method.kind === "bank_us") charge.payment_method.bank_name satisfies string
  charge.failure?.decline_code satisfies string | undefined
  for await (const c of client.charges.list({ status: ["failed"], "created_at[gte]": "2026-12-01T00:00:00Z" }))
    c.amount satisfies number
  const page = await client.refunds.list().page()
  page.data[0]?.charge_id satisfies string | undefined
  await until(() => client.refunds.get("re_1"), (refund) => refund.status !== "pending")
  await client.files.create({ name: "a.pdf" }, { type: "application/pdf", content: new Uint8Array() })
  await client.payouts.getStatementFile(1042, { month: "2026-12" }, "text/csv")
  const { object } = verifyWebhook([], new Headers(), body).data
  if (object.object === "refund") object.charge_id satisfies string
  try {
    await client.refunds.cancel("re_1")
  } catch (error) {
    if (error instanceof SvcPayError && error.code === "refund_exceeds_remaining")
      error.remaining satisfies number | undefined
  }
}

export async function refused(): Promise<void> {
  // @ts-expect-error the amount is missing
  await client.charges.create({ merchant_id: 1042, token: "tok_1" })
  // @ts-expect-error amounts are numbers
  await client.charges.create({ merchant_id: 1042, amount: "12.50", token: "tok_1" })
  // @ts-expect-error there is no such parameter
  await client.charges.create({ merchant_id: 1042, amount: 1, token: "tok_1", amont: 1 })
  // @ts-expect-error there is no such status
  client.charges.list({ status: ["paid"] })
  // @ts-expect-error the month is missing
  await client.payouts.getStatement(1042, {})
  // @ts-expect-error the form is told by the method
  await client.payouts.getStatement(1042, { month: "2026-12", format: "csv" })
  // @ts-expect-error files have certain types
  await client.files.create({ name: "a.txt" }, { type: "text/plain", content: new Uint8Array() })
  // @ts-expect-error merchants have numbers
  await client.fees.get("1042")
}

// Uses the types that openapi-typescript makes of the contract as an integrator's program does. It is compiled, not
// run.
import type { components, operations } from "./api.js"

type Schemas = components["schemas"]
type Event = Schemas["Event"]

/** A program that handles events: the type of an event says what its object is. */
export function handle(event: Event): string | number | null {
  switch (event.type) {
    case "charge.captured":
      return event.data.object.amount_captured
    case "charge.failed":
      return event.data.object.failure?.code ?? null
    case "payout.paid":
      return event.data.object.status
    case "ping":
      return event.id
    default:
      // @ts-expect-error What these events have in common is no charge.
      return event.data.object.amount_captured
  }
}

type ObjectOf<Type extends Event["type"]> = Extract<Event, { type: Type }>["data"]["object"]
type Same<A, B> = [A, B] extends [B, A] ? true : false

/** Each type of event has an object of its own kind: none is of any type, or of none. */
export const objects: {
  [Type in Event["type"]]: unknown extends ObjectOf<Type> ? false : [ObjectOf<Type>] extends [never] ? false : true
} = {} as { [Type in Event["type"]]: true }
export const charges: Same<ObjectOf<"charge.refunded">, Schemas["Charge"]> = true
export const donations: Same<ObjectOf<"daf_donation_updated">, Schemas["DafDonation"]> = true
// @ts-expect-error A refund is no charge.
export const refunds: Same<ObjectOf<"refund.created">, Schemas["Charge"]> = true

/** A program that charges: members with a default, and those that may be null, are left out. */
export const least: Schemas["CreateCharge"] = { merchant_id: 1001, amount: 1050, token: "tok_1" }
// @ts-expect-error The amount is required.
export const tooLittle: Schemas["CreateCharge"] = { merchant_id: 1001, token: "tok_1" }

/** A program that tells errors apart by their codes. */
export function advice(
  refused: operations["createCharge"]["responses"]["402" | "409" | "422"]["content"]["application/json"],
): string {
  const { code, decline_code, message } = refused.error
  switch (code) {
    case "external_id_taken":
      return "charged before"
    case "card_declined":
      return `declined: ${decline_code}`
    // @ts-expect-error There is no such code.
    case "no_such_code":
    default:
      return message
  }
}

/** The sandbox's test cases are known by name. */
export const testCase: Schemas["CreateTestToken"]["test_case"] = "declined_insufficient_funds"
// @ts-expect-error There is no such test case.
export const noTestCase: Schemas["CreateTestToken"]["test_case"] = "declined_by_mood"

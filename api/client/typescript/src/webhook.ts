import { createHmac, timingSafeEqual } from "node:crypto"
import type { components } from "./contract.gen.js"

type Schemas = components["schemas"]

/** What events report: `object` says which it is, and TypeScript knows the rest then. */
export type EventObject = Extract<Schemas[keyof Schemas], { id: unknown; object: string; version: number }>

/** An event, whose type names its object: T is a charge of charge.captured. */
export type WebhookEvent<T = EventObject> = Omit<Schemas["Event"], "data"> & {
  data: { object: T; previous_attributes: Partial<T> }
}

/** Why a delivery is signature is not valid. Answer it 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
}

/** The headers of a request, as fetch or node:http has them. */
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>

function header(headers: DeliveryHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== "string" || value === "") throw new WebhookError(`there is no ${name}`)
  return value
}

/**
 * The signature of a delivery, as the header webhook-signature has it: what your own tests sign with.
 * `timestamp` is in seconds.
 */
export function signWebhook(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  const key = secret.replace(/^whsec_/, "")
  if (!/^[A-Za-z0-9+/]+=*$/.test(key)) throw new WebhookError("a secret is whsec_ and base64")
  return (
    "v1," + createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${timestamp}.`).update(body).digest("base64")
  )
}

/**
 * The event of a delivery, if one of the endpoint's secrets (whsec_…) signed it no longer ago than `tolerance` seconds;
 * else it throws a WebhookError. `body` is as it came, before any parser. While a secret is rotated, give the old and
 * the new one.
 */
export function verifyWebhook<T = EventObject>(
  secrets: readonly string[], headers: DeliveryHeaders, body: string | Uint8Array, tolerance = 300,
): WebhookEvent<T> {
  const [id, time, signatures] = [
    header(headers, "webhook-id"),
    header(headers, "webhook-timestamp"),
    header(headers, "webhook-signature"),
  ]
  if (!/^\d+$/.test(time)) throw new WebhookError("webhook-timestamp is no time")
  const age = Date.now() / 1000 - Number(time)
  if (Math.abs(age) > tolerance)
    throw new WebhookError(age > 0 ? "the delivery is too old" : "the delivery is of the future")
  const given = signatures.split(" ").map((s) => Buffer.from(s))
  const good = secrets.map((s) => Buffer.from(signWebhook(s, id, Number(time), body)))
  if (!good.some((g) => given.some((s) => s.length === g.length && timingSafeEqual(s, g))))
    throw new WebhookError("no secret has signed this")
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent<T>
  } catch (cause) {
    throw new WebhookError("the body is no event", { cause })
  }
}

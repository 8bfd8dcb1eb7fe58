import type { components } from "./contract.gen.js"

/** What an error answer says. */
export type Problem = components["schemas"]["Error"]["error"]

/** What is notified of a call that failed, besides what the API said. */
export interface Failure {
  /** The answer's status, 0 if none came: whether the request happened is not known then. */
  statusCode: number
  /** The key to repeat the request with, to learn whether it happened. */
  idempotencyKey: string | undefined
  /** How many seconds the API wants to be left alone, 0 if it did not say. */
  retryAfter: number
}

/** The members of the API's error, those that it has. */
export interface SvcPayError extends Failure, Partial<Omit<Problem, "message">> {}

/**
 * Why a call failed. `code` says what to do and `doc_url` leads to its explanation; `message` is for people and may
 * change. Without an answer `statusCode` is 0 and `cause` says what happened.
 */
export class SvcPayError extends Error {
  override readonly name = "SvcPayError"

  constructor(message: string, failure: Failure, said: Partial<Problem> = {}, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, failure, said, { message })
  }
}

/**
 * Whether the same request, under the same key, may get another answer soon. A processor_error is the outcome of its
 * key: only a new request can have another.
 */
export function mayChange({ statusCode, code, retryAfter }: SvcPayError): boolean {
  if (retryAfter > 30) return false
  if (statusCode === 409) return code === "idempotency_key_in_use"
  if (statusCode >= 500) return code !== "processor_error"
  return statusCode === 0 || statusCode === 429
}

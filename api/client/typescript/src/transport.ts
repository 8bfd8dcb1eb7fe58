import { randomUUID } from "node:crypto"
import { type Checked, check, encode } from "./check.js"
import { version } from "./contract.gen.js"
import { type Failure, type Problem, SvcPayError, mayChange } from "./errors.js"
import { Listing, type Page } from "./lists.js"
import { backOff, pause } from "./pause.js"

/** What a client needs to know. */
export interface Settings {
  /** The deployment, such as https://api.example.org. */
  baseURL: string
  /** The application's id. */
  appId: number
  /** Its secret or restricted key. */
  apiKey: string
  /** How often a request is repeated that got no answer, or 409 idempotency_key_in_use, 429 or 5xx; 4 if not given. */
  retries?: number
  /** Milliseconds for one attempt; 40000 if not given. */
  timeout?: number
  /** Your program's name, put before the client's in User-Agent. */
  userAgent?: string
  /** In place of the global fetch. */
  fetch?: typeof fetch
}

/** What an answer says besides its object. */
export interface ResponseFacts {
  /** 202: the outcome is not known yet. */
  statusCode: number
  requestId: string | null
  /** It is the answer to an earlier request with the same key. */
  replayed: boolean
  headers: Headers
}

/** What is particular to one request. */
export interface Options {
  /**
   * The request's name, 1 to 255 visible ASCII characters. Write it down before you send, and a program that died in
   * between can ask again. Without it the client makes one, which a SvcPayError tells.
   */
  idempotencyKey?: string
  /** An update fails with 412 object_changed unless the object has this version. */
  ifMatch?: number
  /** More headers, such as X-Request-Id. */
  headers?: Record<string, string>
  /**
   * Waits, while the answer is 202, for the outcome of what a processor has to say: the request is repeated under its
   * key until `signal` ends it. A decline is then an error, as if it had come at once.
   */
  untilKnown?: boolean
  signal?: AbortSignal
  /** Gets what the last answer says besides its object, that of an error too. */
  onResponse?: (facts: ResponseFacts) => void
}

/** A file, sent or received. */
export interface FileContent<Type extends string = string> {
  type: Type
  content: Uint8Array
}

/** One request, however often it is sent. */
export interface Call extends Checked {
  method: string
  path: string
  file?: FileContent
  /** It takes an Idempotency-Key. */
  keyed?: boolean
}

/** An id in a path. */
export const segment = (id: string | number) => encodeURIComponent(id)

const text = (content: Uint8Array) => new TextDecoder().decode(content)
const unanswered = (idempotencyKey?: string): Failure => ({ statusCode: 0, idempotencyKey, retryAfter: 0 })

// Several values with commas, unless the name ends in [], and an object as name[key]=value.
function encodeQuery(query: object): string {
  const out = new URLSearchParams()
  const add = (name: string, value: unknown) =>
    out.append(name, value instanceof Date ? value.toISOString() : String(value))
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (Array.isArray(value) && name.endsWith("[]")) value.forEach((v) => add(name, v))
    else if (Array.isArray(value) || typeof value !== "object" || value instanceof Date) add(name, value)
    else Object.entries(value).forEach(([key, v]) => add(`${name}[${key}]`, v))
  }
  return out.size > 0 ? `?${out}` : ""
}

/** Sends requests. */
export class Transport {
  // Private to the language, so that printing a client does not print the key.
  readonly #settings: Settings
  readonly #headers: Record<string, string>
  readonly #base: string

  constructor(settings: Settings) {
    const base = new URL(settings.baseURL)
    if (!/^https?:$/.test(base.protocol) || base.username || base.search || base.hash)
      throw new TypeError("baseURL is like https://api.example.org")
    if (!(settings.appId > 0) || !settings.apiKey) throw new TypeError("appId and apiKey are needed")
    const agent = `svcpay-ts/${version} (node ${process.versions.node})`
    this.#settings = settings
    this.#base = base.href.replace(/\/$/, "")
    this.#headers = {
      "x-api-key": settings.apiKey,
      "x-app-id": String(settings.appId),
      "x-api-version": version,
      "user-agent": settings.userAgent ? `${settings.userAgent} ${agent}` : agent,
    }
  }

  /** Asks for an object. */
  async send<T>(call: Call, options: Options): Promise<T> {
    const { content } = await this.file(call, "application/json", options)
    try {
      return (content.length > 0 ? JSON.parse(text(content)) : undefined) as T
    } catch (cause) {
      throw new SvcPayError(
        `${call.method} ${call.path}: the answer cannot be read`,
        unanswered(options.idempotencyKey),
        {},
        { cause },
      )
    }
  }

  /** Asks for the objects of a list. */
  list<T>(call: Call, options: Options): Listing<T> {
    return new Listing((query) => this.send<Page<T>>({ ...call, query }, options), { ...call.query })
  }

  /** Asks for a file, and repeats the call until it has an answer that stays. */
  async file(call: Call, accept: string, options: Options): Promise<FileContent> {
    check(call)
    const headers = this.#headersOf(call, accept, options)
    const body = call.file?.content ?? (call.body && encode(call.body))
    for (let failures = 0, waits = 0; ;) {
      const outcome = await this.#once(call, headers, body, options)
      if (!(outcome instanceof SvcPayError)) return outcome
      const waiting = outcome.statusCode === 202
      if (options.signal?.aborted || (!waiting && (failures >= (this.#settings.retries ?? 4) || !mayChange(outcome))))
        throw outcome
      // full jitter
      const wait = waiting ? backOff(waits++) : outcome.retryAfter * 1000 + Math.random() * backOff(failures++)
      await pause(wait, options.signal).catch((cause: unknown) => {
        outcome.cause = cause
        throw outcome
      })
    }
  }

  #headersOf(call: Call, accept: string, options: Options): Headers {
    const headers = new Headers({ ...this.#headers, accept, ...options.headers })
    const type = call.file?.type ?? (call.body && "application/json")
    if (type) headers.set("content-type", type)
    if (options.ifMatch !== undefined) headers.set("if-match", `"${options.ifMatch}"`)
    const key = options.idempotencyKey ?? (call.keyed ? randomUUID() : undefined)
    if (key !== undefined) headers.set("idempotency-key", key)
    return headers
  }

  // Sends a call once. A 202 is a failure to those who wait for the outcome.
  async #once(
    call: Call,
    headers: Headers,
    body: string | Uint8Array | undefined,
    options: Options,
  ): Promise<FileContent | SvcPayError> {
    const failure = unanswered(headers.get("idempotency-key") ?? undefined)
    const timeout = AbortSignal.timeout(this.#settings.timeout ?? 40_000)
    const request: RequestInit = {
      method: call.method,
      headers,
      redirect: "manual",
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      ...(body !== undefined && { body }),
    }
    let response: Response
    let content: Uint8Array
    try {
      response = await (this.#settings.fetch ?? fetch)(this.#base + call.path + encodeQuery(call.query ?? {}), request)
      content = new Uint8Array(await response.arrayBuffer())
    } catch (cause) {
      return new SvcPayError(`${call.method} ${call.path}: no answer`, failure, {}, { cause })
    }
    const requestId = response.headers.get("request-id")
    options.onResponse?.({
      statusCode: response.status,
      requestId,
      replayed: response.headers.get("idempotent-replayed") === "true",
      headers: response.headers,
    })
    if (response.ok && !(response.status === 202 && options.untilKnown)) {
      return { type: response.headers.get("content-type") ?? "", content }
    }
    const seconds = Number(response.headers.get("retry-after"))
    const said = problemOf(content) ?? {
      message: `${response.status} ${response.statusText}`.trim(),
      ...(requestId && { request_id: requestId }),
    }
    return new SvcPayError(
      said.message,
      { ...failure, statusCode: response.status, retryAfter: seconds > 0 ? seconds : 0 },
      said,
    )
  }
}

// What is between us and the API may answer in words of its own.
function problemOf(content: Uint8Array): Problem | undefined {
  try {
    const { error } = JSON.parse(text(content)) as { error?: Problem }
    return error?.code ? error : undefined
  } catch {
    return undefined
  }
}

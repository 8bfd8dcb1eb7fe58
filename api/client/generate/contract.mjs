// Reads the API's contract as both clients see it: services with methods.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

/** What the TypeScript client has installed; the generators of both use it. */
export const installed = createRequire(new URL("../typescript/package.json", import.meta.url))

/** The contract, as written. */
export function load() {
  return installed("yaml").parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8"))
}

/** What a $ref names; anything else is itself. */
export function deref(doc, node) {
  if (!node?.$ref) return node
  return node.$ref.slice(2).split("/").reduce((at, name) => at[name], doc)
}

/** The words of a name in any spelling: charge_id, ChargeId, charge:create, created_at[gte]. */
export const words = (text) => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? []

export const pascal = (text) => words(text).map((w) => w[0].toUpperCase() + w.slice(1).toLowerCase()).join("")
export const camel = (text) => pascal(text).replace(/^./, (c) => c.toLowerCase())

const lastName = (ref) => ref?.split("/").pop()

/**
 * The paths of the members of a schema that are as wanted: amount, filters.created_at. Of a list it is its elements
 * that are.
 */
export function pathsOf(doc, node, wanted) {
  const of = deref(doc, node)
  const { properties = {} } = of.allOf?.length === 1 ? deref(doc, of.allOf[0]) : of
  return Object.entries(properties).flatMap(([name, member]) => {
    const schema = deref(doc, member)
    const here = wanted(schema) || wanted(deref(doc, schema.items) ?? {}) ? [name] : []
    return [...here, ...pathsOf(doc, schema, wanted).map((path) => `${name}.${path}`)]
  })
}

// captureCharge is capture among the charges, listBalanceEntries listEntries of the balance.
function methodName(id, tag) {
  const noun = pascal(tag).replace(/s$/, "")
  const short = id.replace(new RegExp(`^([a-z]+)${noun}s?(?=[A-Z]|$)`), "$1")
  return short === id ? id.replace(new RegExp(`^([a-z]+)${noun.replace(/y?$/, "ies")}$`), "$1") : short
}

// Both refuse what the clients have no form for.
function bodyOf(doc, op) {
  const content = op.requestBody?.content
  if (!content) return null
  const json = content["application/json"]
  if (!json) return { media: Object.keys(content) }
  const schema = deref(doc, json.schema)
  if (Object.keys(schema.properties ?? {}).length === 0) return null
  if (!json.schema.$ref) throw new Error(`${op.operationId}: the body needs a schema of its own`)
  return { schema: lastName(json.schema.$ref) }
}

function answerOf(doc, op) {
  const answer = { schema: null, item: null, media: [] }
  for (const [status, response] of Object.entries(op.responses)) {
    if (!status.startsWith("2")) continue
    for (const [media, { schema }] of Object.entries(deref(doc, response).content ?? {})) {
      if (media !== "application/json") {
        answer.media.push(media)
        continue
      }
      const name = lastName(schema.$ref)
      if (!name || (answer.schema && answer.schema !== name))
        throw new Error(`${op.operationId}: not one schema for what succeeds`)
      answer.schema = name
    }
  }
  const list = deref(doc, doc.components.schemas[answer.schema])
  if (list?.properties?.object?.enum?.[0] === "list") {
    if (Object.keys(list.properties).join() !== "object,data,has_more,next,previous,url")
      throw new Error(`${op.operationId}: a list of another form`)
    answer.item = lastName(list.properties.data.items.$ref)
  }
  return answer
}

function operationOf(doc, path, verb, op, shared) {
  const parameters = [...shared, ...(op.parameters ?? [])].map((p) => deref(doc, p))
  const among = (where) => parameters.filter((p) => p.in === where)
  const answer = answerOf(doc, op)
  const severalForms = Boolean(answer.schema) && answer.media.length > 0
  return {
    id: op.operationId,
    tag: op.tags[0],
    method: methodName(op.operationId, op.tags[0]),
    verb: verb.toUpperCase(),
    path,
    summary: op.summary,
    description: op.description?.trim() ?? "",
    ids: among("path").map((p) => ({ name: camel(p.name), number: /^\d+$/.test(p.example) })),
    // Where an answer has several forms, each is a method of its own.
    severalForms,
    query: among("query").filter((p) => !(severalForms && p.name === "format")),
    keyed: among("header").some((p) => p.name === "Idempotency-Key"),
    body: bodyOf(doc, op),
    answer,
  }
}

/** The services, in the order of the contract's tags, each with its operations. */
export function services(doc) {
  const all = Object.entries(doc.paths).flatMap(([path, { parameters = [], ...verbs }]) =>
    Object.entries(verbs).map(([verb, op]) => operationOf(doc, path, verb, op, parameters)))
  const named = doc.tags.map(({ name, description }) => ({
    tag: name,
    description: description.trim().replace(/\s+/g, " "),
    operations: all.filter((o) => o.tag === name),
  }))
  const methods = named.flatMap((s) => s.operations.map((o) => `${s.tag}.${o.method}`))
  const twice = methods.find((m, i) => methods.indexOf(m) !== i)
  if (twice || methods.length !== all.length)
    throw new Error(`operations without a method of their own: ${twice ?? "a tag is missing"}`)
  return named.filter((s) => s.operations.length > 0)
}

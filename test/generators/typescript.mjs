// Writes what typescript.ts cannot say of every operation by hand: a line of TypeScript for each request member and
// parameter that has a default, which must be optional, and for each error answer, which must be the one type Error.
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"

const [contract, installed, to] = process.argv.slice(2)
const doc = createRequire(installed)("yaml").parse(readFileSync(contract, "utf8"))
const deref = (node) => (node?.$ref ? node.$ref.slice(2).split("/").reduce((at, name) => at[name], doc) : node)
const quoted = JSON.stringify

const lines = []
const optional = (from, name) => lines.push(`export const optional${lines.length}: Pick<${from}, ${quoted(name)}> = {}`)

// The schemas that a request's body has, with those inside it.
const seen = new Set()
function request(node) {
  const name = node?.$ref?.split("/").pop()
  if (!name || seen.has(name)) return
  seen.add(name)
  for (const [member, below] of Object.entries(deref(node).properties ?? {})) {
    const schema = deref(below)
    if (schema.default !== undefined || schema["x-default"] !== undefined) optional(`Schemas[${quoted(name)}]`, member)
    for (const inner of [below, ...(below.allOf ?? []), below.items]) request(inner)
  }
}

for (const { parameters: shared = [], ...verbs } of Object.values(doc.paths)) {
  for (const op of Object.values(verbs)) {
    const own = `operations[${quoted(op.operationId)}]`
    for (const p of [...shared, ...(op.parameters ?? [])].map(deref)) {
      if (p.schema?.default !== undefined) optional(`NonNullable<${own}["parameters"][${quoted(p.in)}]>`, p.name)
    }
    request(op.requestBody?.content?.["application/json"]?.schema)
    for (const [status, response] of Object.entries(op.responses)) {
      if (/^[23]/.test(status)) continue
      if (!deref(response).content?.["application/json"]) throw new Error(`${op.operationId} ${status} has no JSON`)
      lines.push(
        `export const error${lines.length}: Same<${own}["responses"][${quoted(status)}]["content"]["application/json"], Schemas["Error"]> = true`,
      )
    }
  }
}
const count = (kind) => lines.filter((l) => l.startsWith(`export const ${kind}`)).length
if (count("optional") < 50 || count("error") < 300)
  throw new Error(`only ${count("optional")} defaults and ${count("error")} error answers were found`)

writeFileSync(to, `import type { components, operations } from "./api.js"

type Schemas = components["schemas"]
type Same<A, B> = [A, B] extends [B, A] ? true : false

${lines.join("\n")}
`)

// Writes the contract as oapi-codegen is to see it: types with the names, pointers and tags that a Go programmer
// would give them, and of each operation only what the template client.tmpl prints.
import { writeFileSync } from "node:fs"
import { deref, load, services, words } from "./contract.mjs"

const initialisms = "ACH ACSS AMEX API BIN CAD CC CSV CVC DAF EIN HTTP ID IP JSON URL USD".split(" ")
function goWord(w) {
  const initialism = initialisms.find((i) => w.toUpperCase() === i || w.toUpperCase() === `${i}S`)
  return initialism ? initialism + w.slice(initialism.length) : w[0].toUpperCase() + w.slice(1)
}
const goName = (text) => words(text).map(goWord).join("")
const refName = (node) => node.$ref && goName(node.$ref.split("/").pop())

const doc = load()
const schemas = {} // of the view, by name
const sources = {} // what they were made of
const enums = new Map() // what an enum says → its name

const isMap = (s) => s.type === "object" && !s.properties && s.additionalProperties
const isUnion = (s) => s.oneOf && !s.properties
const isObject = (s) => !s["x-open"] && (isUnion(s) || s.allOf || (s.type === "object" && !isMap(s)))
const valuesOf = (s) => s.enum.filter((v) => v !== null)
const singular = (name) => name.replace(/ies$/, "y").replace(/s$/, "")

// The view's names are its own where the contract has none; two things must not meet under one.
function claim(name, source) {
  if (sources[name] && sources[name] !== source) throw new Error(`two types would be called ${name}`)
  const fresh = !sources[name]
  sources[name] = source
  return fresh
}

// anyEvent is what events of all types have in common: a program reads data.object as what the type names.
function anyEvent(description) {
  const { PingEvent, PingEventData } = doc.components.schemas
  const { type, data, ...rest } = PingEvent.properties
  const at = Object.keys(PingEvent.properties)
  const properties = { ...rest, type: { $ref: "#/components/schemas/EventType" }, data: PingEventData }
  return { ...PingEvent, description, properties: Object.fromEntries(at.map((name) => [name, properties[name]])) }
}

// Go has no unions: the alternatives become one object, whose members are there or not.
function flattened(schema) {
  if (schema.allOf) {
    const all = schema.allOf.map((s) => flattened(deref(doc, s)))
    return {
      ...schema,
      properties: Object.assign({}, ...all.map((s) => s.properties), schema.properties),
      required: all.flatMap((s) => s.required ?? []).concat(schema.required ?? []),
    }
  }
  if (!isUnion(schema)) return schema
  if (schema === doc.components.schemas.Event) return anyEvent(schema.description)
  const all = schema.oneOf.map((s) => deref(doc, s))
  const properties = {}
  for (const [name, p] of all.flatMap((s) => Object.entries(s.properties))) {
    const before = properties[name]
    properties[name] =
      before?.enum && p.enum ? { ...before, enum: [...new Set([...before.enum, ...p.enum])] } : { ...p, ...before }
  }
  const required = Object.keys(properties).filter((name) => all.every((s) => s.required?.includes(name)))
  return { description: schema.description, properties, required }
}

function declareEnum(name, schema, otherwise) {
  if (!claim(name, schema)) return
  schemas[name] = {
    type: "string", enum: valuesOf(schema), "x-go-name": name, "x-enum-varnames": valuesOf(schema).map(goName),
    description: schema.description ? `${name}: ${schema.description}` : otherwise,
  }
}

// enumType names an enum: as the contract does, else after where it first stands. Answers come first, so that
// a request's member has the type that the object shows it with.
function enumType(schema, owner, property) {
  const [anywhere, here] = [JSON.stringify(valuesOf(schema)), JSON.stringify([property, valuesOf(schema)])]
  const known = enums.get(anywhere) ?? enums.get(here)
  if (known) return known
  if (valuesOf(schema).length === 1 && !schema.nullable) return "string"
  const name = owner + goName(property)
  enums.set(here, name)
  declareEnum(name, { ...schema, description: "" }, `${name} is the ${property} of ${owner}.`)
  return name
}

// opened is what a member's schema says, and what it refers to: {allOf: [{$ref}], nullable: true} is a reference too.
function opened(node) {
  const of = node.allOf?.length === 1 && !node.properties ? node.allOf[0] : node
  return { of, schema: of === node ? deref(doc, node) : { ...deref(doc, of), nullable: node.nullable } }
}

// goType is what a value is in Go; owner and property name what has no name yet.
function goType(node, owner, property, asked) {
  const schema = deref(doc, node)
  if (schema["x-open"]) return { object: "json.RawMessage", members: "map[string]json.RawMessage" }[schema["x-open"]]
  if (schema.enum) return schemas[refName(node)]?.enum ? refName(node) : enumType(schema, owner, property)
  if (isMap(schema)) return `map[string]${goType(schema.additionalProperties, owner, property, asked)}`
  if (schema.type === "array") return `[]${goType(schema.items, owner, singular(property), asked)}`
  if (isObject(schema)) {
    const name = refName(node) ?? owner + goName(property)
    declareObject(
      name,
      schema,
      asked,
      refName(node) ? `${name} is part of other objects.` : `${name} is the ${property} of ${owner}.`,
    )
    return name
  }
  if (schema.format === "date-time") return "time.Time"
  return { integer: schema.format ?? "int", number: "float64", boolean: "bool" }[schema.type] ?? "string"
}

// Whether a member can be left out when it has its zero. An amount, a limit or a time of zero is a mistake in the
// program, which must not be taken for none: without it, a request is about everything there is.
function zeroIsNothing(schema, updates) {
  if (schema["x-absent"] === "all" || schema.format === "date-time") return false
  if (schema.enum || isMap(schema) || schema.type === "array") return true
  if (schema.type === "string") return !updates || schema.minLength > 0
  return schema.type === "boolean" && schema["x-default"] === false
}

// member is a field. Of what a request carries, null and nothing are told apart where null means something.
function member(node, owner, property, { asked, required, updates, nullMeans, tag = "json" }) {
  const { of, schema } = opened(node)
  const type = goType(of, owner, property, asked)
  const described = node.description ?? (isObject(schema) || schema.enum ? "" : schema.description)
  // omitzero would leave out a pointer to the zero of a time, too.
  const absent = (go) => (tag === "json" && go.startsWith("*") ? "omitempty" : "omitzero")
  const field = (go) => ({
    type: "string", description: described?.trim(), "x-go-name": goName(property), "x-go-type": go,
    "x-go-type-skip-optional-pointer": true, "x-tag": `${tag}:"${property}${required ? "" : `,${absent(go)}`}"`,
  })
  if (asked && !required && schema.nullable && nullMeans) return field(`Patch[${type}]`)
  if (type.startsWith("[]") || type.startsWith("map[") || type === "json.RawMessage") return field(type)
  const absentIsZero = asked
    ? zeroIsNothing(schema, updates)
    : !schema.nullable && type !== "time.Time" && (schema.type === "string" || schema.enum)
  return field((required ? !schema.nullable : absentIsZero) ? type : `*${type}`)
}

function declareObject(name, whole, asked, otherwise) {
  if (!claim(name, whole)) return
  const schema = flattened(whole)
  const nullMeans = !/null counts as not sent/.test(schema.description ?? "")
  const properties = {}
  schemas[name] = {
    type: "object", properties, "x-go-name": name, required: schema.required,
    description: schema.description && nullMeans ? `${name}: ${schema.description}` : otherwise,
  }
  Object.entries(schema.properties ?? {}).forEach(([property, node], i) => {
    const required = schema.required?.includes(property) ?? false
    properties[property] = {
      ...member(node, name, property, { asked, required, updates: /^(Update|Change)/.test(name), nullMeans }),
      "x-order": i + 1,
    }
  })
}

function parameters(o) {
  const ids = o.ids.map((id) => ({ name: id.name, in: "path", required: true, schema: { type: "string" } }))
  const query = o.query.map((p) => {
    const required = p.required ?? false
    const schema = member({ ...deref(doc, p.schema), description: p.description }, goName(o.id), p.name, {
      asked: true, required, tag: "query",
    })
    return { name: p.name, in: "query", required, description: p.description, schema }
  })
  return [...ids, ...query]
}

// goPath is the path as a Go expression.
function goPath(o) {
  const [first, ...rest] = o.path.split(/\{\w+\}/).map((p) => JSON.stringify(p))
  return [first, ...rest.flatMap((p, i) => [`segment(${o.ids[i].name})`, ...(p === '""' ? [] : [p])])].join(" + ")
}

// view is what the template prints.
function view(s, o, first) {
  const args = o.ids.map((i) => `${i.name} ${i.number ? "int64" : "string"}`)
  const members = [`method: "${o.verb}"`, `path: ${goPath(o)}`]
  const takes = (arg, value) => { args.push(arg); members.push(value) }
  if (o.body?.schema) takes(`body ${goName(o.body.schema)}`, "body: body")
  if (o.query.length) takes(`params ${goName(o.id)}Params`, "query: params")
  if (o.body?.media) takes("document Document", "document: &document")
  if (o.keyed) members.push("keyed: true")
  const method = goName(o.method)
  const [several, answered] = [o.answer.media.length > 1, o.answer.item ?? o.answer.schema]
  const common = { args: args.map((a) => `, ${a}`).join(""), call: `call{${members.join(", ")}}` }
  const comment = [`${method}: ${o.summary}.`, o.description].filter(Boolean).join("\n\n")
  const file = {
    ...common,
    method: answered ? `${method}File` : method,
    args: common.args + (several ? ", accept string" : ""),
    accept: several ? "accept" : JSON.stringify(o.answer.media[0]),
    comment: answered
      ? `${method}File is ${method} as a file: accept is one of ${o.answer.media.join(", ")}.`
      : `${comment}\n\n${o.verb} ${o.path}`,
  }
  return {
    ...common,
    service: goName(s.tag),
    about: s.description,
    first,
    version: doc.info.version,
    method,
    verb: o.verb,
    path: o.path,
    comment,
    answer: answered && goName(answered),
    list: Boolean(o.answer.item),
    file: o.answer.media.length ? file : null,
  }
}

// The contract's named enums first, then what is answered, then what is sent.
function declareEnums(named) {
  for (const [name, s] of Object.entries(named)) {
    if (!s?.enum || valuesOf(s).length === 1) continue
    enums.set(JSON.stringify(valuesOf(s)), goName(name))
    declareEnum(goName(name), s, `${goName(name)} is one of its constants.`)
  }
}
declareEnums(doc.components.schemas)
declareEnums(Object.fromEntries(Object.entries(doc.components.parameters).map(([name, p]) => [name, p.schema])))
const all = services(doc)
const operations = all.flatMap((s) => s.operations)
// An Event is a test event as well.
for (const o of operations.filter((o) => o.answer.schema === "AnyEvent")) o.answer.schema = "Event"
for (const name of operations.map((o) => o.answer.item ?? o.answer.schema).filter(Boolean)) {
  declareObject(
    goName(name),
    deref(doc, doc.components.schemas[name]),
    false,
    `${goName(name)} is an object of the API.`,
  )
}
// What events are about, also where no operation answers with it.
for (const event of doc.components.schemas.Event.oneOf) {
  const { object } = deref(doc, deref(doc, event).properties.data).properties
  if (object.$ref)
    declareObject(refName(object), deref(doc, object), false, `${refName(object)} is an object of events.`)
}
declareObject("Problem", doc.components.schemas.Error.properties.error, false, "Problem is what an error answer says.")
for (const o of operations.filter((o) => o.body?.schema)) {
  const name = goName(o.body.schema)
  declareObject(
    name,
    doc.components.schemas[o.body.schema],
    true,
    `${name} is what ${goName(o.tag)}.${goName(o.method)} sends.`,
  )
}

const paths = {}
for (const s of all) {
  s.operations.forEach((o, i) => {
    paths[o.path] ??= {}
    paths[o.path][o.verb.toLowerCase()] = {
      operationId: goName(o.id),
      parameters: parameters(o),
      responses: { 204: { description: "" } },
      "x-client": view(s, o, i === 0),
    }
  })
}
writeFileSync(
  process.argv[2],
  JSON.stringify({ openapi: "3.0.3", info: doc.info, paths, components: { schemas } }, null, 1),
)

/** What a call carries, and what must be true of it. */
export interface Checked {
  query?: object
  body?: object
  /** The members that are integers, by their paths. */
  integers?: readonly string[]
  /** The members without which the request is about everything there is. */
  wholes?: readonly string[]
}

// What an object has at a path such as filters.created_at, and whether it names that.
function place(object: object, path: string): { named: boolean; value: unknown } {
  let value: unknown = object
  let named = false
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return { named: false, value: undefined }
    named = Object.hasOwn(value, name)
    value = (value as Record<string, unknown>)[name]
  }
  return { named, value }
}

const empty = (value: unknown) => value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/**
 * Throws a TypeError where a value would get lost on its way: the request would be about more than the program meant.
 */
export function check({ query, body, integers = [], wholes = [] }: Checked): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === null) throw new TypeError(`${name} has no value; leave it out to mean all`)
  }
  const sent = { ...query, ...body }
  for (const path of integers) {
    const { value } = place(sent, path)
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && !Number.isSafeInteger(one))
        throw new TypeError(`${path} must be an integer`)
    }
  }
  for (const path of wholes) {
    const { named, value } = place(sent, path)
    if (named && empty(value)) throw new TypeError(`${path} has no value; leave it out to mean all`)
  }
}

/** The JSON of a body. NaN and infinity have none, which JSON.stringify makes null of. */
export function encode(body: object): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${name} must be a finite number`)
    return value
  })
}

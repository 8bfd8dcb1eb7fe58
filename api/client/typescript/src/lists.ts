/**
 * A page of a list. `next` and `previous` are what `starting_after` and `ending_before` take; null where the list ends.
 */
export interface Page<T> {
  data: T[]
  has_more: boolean
  next: string | null
  previous: string | null
  url: string
}

/** The objects of a list: `for await` goes through all pages, each requested when it is needed. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (query: Record<string, unknown>) => Promise<Page<T>>
  readonly #query: Record<string, unknown>

  constructor(read: (query: Record<string, unknown>) => Promise<Page<T>>, query: Record<string, unknown>) {
    this.#read = read
    this.#query = query
  }

  /** The one page that was asked for. */
  page(): Promise<Page<T>> {
    return this.#read(this.#query)
  }

  /** Backwards if it was asked for what ends before something. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const backwards = this.#query["ending_before"] !== undefined
    for (let query = this.#query; ; ) {
      const page = await this.#read(query)
      yield* backwards ? page.data.toReversed() : page.data
      const cursor = backwards ? page.previous : page.next
      if (!page.has_more || cursor === null) return
      query = { ...query, [backwards ? "ending_before" : "starting_after"]: cursor }
    }
  }
}

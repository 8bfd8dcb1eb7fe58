import assert from "node:assert/strict"
import { test } from "node:test"
import { failure, refusal, talking } from "./fake.mjs"

const page = (has_more, next, previous, ids) => ({
  body: { object: "list", data: [...ids].map((id) => ({ id })), has_more, next, previous, url: "/api/charges" },
})
const forward = [page(true, "b", null, "ab"), page(true, "d", "c", "cd"), page(false, null, "e", "e")]

async function walk(list, most = Infinity) {
  let ids = ""
  for await (const { id } of list) {
    ids += id
    if (ids.length === most) break
  }
  return ids
}

test("a list is walked page by page", async () => {
  const { client, requests } = talking(forward)
  assert.equal(await walk(client.charges.list({ limit: 2, merchant_id: [1, 2] })), "abcde")
  assert.deepEqual(
    requests.map((r) => r.url.search),
    [
      "?limit=2&merchant_id=1%2C2",
      "?limit=2&merchant_id=1%2C2&starting_after=b",
      "?limit=2&merchant_id=1%2C2&starting_after=d",
    ],
  )
})

test("backwards", async () => {
  const { client, requests } = talking([page(true, "d", "c", "cd"), page(false, "b", null, "ab")])
  assert.equal(await walk(client.charges.list({ ending_before: "e" })), "dcba")
  assert.equal(requests[1].url.search, "?ending_before=c")
})

test("who stops early asks no more, and may begin again", async () => {
  const { client, requests } = talking(forward)
  const list = client.charges.list()
  assert.equal(await walk(list, 2), "ab")
  assert.equal(requests.length, 1)
  await walk(list, 1)
  assert.equal(requests[1].url.search, "")
})

test("a walk ends with the first error", async () => {
  const { client } = talking([forward[0], refusal(401, "api_key_expired")])
  assert.equal((await failure(walk(client.charges.list()))).code, "api_key_expired")
})

test("one page", async () => {
  const { client } = talking(forward)
  const first = await client.charges.list().page()
  assert.deepEqual([first.data.length, first.has_more, first.next], [2, true, "b"])
})

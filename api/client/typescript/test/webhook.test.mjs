import assert from "node:assert/strict"
import { test } from "node:test"
import { signWebhook, verifyWebhook, WebhookError } from "@svcpay/client"
import { Webhook } from "standardwebhooks"

const oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const body = JSON.stringify({
  id: "evt_1",
  type: "charge.captured",
  data: { object: { id: "ch_1", object: "charge", amount: 12500 }, previous_attributes: {} },
})
const now = () => Math.floor(Date.now() / 1000)

// Signed by the published library.
function delivery(secrets = [oldSecret], age = 0, text = body) {
  const at = new Date((now() - age) * 1000)
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(now() - age),
    "webhook-signature": secrets.map((s) => new Webhook(s).sign("evt_1", at, text)).join(" "),
  }
}

test("what the published library signs is believed", () => {
  for (const secrets of [[oldSecret], [newSecret, oldSecret]]) {
    for (const headers of [delivery(), new Headers(delivery()), delivery([newSecret, oldSecret])]) {
      const event = verifyWebhook(secrets, headers, Buffer.from(body))
      assert.deepEqual([event.type, event.data.object.amount], ["charge.captured", 12500])
    }
  }
  assert.equal(verifyWebhook([oldSecret], delivery([oldSecret], 3600), body, 7200).id, "evt_1")
})

test("what we sign the published library believes", () => {
  for (const text of [body, JSON.stringify("ä€😀"), "{}"]) {
    const headers = { ...delivery(), "webhook-signature": signWebhook(oldSecret, "evt_1", now(), text) }
    assert.doesNotThrow(() => new Webhook(oldSecret).verify(text, headers))
    assert.doesNotThrow(() => verifyWebhook([oldSecret], headers, Buffer.from(text)))
  }
})

test("everything else is refused", () => {
  const only = [oldSecret]
  const cases = {
    "another secret's": [[newSecret], delivery(), body],
    changed: [only, delivery(), body.replace("12500", "99999")],
    "another id": [only, { ...delivery(), "webhook-id": "evt_2" }, body],
    "another time": [only, { ...delivery(), "webhook-timestamp": String(now() - 1) }, body],
    "no time": [only, { ...delivery(), "webhook-timestamp": "now" }, body],
    "a broken time": [only, { ...delivery(), "webhook-timestamp": `${now()}.0` }, body],
    "without signature": [only, { ...delivery(), "webhook-signature": undefined }, body],
    "without id": [only, { ...delivery(), "webhook-id": undefined }, body],
    "two headers": [only, { ...delivery(), "webhook-id": ["evt_1", "evt_1"] }, body],
    "another version": [
      only,
      { ...delivery(), "webhook-signature": delivery()["webhook-signature"].replace("v1,", "v2,") },
      body,
    ],
    "cut short": [only, { ...delivery(), "webhook-signature": delivery()["webhook-signature"].slice(0, -4) }, body],
    old: [only, delivery(only, 310), body],
    "of the future": [only, delivery(only, -310), body],
    "no event": [only, delivery(only, 0, "{"), "{"],
    "no secrets": [[], delivery(), body],
    "no secret": [[""], delivery(), body],
    "an empty secret": [["whsec_"], delivery(), body],
    "a mistyped secret": [["whsec_?"], delivery(), body],
  }
  for (const [name, [secrets, headers, text]] of Object.entries(cases)) {
    assert.throws(
      () => verifyWebhook(secrets, headers, text),
      (e) => e instanceof WebhookError && !e.message.includes("whsec_?"),
      name,
    )
  }
})

package fake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
)

// APIVersion is that of the events, which is not the SDK's.
const APIVersion = "2025-01-27.acacia"

// event records that something happened to an object.
func (f *Fake) event(a *Account, kind string, about object, key string) {
	request := object{"id": nil, "idempotency_key": nil}
	if key != "" {
		request = object{"id": "req_" + random(), "idempotency_key": key}
	}
	a.events = append(a.events,
		object{"id": f.id("evt"), "object": "event", "api_version": APIVersion, "created": f.now.Unix(), "type": kind,
			"livemode": f.live, "pending_webhooks": 1, "request": request, "data": object{"object": clone(about)}})
}

// reported returns an event as webhook endpoints get it, and the account that they belong to: events of a connected
// account go to its platform.
func (f *Fake) reported(a *Account, event string) (e object, to *Account) {
	if e, to = a.events.find(event), owner(a); e != nil && to != a {
		e = clone(e)
		e["account"] = a.ID
	}
	return e, to
}

// Webhook is the request that delivers an event of an account to the endpoint that was added by hand, signed now.
func (f *Fake) Webhook(a *Account, event string) (http.Header, []byte) {
	defer f.locked()()
	e, to := f.reported(a, event)
	if e == nil {
		return nil, nil
	}
	body := encode(e)
	return signedBy(to.Webhook, f.now.Unix(), body), body
}

func signedBy(secret string, seconds int64, body []byte) http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Stripe-Signature": {Sign(secret, seconds, body)}}
}

// Sign is the signature of a body.
func Sign(secret string, seconds int64, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", seconds, body)
	return fmt.Sprintf("t=%d,v1=%s", seconds, hex.EncodeToString(mac.Sum(nil)))
}

// LastEvent is the id of the latest event of an account.
func (a *Account) LastEvent() string { return a.events[len(a.events)-1]["id"].(string) }

package fake

import (
	"strings"
	"time"
)

// Made is what a call made at an account. Original is the reference of the payment that a follow-up call was about.
type Made struct {
	Kind                string // authorize, capture, void, refund, or respond with evidence
	Reference, Original string
	Amount              int64
	Currency            string
	Approved, Captured  bool
	At                  time.Time
}

// Made lists what calls made at an account, for tests that compare it with the caller's records. Nothing was made where
// an intent was canceled as abandoned, or never confirmed.
func (f *Fake) Made(a *Account) (all []Made) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := map[string]string{}
	for _, i := range a.intents {
		of[i["id"].(string)], _ = i["metadata"].(object)["svcpay_reference"].(string)
	}
	for _, charge := range a.charges {
		i := a.intents.find(charge["payment_intent"].(string))
		if i["cancellation_reason"] == "abandoned" {
			continue
		}
		m := made("authorize", of[i["id"].(string)], "", charge)
		m.Approved = charge["status"] == "succeeded"
		m.Captured = m.Approved && i["capture_method"] == "automatic"
		all = append(all, m)
		if capture, ok := i["metadata"].(object)["svcpay_capture"].(string); ok {
			m := made("capture", capture, m.Reference, charge)
			m.Amount = charge["amount_captured"].(int64)
			all = append(all, m)
		}
	}
	for _, e := range a.events {
		i := e["data"].(object)["object"].(object)
		key, ok := e["request"].(object)["idempotency_key"].(string)
		if ok && e["type"] == "payment_intent.canceled" && i["cancellation_reason"] != "abandoned" {
			all = append(all, made("void", key, of[i["id"].(string)], a.intents.find(i["id"].(string))))
		}
	}
	for _, r := range a.refunds {
		reference := r["metadata"].(object)["svcpay_reference"].(string)
		all = append(all, made("refund", reference, of[r["payment_intent"].(string)], r))
	}
	for _, d := range a.disputes {
		for name, what := range d["metadata"].(object) {
			if reference, ours := strings.CutPrefix(name, "svcpay_op_"); ours && what == "evidence" {
				all = append(all, made("respond", "op_"+reference, of[d["payment_intent"].(string)], d))
			}
		}
	}
	return all
}

// made is what a call made that was approved.
func made(kind, reference, original string, o object) Made {
	return Made{Kind: kind, Reference: reference, Original: original, Amount: o["amount"].(int64),
		Currency: o["currency"].(string), Approved: true, At: time.Unix(o["created"].(int64), 0).UTC()}
}

// Moved is a balance transaction. Payment is the reference of the payment that its source belongs to, "" for none.
// Amount is without Stripe's fee.
type Moved struct {
	Type, Payment string
	Amount, Fee   int64
	Currency      string
}

// Moved lists the balance transactions of an account.
func (f *Fake) Moved(a *Account) (all []Moved) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range a.transactions {
		m := Moved{Type: t["type"].(string), Amount: t["amount"].(int64), Fee: t["fee"].(int64),
			Currency: t["currency"].(string)}
		if i, ok := a.sourceOf(t)["payment_intent"].(string); ok {
			m.Payment = a.intents.find(i)["metadata"].(object)["svcpay_reference"].(string)
		}
		all = append(all, m)
	}
	return all
}

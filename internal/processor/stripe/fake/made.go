package fake

import (
	"slices"
	"strings"
	"time"
)

// Made is what a call made at an account. Original is the reference of the payment that a follow-up call was about.
type Made struct {
	Kind                string // authorize, debit, capture, void, refund, payout, or respond with evidence
	Reference, Original string
	Amount              int64
	Currency            string
	Approved, Captured  bool
	At                  time.Time
	// State is how an approved debit or payout continued: pending, settled, failed or returned; or processing, paid,
	// failed or returned.
	State string
}

// Made lists what calls made at an account, for tests that compare it with the caller's records. Nothing was made where
// an intent was canceled as abandoned, or never confirmed.
func (f *Fake) Made(a *Account) (all []Made) {
	defer f.locked()()
	of := map[string]string{}
	for _, i := range a.intents {
		of[i["id"].(string)] = ourReference(i)
	}
	for _, charge := range a.charges {
		i := a.intents.find(charge["payment_intent"].(string))
		if i["cancellation_reason"] == "abandoned" {
			continue
		}
		m := made("authorize", of[i["id"].(string)], "", charge)
		m.Approved = charge["status"] == "succeeded"
		m.Captured = m.Approved && i["capture_method"] == "automatic"
		if charge["payment_method_details"].(object)["type"] != "card" {
			m.Kind, m.Captured = "debit", false
			m.State = a.stateOfDebit(charge)
			m.Approved = m.State != ""
		}
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
		all = append(all, made("refund", ourReference(r), of[r["payment_intent"].(string)], r))
	}
	for _, d := range a.disputes {
		for name, what := range d["metadata"].(object) {
			if reference, ours := strings.CutPrefix(name, "svcpay_op_"); ours && what == "evidence" {
				all = append(all, made("respond", "op_"+reference, of[d["payment_intent"].(string)], d))
			}
		}
	}
	for _, p := range a.payouts {
		m := made("payout", ourReference(p), "", p)
		m.State = a.stateOfPayout(p)
		all = append(all, m)
	}
	return all
}

// made is what a call made that was approved.
func made(kind, reference, original string, o object) Made {
	return Made{Kind: kind, Reference: reference, Original: original, Amount: o["amount"].(int64),
		Currency: o["currency"].(string), Approved: true, At: time.Unix(o["created"].(int64), 0).UTC()}
}

// ourReference is our reference of an object, "" if it has none.
func ourReference(o object) string {
	metadata, _ := o["metadata"].(object)
	reference, _ := metadata["svcpay_reference"].(string)
	return reference
}

// stateOfDebit is the [Made.State] of a debit; "" for one that was declined immediately.
func (a *Account) stateOfDebit(charge object) string {
	about := func(o object) bool { return o["source"] == charge["id"] || o["charge"] == charge["id"] }
	switch {
	case !slices.ContainsFunc(a.transactions, about):
		return ""
	case charge["status"] == "failed":
		return "failed"
	case slices.ContainsFunc(a.disputes, about):
		return "returned"
	case charge["status"] == "succeeded":
		return "settled"
	}
	return "pending"
}

// stateOfPayout is the [Made.State] of a payout.
func (a *Account) stateOfPayout(p object) string {
	arrived := slices.ContainsFunc(a.events, func(e object) bool {
		return e["type"] == "payout.paid" && e["data"].(object)["object"].(object)["id"] == p["id"]
	})
	switch {
	case p["status"] == "pending":
		return "processing"
	case p["status"] == "paid":
		return "paid"
	case arrived:
		return "returned"
	}
	return "failed"
}

// Transferred is a transfer to a connected account.
type Transferred struct {
	Reference string
	Amount    int64
	Reversed  bool
}

// Transferred lists the transfers of a platform.
func (f *Fake) Transferred(platform *Account) (all []Transferred) {
	defer f.locked()()
	for _, t := range platform.transfers {
		all = append(all, Transferred{ourReference(t), t["amount"].(int64), t["reversed"].(bool)})
	}
	return all
}

// Moved is a balance transaction. Reference is the one of the payment or payout that its source belongs to, "" for
// none. Amount is without Stripe's fee.
type Moved struct {
	Type, Reference string
	Amount, Fee     int64
	Currency        string
}

// Moved lists the balance transactions of an account.
func (f *Fake) Moved(a *Account) (all []Moved) {
	defer f.locked()()
	for _, t := range a.transactions {
		m := Moved{Type: t["type"].(string), Amount: t["amount"].(int64), Fee: t["fee"].(int64),
			Currency: t["currency"].(string)}
		source := a.sourceOf(t)
		if source == nil && a.platform != nil { // a transfer from its platform
			source = a.platform.sourceOf(t)
		}
		m.Reference = ourReference(source)
		if i, ok := source["payment_intent"].(string); ok {
			m.Reference = ourReference(a.intents.find(i))
		}
		all = append(all, m)
	}
	return all
}

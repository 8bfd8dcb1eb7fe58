package fake

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// move adds an amount to the balance of an account, where it is available immediately; a negative amount is subtracted.
// A charge costs 2.9 % and 30 cents.
func (f *Fake) move(a *Account, kind string, amount int64, source object) {
	fee := int64(0)
	if kind == "charge" {
		fee = (amount*29+500)/1000 + 30
	}
	a.add(source["currency"].(string), amount-fee)
	a.transactions = append(a.transactions,
		object{"id": f.id("txn"), "object": "balance_transaction", "created": f.now.Unix(), "type": kind,
			"amount": amount, "fee": fee, "net": amount - fee, "currency": source["currency"], "source": source["id"]})
}

// sources are the objects that balance transactions can have as their source.
func (a *Account) sources() []list { return []list{a.charges, a.refunds, a.payouts, a.disputes} }

// balanceTransactions serves the list of balance transactions, with their sources if the request expands them.
func (f *Fake) balanceTransactions(a *Account, c call) (object, *failure) {
	found, err := page(a.transactions, c.Form)
	expand := c.Form.Get("expand[0]")
	if err != nil || !strings.HasPrefix(expand, "data.source") {
		return found, err
	}
	var data list
	for _, t := range found["data"].(list) {
		t, source := maps.Clone(t), object(nil)
		for _, all := range a.sources() {
			if o := all.find(t["source"].(string)); o != nil {
				source = maps.Clone(o)
			}
		}
		if expand == "data.source.payment_intent" {
			source["payment_intent"] = a.intents.find(source["payment_intent"].(string))
		}
		t["source"] = source
		data = append(data, t)
	}
	found["data"] = slices.Concat(data, list{})
	return found, nil
}

// Sold creates a payment with a reference as if it had just been confirmed, for tests of long lists.
func (a *Account) Sold(f *Fake, reference string, amount int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := object{"id": f.id("pi"), "object": "payment_intent", "created": f.now.Unix(), "status": "succeeded",
		"metadata": object{"svcpay_reference": reference}}
	charge := object{"id": f.id("ch"), "object": "charge", "created": f.now.Unix(), "amount": amount,
		"amount_captured": amount,
		"amount_refunded": int64(0), "currency": "usd", "status": "succeeded", "payment_intent": i["id"],
		"payment_method_details": object{"type": "card", "card": object{"last4": "4242"}}}
	i["latest_charge"] = charge["id"]
	a.intents, a.charges = append(a.intents, i), append(a.charges, charge)
	f.move(a, "charge", amount, charge)
}

// RefundByHand refunds a part of the payment with a reference, as in Stripe's Dashboard, and returns the refund's id;
// "" if Stripe refuses.
func (a *Account) RefundByHand(f *Fake, reference string, amount int64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	form := url.Values{"payment_intent": {a.paymentOf(reference)["id"].(string)},
		"amount": {strconv.FormatInt(amount, 10)}}
	o, err := f.refund(a, call{&http.Request{Form: form}, ""})
	if err != nil {
		return ""
	}
	return o["id"].(string)
}

// CaptureByHand captures a part of the payment with a reference, as in Stripe's Dashboard, and reports whether it did.
func (a *Account) CaptureByHand(f *Fake, reference string, amount int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	form := url.Values{"amount_to_capture": {strconv.FormatInt(amount, 10)}}
	_, err := f.capture(a, a.paymentOf(reference), call{&http.Request{Form: form}, ""})
	return err == nil
}

// paymentOf is the intent of a payment with a reference.
func (a *Account) paymentOf(reference string) object {
	i := slices.IndexFunc(a.intents,
		func(o object) bool { return o["metadata"].(object)["svcpay_reference"] == reference })
	return a.intents[i]
}

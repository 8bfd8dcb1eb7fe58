package fake

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// move adds an amount to the balance of an account, where it is available immediately; a negative amount is subtracted,
// and so is the fee of its kind.
func (f *Fake) move(a *Account, kind string, amount int64, source object) {
	f.moveFor(a, kind, amount, feeOf(kind, amount), source)
}

// feeOf is what Stripe charges for a balance transaction: 2.9 % and 30 cents of a card payment, 0.8 % of a bank debit,
// at most 5.00, and 4.00 for one that fails, 15.00 for a chargeback, which a won one refunds.
func feeOf(kind string, amount int64) int64 {
	switch kind {
	case "charge":
		return (amount*29+500)/1000 + 30
	case "payment":
		return min((amount*8+500)/1000, 500)
	case "payment_failure_refund":
		return 400
	case "adjustment":
		if amount > 0 {
			return -disputeFee
		}
		return disputeFee
	}
	return 0
}

const disputeFee = 1_500

// moveFor is move for a fee.
func (f *Fake) moveFor(a *Account, kind string, amount, fee int64, source object) {
	currency := source["currency"].(string)
	details := list{}
	if fee != 0 {
		details = append(details, object{"amount": fee, "currency": currency, "type": "stripe_fee",
			"description": "Stripe processing fees"})
	}
	a.add(currency, amount-fee)
	a.transactions = append(a.transactions,
		object{"id": f.id("txn"), "object": "balance_transaction", "created": f.now.Unix(), "type": kind,
			"amount": amount, "fee": fee, "fee_details": details, "net": amount - fee, "currency": currency,
			"source": source["id"]})
}

// Bill charges an account a fee that belongs to no payment.
func (f *Fake) Bill(a *Account, currency string, amount int64) {
	defer f.locked()()
	f.move(a, "stripe_fee", -amount, object{"currency": currency, "id": nil})
}

// Shift makes the newest balance transaction of a type wrong by an amount, for tests that must find it. It returns
// false if there is none.
func (f *Fake) Shift(a *Account, kind string, by int64) bool {
	defer f.locked()()
	for _, t := range slices.Backward(a.transactions) {
		if t["type"] == kind {
			t["amount"], t["net"] = t["amount"].(int64)+by, t["net"].(int64)+by
			a.add(t["currency"].(string), by)
			return true
		}
	}
	return false
}

// Net is what the balance transactions of an account add up to in a currency, after fees.
func (f *Fake) Net(a *Account, currency string) (sum int64) {
	defer f.locked()()
	for _, t := range a.transactions {
		if t["currency"] == currency {
			sum += t["net"].(int64)
		}
	}
	return sum
}

// sources are the objects that balance transactions can have as their source.
func (a *Account) sources() []list {
	return []list{a.charges, a.refunds, a.payouts, a.disputes, a.transfers}
}

// sourceOf finds the source of a balance transaction; nil if it has none here.
func (a *Account) sourceOf(t object) object {
	id, _ := t["source"].(string)
	for _, all := range a.sources() {
		if o := all.find(id); o != nil {
			return o
		}
	}
	return nil
}

// balanceTransactions serves the list of balance transactions, with their sources if the request expands them.
func (f *Fake) balanceTransactions(a *Account, c call) (object, *failure) {
	found, err := page(a.transactions, c.Form)
	expand := c.Form.Get("expand[0]")
	if err != nil || !strings.HasPrefix(expand, "data.source") {
		return found, err
	}
	var data list
	for _, t := range found["data"].(list) {
		t, source := maps.Clone(t), maps.Clone(a.sourceOf(t))
		if id, ok := source["payment_intent"].(string); ok && expand == "data.source.payment_intent" {
			source["payment_intent"] = a.intents.find(id)
		}
		if t["source"] = any(source); source == nil {
			t["source"] = nil
		}
		data = append(data, t)
	}
	found["data"] = slices.Concat(data, list{})
	return found, nil
}

// Sold creates a payment with a reference as if it had just been confirmed, for tests of long lists.
func (a *Account) Sold(f *Fake, reference string, amount int64) {
	defer f.locked()()
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
	defer f.locked()()
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
	defer f.locked()()
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

package fake

import (
	"maps"
	"slices"
	"strings"
)

// move has an amount come into the balance of an account, where it is available at once, or leave it if the amount is negative. A charge costs 2.9 % and
// 30 cents.
func (f *Fake) move(a *Account, kind string, amount int64, source object) {
	fee := int64(0)
	if kind == "charge" {
		fee = (amount*29+500)/1000 + 30
	}
	a.add(source["currency"].(string), amount-fee)
	a.transactions = append(a.transactions, object{"id": f.id("txn"), "object": "balance_transaction", "created": f.now.Unix(), "type": kind,
		"amount": amount, "fee": fee, "net": amount - fee, "currency": source["currency"], "source": source["id"]})
}

// sources are the objects that balance transactions are of.
func (a *Account) sources() []list { return []list{a.charges, a.refunds, a.payouts, a.disputes} }

// balanceTransactions serves the list of them, with their sources if the request wants those.
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

// Sold makes a payment under a reference as if it had been confirmed now, for tests of long lists.
func (a *Account) Sold(f *Fake, reference string, amount int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := object{"id": f.id("pi"), "object": "payment_intent", "metadata": object{"svcpay_reference": reference}}
	charge := object{"id": f.id("ch"), "object": "charge", "amount": amount, "amount_captured": amount, "currency": "usd", "payment_intent": i["id"]}
	a.intents, a.charges = append(a.intents, i), append(a.charges, charge)
	f.move(a, "charge", amount, charge)
}

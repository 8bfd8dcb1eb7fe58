package search

import (
	"slices"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// kinds are the objects that a search finds, by the API's names.
func kinds() []string {
	return []string{"charge", "refund", "dispute", "payout", "daf_donation", "merchant", "token"}
}

// statusesOf are the statuses of each kind.
var statusesOf = map[string][]string{
	"charge": charge.Statuses(), "refund": refund.Statuses(), "dispute": dispute.Statuses(),
	"payout":       payout.Statuses(),
	"daf_donation": daf.Statuses(), "merchant": merchant.StatusNames(), "token": token.Statuses(),
}

// brands are the networks of cards as charges and tokens name them.
var brands = []string{"amex", "diners_club", "discover", "jcb", "mastercard", "visa"}

// field is one that a search may name: the kinds that have it, and how its values are read.
type field struct {
	kinds   []string
	ordered bool // it takes > >= < <=
	keyed   bool // it takes a key
	words   []string
	form    string // what its values are, for who gave another
	read    func(*Query, term) bool
}

// fields are all fields, by name.
var fields = map[string]field{
	"object":      {kinds: kinds(), words: kinds()},
	"status":      {kinds: kinds(), words: allStatuses()},
	"amount":      {kinds: kinds()[:5], ordered: true, form: "an integer of minor units from 0 to 999999999999", read: (*Query).amount},
	"currency":    {kinds: kinds()[:6], words: []string{string(money.USD), string(money.CAD)}},
	"type":        {kinds: []string{"charge"}, words: charge.Types()},
	"kind":        {kinds: []string{"charge", "token", "dispute", "daf_donation"}, words: slices.Concat(token.Kinds(), dispute.Kinds(), daf.Kinds())},
	"brand":       {kinds: []string{"charge", "token"}, words: brands},
	"last4":       {kinds: []string{"charge", "token", "payout"}, form: "one to four digits", read: (*Query).digits},
	"recurring":   {kinds: []string{"charge"}, words: []string{"true", "false"}},
	"merchant_id": {kinds: kinds(), form: "a merchant's id, a positive integer", read: (*Query).merchant},
	"charge_id":   {kinds: []string{"refund", "dispute"}, form: "a charge's id", read: (*Query).charge},
	"token":       {kinds: []string{"charge"}, form: "a token's id", read: (*Query).token},
	"tracking_id": {kinds: []string{"daf_donation"}, form: "a text of 1 to 32 characters", read: (*Query).tracking},
	"external_id": {kinds: []string{"charge", "refund", "daf_donation", "merchant"}, form: "a text of 1 to 64 characters", read: (*Query).reference},
	"email":       {kinds: []string{"charge", "daf_donation", "token"}, form: "an address with letters or digits", read: (*Query).address},
	"metadata":    {kinds: []string{"charge", "refund", "daf_donation", "merchant"}, keyed: true, form: "a text of at most 500 characters under a key of at most 40", read: (*Query).pair},
	"created_at":  {kinds: kinds(), ordered: true, form: "a day such as 2026-12-01, or after a comparison other than : a time such as 2026-12-01T09:30:00Z", read: (*Query).time},
}

// fieldNames are the names of all fields, for who gave another.
func fieldNames() string {
	return "object, status, amount, currency, type, kind, brand, last4, recurring, merchant_id, charge_id, token, tracking_id, external_id, email, metadata.key, created_at"
}

func allStatuses() (out []string) {
	for _, k := range kinds() {
		for _, s := range statusesOf[k] {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

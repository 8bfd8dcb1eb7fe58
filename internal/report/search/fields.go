package search

import (
	"context"
	"slices"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// kinds are the objects that a search finds, by the API's names.
func kinds() []string {
	return []string{"charge", "refund", "dispute", "payout", "daf_donation", "merchant", "token"}
}

// object is a kind of objects: its statuses, how an id of it is read, and how such objects are found and shown.
type object struct {
	statuses []string
	parse    func(string) ([16]byte, error)
	find     func(finder, context.Context) (page.Of[hit], error)
	show     func(context.Context, Deps, authz.Actor, [16]byte) (Found, error)
}

// objects are all kinds, by name.
var objects = map[string]object{
	"charge":       objectOf(charge.Statuses(), ids.ParseCharge, finder.charges, func(d Deps) getter[charge.Charge] { return d.Charges.Get }),
	"refund":       objectOf(refund.Statuses(), ids.ParseRefund, finder.refunds, func(d Deps) getter[refund.Refund] { return d.Refunds.Get }),
	"dispute":      objectOf(dispute.Statuses(), ids.ParseDispute, finder.disputes, func(d Deps) getter[dispute.Dispute] { return d.Disputes.Get }),
	"payout":       objectOf(payout.Statuses(), ids.ParsePayout, finder.payouts, func(d Deps) getter[payout.Payout] { return d.Payouts.Get }),
	"daf_donation": objectOf(daf.Statuses(), ids.ParseDonation, finder.donations, func(d Deps) getter[daf.Donation] { return d.Donations.Get }),
	"token":        objectOf(token.Statuses(), ids.ParseToken, finder.tokens, func(d Deps) getter[token.Token] { return d.Tokens.Get }),
	"merchant":     {statuses: merchant.StatusNames(), parse: parseMerchant, find: finder.merchants, show: showMerchant},
}

// getter reads an object by its printed id.
type getter[T any] func(ctx context.Context, actor authz.Actor, id string) (T, error)

func objectOf[K ids.Kind, T any](statuses []string, parse func(string) (ids.ID[K], error),
	find func(finder, context.Context) (page.Of[hit], error), get func(Deps) getter[T]) object {
	return object{statuses: statuses, find: find,
		parse: func(text string) ([16]byte, error) {
			id, err := parse(text)
			return id.Bytes(), err
		},
		show: func(ctx context.Context, d Deps, actor authz.Actor, id [16]byte) (Found, error) {
			return show(ctx, actor, ids.FromBytes[K](id).String(), get(d))
		}}
}

func parseMerchant(text string) ([16]byte, error) {
	if n, ok := number(text); ok && n > 0 {
		return merchantKey(n), nil
	}
	return [16]byte{}, ids.ErrID
}

func showMerchant(ctx context.Context, d Deps, actor authz.Actor, key [16]byte) (Found, error) {
	id := merchantID(key)
	return show(ctx, actor, strconv.FormatInt(id, 10),
		func(ctx context.Context, actor authz.Actor, _ string) (merchant.Merchant, error) {
			return d.Merchants.Get(ctx, actor, id)
		})
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
	"last4":       {kinds: []string{"charge", "token", "payout"}, form: "one to four digits", read: members(isLastDigits)},
	"recurring":   {kinds: []string{"charge"}, words: []string{"true", "false"}},
	"merchant_id": {kinds: kinds(), form: "a merchant's id, a positive integer", read: members(isMerchantID)},
	"charge_id":   {kinds: []string{"refund", "dispute"}, form: "a charge's id", read: identifiers(ids.ParseCharge)},
	"token":       {kinds: []string{"charge"}, form: "a token's id", read: identifiers(ids.ParseToken)},
	"tracking_id": {kinds: []string{"daf_donation"}, form: "a text of 1 to 32 characters", read: members(upTo(32))},
	"external_id": {kinds: []string{"charge", "refund", "daf_donation", "merchant"}, form: "a text of 1 to 64 characters", read: members(upTo(64))},
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
		for _, s := range objects[k].statuses {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

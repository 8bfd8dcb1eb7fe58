package stripe

import (
	"cmp"
	"maps"
	"slices"

	"svcpay/internal/processor"
)

// declines are Stripe's decline codes, and codes of errors, in the words of the API. What is not here is a
// generic_decline: payers must not learn that a card was reported, or that a payment looks like fraud.
var declines = map[string]string{
	"insufficient_funds":              "insufficient_funds",
	"withdrawal_count_limit_exceeded": "insufficient_funds",
	"lost_card":                       "lost_card",
	"stolen_card":                     "stolen_card",
	"expired_card":                    "expired_card",
	"invalid_expiry_month":            "expired_card",
	"invalid_expiry_year":             "expired_card",
	"incorrect_cvc":                   "incorrect_cvc",
	"invalid_cvc":                     "incorrect_cvc",
	"processing_error":                "processing_error",
	"issuer_not_available":            "processing_error",
	"reenter_transaction":             "processing_error",
	"try_again_later":                 "processing_error",
	"approve_with_id":                 "processing_error",
}

// DeclineCodes are the codes of Stripe that have a word of their own in the API.
func DeclineCodes() []string { return slices.Sorted(maps.Keys(declines)) }

// declineOf is a decline with Stripe's reason, or without one with the code of its error.
func declineOf(reason, code string) processor.Answer {
	raw := cmp.Or(reason, code, "unknown")
	return declined(cmp.Or(declines[reason], declines[code], "generic_decline"), raw)
}

func declined(code, raw string) processor.Answer {
	return processor.Answer{DeclineCode: code, RawCode: raw,
		Checks: processor.Checks{CVC: processor.Unavailable, AddressLine1: processor.Unavailable,
			AddressZip: processor.Unavailable}}
}

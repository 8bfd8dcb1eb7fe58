package api

import (
	"svcpay/internal/fault"
)

// chargeCodes are those of charges.
var chargeCodes = []code{
	{
		Name: "card_declined", Kind: fault.KindDeclined, Card: "4000000000000002", Kept: true,
		Meaning: "The issuer declined. The charge is recorded as failed; decline_code has the reason.",
		Remedy:  "Show the payer the message and follow advice.",
		Message: "The card was declined: insufficient funds.",
		Param:   "token",
		Members: []string{"decline_code", "charge_id", "advice"},
	},
	{
		Name: "expired_card", Kind: fault.KindDeclined, Card: "4000000000000069", Kept: true,
		Meaning: "The card has expired. The charge is recorded as failed.",
		Remedy:  "Ask the payer for another card.",
		Message: "The card has expired.",
		Param:   "token",
		Members: []string{"decline_code", "charge_id", "advice"},
	},
	{
		Name: "incorrect_cvc", Kind: fault.KindDeclined, Card: "4000000000000127", Kept: true,
		Meaning: "The security code is wrong. The charge is recorded as failed.",
		Remedy:  "Ask the payer to enter the card again.",
		Message: "The card's security code is wrong.",
		Param:   "token",
		Members: []string{"decline_code", "charge_id", "advice"},
	},
	{
		Name: "external_id_taken", Kind: fault.KindConflict,
		Meaning: "Another object of this kind has this external_id; charge_id or refund_id names it.",
		Remedy:  "Read that object: it may be the one that you want to make.",
		Message: "Another charge has this external_id.",
		Param:   "external_id",
	},
	{
		Name: "token_expired", Kind: fault.KindGone,
		Meaning: "The token was not used for 13 months.",
		Remedy:  "Ask the payer for the payment method again.",
		Message: "This token has expired.",
		Param:   "token",
	},
	{
		Name: "funding_currency_mismatch", Kind: fault.KindRefused,
		Meaning: "The merchant is paid in another currency, and amounts are not converted.",
		Remedy:  "Leave funding_currency out.",
		Message: "The funding currency must be the merchant's: amounts are not converted.",
		Param:   "funding_currency",
	},
	{
		Name: "token_not_found", Kind: fault.KindRefused,
		Meaning: "This merchant has no such token.",
		Remedy:  "Check token and merchant_id: a token belongs to one merchant.",
		Message: "There is no such token for this merchant.",
		Param:   "token",
	},
	{
		Name: "token_disabled", Kind: fault.KindRefused,
		Meaning: "The token can no longer be charged.",
		Remedy:  "Ask the payer for the payment method again.",
		Message: "This token can no longer be charged.",
		Param:   "token",
	},
	{
		Name: "token_type_mismatch", Kind: fault.KindRefused,
		Meaning: "The token is of another type than the charge: type or origin does not fit it.",
		Remedy:  "Leave type out; use the origin terminal for swiped cards and for nothing else.",
		Message: "The token is of another type: it makes charges of type cc.",
		Param:   "type",
	},
}

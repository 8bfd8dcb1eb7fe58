package api

import (
	"net/http"

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
		Name: "blocked_by_rule", Kind: fault.KindDeclined, Kept: true,
		Meaning: "A card rule of the merchant blocked the payment. The charge is recorded as failed; its failure.rule names the rule.",
		Remedy:  "Show the payer the message. To accept the payment, change the merchant's card rules.",
		Message: "This payment was not accepted.",
		Param:   "token",
		Members: []string{"charge_id", "advice"},
	},
	{
		Name: "bank_account_unusable", Kind: fault.KindDeclined, Own: dress{http.StatusPaymentRequired, "bank_error"},
		Kept: true, Meaning: "The bank account cannot be debited. The charge is recorded as failed.",
		Remedy:  "Ask the payer for another bank account.",
		Message: "The bank account could not be debited.",
		Param:   "token",
		Members: []string{"charge_id", "advice"},
	},
	{
		Name: "external_id_taken", Kind: fault.KindConflict,
		Meaning: "Another object of this kind has this external_id; charge_id, refund_id, donation_id or merchant_id names it. A charge that failed has released its own.",
		Remedy:  "Read that object: it may be the one that you want to make.",
		Message: "Another charge that did not fail has this external_id.",
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
	{
		Name: "bank_account_unverified", Kind: fault.KindRefused,
		Meaning: "The payer has not proved yet that the bank account is theirs.",
		Remedy:  "Verify the token with the amounts of its two small deposits, then charge it.",
		Message: "This bank account is not verified yet.",
		Param:   "token",
	},
	{
		Name: "authorization_unsupported", Kind: fault.KindRefused,
		Meaning: "Bank accounts are debited in one step; there is no amount to hold.",
		Remedy:  "Leave capture out.",
		Message: "Only cards can be authorized first and captured later.",
		Param:   "capture",
	},
	{
		Name: "operation_in_progress", Kind: fault.KindConflict, Waits: true,
		Meaning: "Another capture or void of this charge, answer to this dispute, grant of this donation or verification of this merchant's domains is in progress; its outcome is not known yet.",
		Remedy:  "Read the object after Retry-After seconds, then decide.",
		Message: "Another capture or void of this charge is in progress. Read the charge in a moment.",
	},
	{
		Name: "charge_not_capturable", Kind: fault.KindConflict, Kept: true,
		Meaning: "Only an authorized charge is captured, and only once; status tells what it is. Seldom the processor refuses " +
			"a capture that we allow: the charge stays authorized.",
		Remedy:  "Read the charge. If it was voided, charge the token again.",
		Message: "Only an authorized charge can be captured; this one is captured.",
		Members: []string{"status"},
	},
	{
		Name: "charge_not_voidable", Kind: fault.KindConflict, Kept: true,
		Meaning: "Only an authorized charge is voided, or a bank debit until 17:00 of the business day, in the merchant's time; " +
			"status tells what it is.",
		Remedy:  "Refund a charge that is captured, pending or settled.",
		Message: "The debit is with the bank already. Refund it instead.",
		Members: []string{"status"},
	},
	{
		Name: "capture_exceeds_authorized", Kind: fault.KindRefused,
		Meaning: "The amount is more than was authorized.",
		Remedy:  "Capture at most amount_authorized, or leave the amount out; charge the token again for the rest.",
		Message: "At most 12500 can be captured: that much was authorized.",
		Param:   "amount",
	},
	{
		Name: "authorization_expired", Kind: fault.KindRefused, Kept: true,
		Meaning: "An authorization lasts seven days, and they are over.",
		Remedy:  "Charge the token again.",
		Message: "The authorization has expired: its seven days are over. Charge the token again.",
		Members: []string{"charge_id"},
	},
}

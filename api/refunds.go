package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/refund"
)

func (a *API) refundRoutes() []route {
	return []route{
		{http.MethodPost, "/api/refunds", "", authz.RefundCreate, constant, creates("/api/refunds", a.Refunds.Create)},
		{http.MethodGet, "/api/refunds", "", authz.RefundRead, grows, lists(refundList, a.Refunds.List, a.merchantOf(), a.chargeOf())},
		{http.MethodGet, "/api/refunds/:id", "", authz.RefundRead, constant, get(a.Refunds.Get, a.merchantOf(), a.chargeOf())},
		{http.MethodPost, "/api/refunds/:id/cancel", "", authz.RefundCancel, constant, act(bare(a.Refunds.Cancel))},
	}
}

func refundList(q *query) refund.ListInput {
	return refund.ListInput{
		Page: pageOf(q, ids.ParseRefund), Created: q.times("created_at"), Amounts: q.amounts("amount"),
		Statuses: q.words("status", refund.Statuses()), Merchants: q.integers("merchant_id"),
		Currencies: q.currencies(),
		Reasons:    q.words("reason", refund.Reasons()), ChargeID: idIn(q, "charge_id", ids.ParseCharge),
		ExternalID: q.text("external_id", check.MaxExternalID), Metadata: q.pairs("metadata"),
	}
}

// refundCodes are those of refunds.
var refundCodes = []code{
	{Name: "charge_not_refundable", Kind: fault.KindConflict, Param: "charge_id", Members: []string{"status"},
		Meaning: "The charge's status, which status tells, does not allow refunds: nothing was captured, or it went back already.",
		Remedy:  "Void a charge that is authorized. Wait for one that is processing.",
		Message: "A charge that is authorized cannot be refunded."},
	{Name: "charge_disputed", Kind: fault.KindConflict, Param: "charge_id",
		Meaning: "What is left of the charge is disputed: the payer gets it back by winning the dispute, not by a refund too.",
		Remedy:  "Answer or accept the dispute.",
		Message: "What is left of this charge is disputed and cannot be refunded."},
	{Name: "refund_not_cancelable", Kind: fault.KindConflict, Members: []string{"status"},
		Meaning: "Only a refund with a pending_reason can be canceled; this one was sent, or has ended. status tells which.",
		Remedy:  "Read the refund.",
		Message: "A refund that is succeeded cannot be canceled."},
	{Name: "refund_exceeds_remaining", Kind: fault.KindRefused, Param: "amount", Members: []string{"remaining"},
		Meaning: "The amount is more than is left of the charge, which remaining tells: what was captured less what was refunded, " +
			"is being refunded, or is disputed.",
		Remedy:  "Refund at most remaining, or leave the amount out to refund all of it.",
		Message: "This is more than can still be refunded on this charge."},
}

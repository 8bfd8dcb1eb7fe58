package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
)

func (a *API) disputeRoutes() []route {
	return []route{
		{http.MethodGet, "/api/disputes", "", authz.DisputeRead, grows, lists(disputeList, a.Disputes.List, a.merchantOf(), a.chargeOf())},
		{http.MethodGet, "/api/disputes/:id", "", authz.DisputeRead, constant, get(a.Disputes.Get, a.merchantOf(), a.chargeOf())},
		{http.MethodPost, "/api/disputes/:id/evidence", "", authz.DisputeAnswer, constant, handleID(a.Disputes.SubmitEvidence)},
		{http.MethodPost, "/api/disputes/:id/accept", "", authz.DisputeAnswer, constant, act(bare(a.Disputes.Accept))},
	}
}

// maxReason is how long a network's reason may be that disputes are searched for, in characters.
const maxReason = 100

func disputeList(q *query) dispute.ListInput {
	return dispute.ListInput{
		Page: pageOf(q, ids.ParseDispute), Created: q.times("created_at"), RespondBy: q.times("respond_by"),
		Amounts: q.amounts("amount"), Reason: q.text("reason", maxReason), Statuses: q.words("status",
			dispute.Statuses()),
		Kinds: q.words("kind", dispute.Kinds()), Merchants: q.integers("merchant_id"), ChargeID: idIn(q, "charge_id",
			ids.ParseCharge),
	}
}

// disputeCodes are those of disputes.
var disputeCodes = []code{
	{Name: "dispute_not_answerable", Kind: fault.KindConflict, Kept: true, Members: []string{"status"},
		Meaning: "The dispute cannot be answered, or not in this way: it was answered before, has ended, its time has run out, or the processor takes no answer. " +
			"A retrieval cannot be accepted. status tells how it stands.",
		Remedy:  "Read the dispute. Answer while it needs a response and respond_by has not passed.",
		Message: "Only a dispute that needs a response can be answered; this one is lost."},
}

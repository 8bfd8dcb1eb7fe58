package event

import (
	"slices"
	"strings"
)

// Type is a kind of event.
type Type struct {
	Name string
	// Object is the kind of object that it is about, as the object's own member says.
	Object string
	// Meaning is for people.
	Meaning string
}

// types lists every kind. The names are the API's words, odd spellings included.
var types = []Type{
	{"charge.created", "charge", "A charge was written down and is on its way to the processor."},
	{"charge.authorized", "charge", "The amount is held and can be captured for seven days."},
	{"charge.captured", "charge", "The money was taken."},
	{"charge.pending", "charge", "A bank debit was accepted for submission."},
	{"charge.settled", "charge", "The money is available to the merchant."},
	{"charge.failed", "charge", "The charge was declined, or its debit came back before it settled."},
	{"charge.voided", "charge", "The hold was released, or the debit taken back before its batch."},
	{"charge.expired", "charge", "Seven days passed without a capture."},
	{"charge.returned", "charge", "A bank took a settled debit back."},
	{"charge.refunded", "charge", "An amount of the charge was given back."},
	{"charge.updated", "charge", "Something else of the charge changed, such as a refund that is on its way, or a dispute."},

	{"refund.created", "refund", "A refund was written down; its amount is reserved."},
	{"refund.updated", "refund", "A refund that waited was sent."},
	{"refund.succeeded", "refund", "The money goes back to the payer."},
	{"refund.failed", "refund", "The refund was refused; nothing was given back."},
	{"refund.canceled", "refund", "A refund that waited was taken back."},

	{"dispute.created", "dispute", "A payer's bank opened a dispute."},
	{"dispute.updated", "dispute", "Evidence was kept or handed in, or a retrieval became a chargeback."},
	{"dispute.accepted", "dispute", "The merchant gave the charge up."},
	{"dispute.won", "dispute", "The money of the dispute is the merchant's again."},
	{"dispute.lost", "dispute", "The money of the dispute went to the payer."},
	{"dispute.closed", "dispute", "A retrieval ended."},

	{"payout.created", "payout", "A payout was sent to the merchant's bank."},
	{"payout.paid", "payout", "A payout arrived."},
	{"payout.failed", "payout", "A payout did not arrive; payouts of the merchant pause."},
	{"payout.returned", "payout", "A payout that had arrived came back; payouts of the merchant pause."},

	{"merchant.created", "merchant", "A merchant was made."},
	{"merchant.updated", "merchant", "Something of a merchant changed; previous_attributes tells what."},

	{"daf_donation.created", "daf_donation", "A DAF donation was created."},
	{"daf_donation_updated", "daf_donation", "A DAF donation was updated."},
	{"daf_donation.completed", "daf_donation", "A DAF donation was completed."},
	{"daf_donation.canceled", "daf_donation", "A DAF donation was canceled."},

	{"token.updated", "token", "Something of a saved payment method changed, such as its status."},

	{"webhook_endpoint.paused", "webhook_endpoint", "Nothing is sent to an endpoint any more: it failed for five days, or said that it is gone."},
	{"webhook_endpoint.recovered", "webhook_endpoint", "An endpoint that was paused and enabled again took an event."},

	{"ping", "webhook_endpoint", "A test of an endpoint."},
}

// Types lists every kind of event, in the order in which people read of them.
func Types() []Type { return slices.Clone(types) }

// Names lists the name of every kind.
func Names() []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = t.Name
	}
	return out
}

// Matches tells whether a filter covers a kind: its name, * for all, or a group such as charge.*. The
// group daf_donation.* has daf_donation_updated, too.
func Matches(filter, name string) bool {
	group, ok := strings.CutSuffix(filter, "*")
	switch {
	case filter == "*", filter == name:
		return true
	case !ok || !strings.HasSuffix(group, "."):
		return false
	}
	return strings.HasPrefix(name, group) || filter == "daf_donation.*" && name == "daf_donation_updated"
}

// IsFilter tells whether a filter covers any kind at all.
func IsFilter(filter string) bool {
	return slices.ContainsFunc(types, func(t Type) bool { return Matches(filter, t.Name) })
}

// Covered lists the names that filters cover together.
func Covered(filters []string) (out []string) {
	for _, t := range types {
		if slices.ContainsFunc(filters, func(f string) bool { return Matches(f, t.Name) }) {
			out = append(out, t.Name)
		}
	}
	return out
}

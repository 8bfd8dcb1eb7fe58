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
	// Meaning says for people when it happens.
	Meaning string
	// Former are the members of the object whose former values previous_attributes has every time, next to
	// version. Others that changed are there too.
	Former []string
}

// types lists every kind. The names are the API's words, odd spellings included.
var types = []Type{
	{"charge.created", "charge", "A charge was created and is being sent to the processor.", nil},
	{"charge.authorized", "charge", "The amount is held and can be captured for seven days.", []string{"status", "amount_authorized", "authorized_at", "authorization_expires_at"}},
	{"charge.captured", "charge", "The payment was captured.", []string{"status", "amount_captured", "amount_refundable", "captured_at", "available_on"}},
	{"charge.pending", "charge", "A bank debit was accepted for submission.", []string{"status", "amount_captured", "amount_refundable", "captured_at", "available_on"}},
	{"charge.settled", "charge", "The money is available to the merchant.", []string{"status", "settled_at"}},
	{"charge.failed", "charge", "The charge was declined, or the bank returned the debit before it settled.", []string{"status", "failed_at", "failure"}},
	{"charge.voided", "charge", "The authorization was released, or the debit was canceled before submission.", []string{"status", "voided_at"}},
	{"charge.expired", "charge", "Seven days passed without a capture.", []string{"status", "expired_at"}},
	{"charge.returned", "charge", "The bank returned a settled debit.", []string{"status", "returned_at", "return_code"}},
	{"charge.refunded", "charge", "The charge was fully or partially refunded.", []string{"amount_refunded"}},
	{"charge.updated", "charge", "Another field on the charge changed, such as metadata, a pending refund, or a dispute.", nil},

	{"refund.created", "refund", "A refund was created and its amount reserved.", nil},
	{"refund.updated", "refund", "A pending refund was sent.", []string{"pending_reason"}},
	{"refund.succeeded", "refund", "The refund was sent to the payer.", []string{"status", "succeeded_at"}},
	{"refund.failed", "refund", "The refund was declined, or failed after it was sent. The money is in the merchant's balance.", []string{"status", "failed_at", "failure"}},
	{"refund.canceled", "refund", "A pending refund was canceled.", []string{"status", "canceled_at"}},

	{"dispute.created", "dispute", "A payer's bank opened a dispute.", nil},
	{"dispute.updated", "dispute", "Evidence was saved or submitted, or an inquiry escalated to a chargeback.", nil},
	{"dispute.accepted", "dispute", "The merchant accepted the dispute.", []string{"status", "closed_at"}},
	{"dispute.won", "dispute", "The dispute was won and the funds were returned to the merchant.", []string{"status"}},
	{"dispute.lost", "dispute", "The dispute was lost and the money went to the payer.", []string{"status", "closed_at"}},
	{"dispute.closed", "dispute", "A retrieval ended.", []string{"status", "closed_at"}},

	{"payout.created", "payout", "A payout was sent to the merchant's bank.", nil},
	{"payout.paid", "payout", "A payout arrived.", []string{"status", "paid_at"}},
	{"payout.failed", "payout", "A payout failed. Payouts to the merchant are paused.", []string{"status", "failed_at", "failure"}},
	{"payout.returned", "payout", "The bank returned a payout. Payouts to the merchant are paused.", []string{"status", "returned_at", "failure"}},

	{"merchant.created", "merchant", "A merchant was created.", nil},
	{"merchant.updated", "merchant", "A merchant changed. This includes turning on DAF donations and enrolling in DAF Pay.", nil},

	{"card_rules.updated", "card_rules", "A merchant's card rules changed, or entries of its lists were added or removed.", nil},

	{"fees.updated", "fee_change", "A merchant's fees changed, or a change was scheduled, or a scheduled change was canceled.", nil},

	{"daf_donation.created", "daf_donation", "A DAF donation was created.", nil},
	{"daf_donation_updated", "daf_donation", "A DAF donation was updated. Sent before its completed or canceled event.", nil},
	{"daf_donation.completed", "daf_donation", "A DAF donation was completed.", []string{"status", "completed_at", "status_history"}},
	{"daf_donation.canceled", "daf_donation", "A DAF donation was canceled.", []string{"status", "canceled_at", "status_history"}},

	{"token.updated", "token", "A saved payment method changed (status, expiration date, or billing details).", nil},

	{"webhook_endpoint.paused", "webhook_endpoint", "An endpoint was paused after 5 days of failures or a 410 response.", []string{"status", "paused_reason"}},
	{"webhook_endpoint.recovered", "webhook_endpoint", "A re-enabled endpoint received an event successfully.", []string{"last_success_at"}},

	{"ping", "webhook_endpoint", "A test of an endpoint. It has no sequence and is not listed.", nil},
}

// First reports whether nothing was before that could be among the previous attributes.
func (t Type) First() bool {
	return t.Name == "ping" || t.Object == "fee_change" || strings.HasSuffix(t.Name, ".created")
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

// Matches reports whether a filter covers a kind: its name, * for all, or a group such as charge.*. The
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

// IsFilter reports whether a filter covers any kind at all.
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

// Kind is the kind of objects that events of a type are about; "" of a type that there is not.
func Kind(name string) string {
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return ""
	}
	return types[i].Object
}

// Kinds lists the kinds of objects that events of some types are about, each once.
func Kinds(names []string) (out []string) {
	for _, name := range names {
		if kind := Kind(name); !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

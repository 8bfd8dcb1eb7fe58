package authz

import (
	"fmt"
	"maps"
	"slices"
)

// readers are the permissions that objects are read with, by their kind: the member object of each, in events, search,
// exports and timelines. The contents of requests have a few more kinds, see package requestlog.
var readers = map[string]Permission{
	"balance_entry":    BalanceRead,
	"card_rules":       CardRuleRead,
	"charge":           ChargeRead,
	"daf_donation":     DonationRead,
	"dispute":          DisputeRead,
	"domain":           DomainRead,
	"event":            EventRead,
	"export":           ExportRead,
	"fee_change":       FeeRead,
	"fee_defaults":     FeeDefaultRead,
	"idempotency_key":  IdempotencyKeyRead,
	"mandate":          MandateRead,
	"merchant":         MerchantRead,
	"payout":           PayoutRead,
	"processing":       ProcessingRead,
	"refund":           RefundRead,
	"request_log":      RequestLogRead,
	"search_result":    SearchRead,
	"statement":        StatementRead,
	"token":            TokenRead,
	"webhook_endpoint": WebhookRead,
}

// Kinds lists the kinds of objects that [Reads] knows, by name.
func Kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// Reads returns nil if an actor may read objects of a kind, and otherwise the fault permission_denied of the permission
// that is missing. Everything that shows objects of several kinds asks it: events, webhook endpoints and deliveries,
// timelines, request logs, expanded objects, search and exports. A kind that it does not know is an internal error, so
// no actor reads one.
func Reads(c Checker, a Actor, kind string) error {
	p, ok := readers[kind]
	if !ok {
		return fmt.Errorf("authz: no permission reads objects of the kind %q", kind)
	}
	return c.Check(a, p)
}

// Readable returns the kinds of a list that an actor may read. If there are none, it returns the fault of the first.
func Readable(c Checker, a Actor, kinds []string) (out []string, denied error) {
	for _, kind := range kinds {
		err := Reads(c, a, kind)
		if err == nil {
			out = append(out, kind)
		} else if denied == nil {
			denied = err
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, denied
}

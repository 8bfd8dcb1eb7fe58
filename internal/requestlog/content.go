package requestlog

import (
	"strings"

	"svcpay/internal/authz"
)

// contents are the kinds of objects that requests to a path contain in their bodies and queries, by the path's first
// segments below /api. The longest match counts. "" is nothing that needs a permission: of uploads nothing is kept.
var contents = map[string]string{
	"balance":                 "balance_entry",
	"balance_entries":         "balance_entry",
	"card_rule_entries":       "card_rules",
	"charges":                 "charge",
	"dafDonations":            "daf_donation",
	"dafDonations/quote":      "fee_change",
	"disputes":                "dispute",
	"events":                  "event",
	"exports":                 "export",
	"fee_defaults":            "fee_defaults",
	"files":                   "",
	"idempotency_keys":        "idempotency_key",
	"mandates":                "mandate",
	"me":                      "",
	"merchants":               "merchant",
	"merchants/*/card_rules":  "card_rules",
	"merchants/*/daf_invoice": "statement",
	"merchants/*/domains":     "domain",
	"merchants/*/fees":        "fee_change",
	"merchants/*/processing":  "processing",
	"merchants/*/statement":   "statement",
	"organizations":           "merchant",
	"payouts":                 "payout",
	"refunds":                 "refund",
	"request_logs":            "request_log",
	"sandbox/charges":         "charge",
	"sandbox/clock":           "",
	"sandbox/dafDonations":    "daf_donation",
	"sandbox/daf_sessions":    "daf_donation",
	"sandbox/disputes":        "dispute",
	"sandbox/payouts":         "payout",
	"sandbox/refunds":         "refund",
	"sandbox/test_cases":      "",
	"sandbox/tokens":          "token",
	"search":                  "search_result",
	"tokens":                  "token",
	"webhook_endpoints":       "webhook_endpoint",
	"webhook_replays":         "webhook_endpoint",
}

// ContentOf is the kind of objects that requests to a canonical path contain; false if it is not known, because there
// is no such route.
func ContentOf(path string) (kind string, known bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	if len(segments) > 2 && segments[0] != "sandbox" {
		kind, known = contents[segments[0]+"/*/"+segments[2]]
	}
	if !known && len(segments) > 1 {
		kind, known = contents[segments[0]+"/"+segments[1]]
	}
	if !known {
		kind, known = contents[segments[0]]
	}
	return kind, known
}

// readsContent reports whether an actor may read what was in a request: the objects that it made, changed or named. A
// request to a path that is no route may have contained any of them.
func (s *Service) readsContent(actor authz.Actor, path string) bool {
	kind, known := ContentOf(path)
	if known {
		return kind == "" || authz.Reads(s.deps.Check, actor, kind) == nil
	}
	for _, kind := range contents {
		if kind != "" && authz.Reads(s.deps.Check, actor, kind) != nil {
			return false
		}
	}
	return true
}

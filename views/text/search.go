package text

import (
	"slices"
	"strconv"
	"strings"
)

// Search are the texts of what is found from everywhere.
type Search struct {
	Pages, Merchants, Charges, Refunds, Disputes, Payouts, Donations string
	Requests, Events, Audit                                          string
	RefundOf, PayoutTo                                               func(of string) string
	// what is known of an object, those parts that there are
	Line     func(parts ...string) string
	Dispute  map[string]string // by kind
	Answered func(status int) string
	Did      func(n int) string
	DidText  string
	Broad    string
}

var searchEnglish = Search{
	Pages: "Pages", Merchants: "Merchants", Charges: "Charges", Refunds: "Refunds", Disputes: "Disputes",
	Payouts: "Payouts", Donations: "Donations", Requests: "Requests", Events: "Events", Audit: "Audit log",
	RefundOf: func(id string) string { return "Refund of " + id },
	Line: func(parts ...string) string {
		return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
	},
	PayoutTo: func(account string) string { return "Payout to " + account },
	Dispute:  map[string]string{"chargeback": "Chargeback", "retrieval": "Retrieval"},
	Answered: func(status int) string { return "returned " + strconv.Itoa(status) },
	Did:      func(n int) string { return plural(n, "entry", "entries") },
	DidText:  "Actions from this request",
	Broad:    "Too many matches. Add another search term.",
}

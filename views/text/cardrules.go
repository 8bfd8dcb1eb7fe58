package text

import "strconv"

// CardRules are the texts about a merchant's card rules: the rules, their preview, the two lists, and what a charge's
// page says of them.
type CardRules struct {
	Tab, Title, Text, ReadText string
	Names                      map[string]string // of the rules
	// of the form: what each rule does, by its name
	Hints                                   map[string]string
	Minimum, MinimumWrong                   string
	CountryList                             string
	CountryLists                            map[string]string
	Countries, CountriesHint, CountriesNone string
	CountryListMissing                      string
	CountriesWrong                          func(names string) string
	Charges, ChargesAfter                   string
	Hours, HoursAfter                       string
	Save, Saved, Problems, Conflict         string
	// what a rule is set to
	Off, On      string
	CountryWords map[string]func(names string) string
	Window       func(charges, hours int) string
	ManagedBy    func(roles string) string
	// the preview
	Preview, PreviewTitle              string
	PreviewNone                        string // no card payments
	PreviewNothing                     func(charges int) string
	PreviewBlocked                     func(blocked, charges int, amount string) string
	PreviewPart                        func(charges int) string
	PreviewAdvice                      string
	Rule, Payments, Amount             string
	Approved, Declined                 string
	Disputed, Refunded                 string
	All                                string
	Examples, ExamplesText             string
	Payment, Status, Created           string
	How, HowOrder, HowAllow, HowCounts string
	HowPayer, HowLimits                string

	Lists      map[string]string // their names
	ListsTitle string
	ListsText  string
	Entries    func(n int) string

	// the page of the lists
	EntriesTitle, EntriesText      string
	EntriesSearch                  string
	List, Kind, Value, Added       string
	Kinds                          map[string]string
	AddedBy                        func(who string) string
	Shown                          func(n int) string
	NoEntries, NoEntriesText       string
	Add, AddText, AddProblems      string
	ListChoices                    map[string]string
	KindHint, Values, ValuesHint   string
	ValuesMany                     func(most int) string
	Note, NoteHint                 string
	Line                           func(n int, mistake string) string
	MoreMistakes                   func(n int) string
	AddedTold                      func(added, listed int) string
	Remove, RemoveText, RemoveNone string
	RemoveCount                    func(n int) string
	Removed                        func(n int) string
	RemovedBefore                  string

	UnlistedBefore string
	ListedBefore   map[string]string // by list

	// a charge's page
	Card                         string // the title
	BlockedText                  func(rule string) string
	OnLists                      map[string]string
	OnNone                       string
	BlockCard, AllowCard, Unlist string
	BlockText, AllowText         func(card string) string
	UnlistText                   func(card string) string
	Blocked, Allowed, Unlisted   string
	ToRules                      string
	BlockedAs                    func(rule string) string
}

var cardRulesEnglish = CardRules{
	Tab: "Card rules", Title: "Rules",
	Text:     "New card and wallet payments that break a rule are blocked. Preview your changes before you save them.",
	ReadText: "New card and wallet payments that break a rule are blocked.",
	Names: map[string]string{"block_list": "Block list", "minimum_amount": "Minimum amount",
		"country": "Card country", "card_velocity": "Payments per card", "email_velocity": "Payments per email address",
		"address_velocity": "Payments per billing address", "cvc_mismatch": "Wrong security code",
		"postal_code_mismatch": "Wrong postal code"},
	Hints: map[string]string{
		"minimum_amount":   "Block payments below an amount. Card testers often use very small amounts.",
		"country":          "Block cards by the country of the bank that issued them.",
		"card_velocity":    "Block a card after too many payments in a short time.",
		"email_velocity":   "Block payments after too many from the same email address.",
		"address_velocity": "Block payments after too many from the same street address and postal code.",
		"cvc_mismatch": "Block payments with a wrong security code, even if the bank approved them. " +
			"We release the hold on the card right away.",
		"postal_code_mismatch": "Block payments with a wrong billing postal code, even if the bank approved them. " +
			"This can block payers who moved recently.",
	},
	Minimum: "Block payments below", MinimumWrong: "Enter an amount, such as 5.00.",
	CountryList: "Countries to block",
	CountryLists: map[string]string{"block": "The countries below",
		"allow": "All countries except those below"},
	Countries: "Countries", CountriesHint: "Names or two-letter codes, separated by commas",
	CountriesNone: "Enter at least one country.", CountryListMissing: "Choose which countries to block.",
	CountriesWrong: func(names string) string {
		return "Unknown: " + names + ". Use a country’s English name or its two-letter code."
	},
	Charges: "Allowed payments", ChargesAfter: "payments", Hours: "Within", HoursAfter: "hours",
	Save: "Save rules", Saved: "Card rules saved", Problems: "Rules not saved",
	Conflict: "Someone else just changed these rules",

	Off: "Off", On: "On",
	CountryWords: map[string]func(names string) string{
		"block": func(names string) string { return "Block " + names },
		"allow": func(names string) string { return "Block all except " + names },
	},
	Window: func(charges, hours int) string {
		return "Up to " + plural(charges, "payment", "payments") + " in " + plural(hours, "hour", "hours")
	},
	ManagedBy: func(roles string) string { return "Managed by: " + roles + "." },

	Preview: "Preview rules", PreviewTitle: "What these rules would have blocked",
	PreviewNone: "There were no card payments in the last 30 days.",
	PreviewNothing: func(charges int) string {
		return "These rules would have blocked none of the card payments in the last 30 days (" +
			group(int64(charges), ",") + " checked)."
	},
	PreviewBlocked: func(blocked, charges int, amount string) string {
		return "These rules would have blocked " + group(int64(blocked), ",") + " of " +
			plural(charges, "card payment", "card payments") + " in the last 30 days (" + amount + ")."
	},
	PreviewPart: func(charges int) string {
		return "This merchant has more payments. We only looked at the newest " + group(int64(charges), ",") + "."
	},
	PreviewAdvice: "Approved payments without a dispute or refund were probably genuine. If a rule blocks many of " +
		"them, make it less strict.",
	Rule: "Rule", Payments: "Payments", Amount: "Amount", Approved: "Approved", Declined: "Declined",
	Disputed: "Disputed", Refunded: "Refunded", All: "All rules",
	Examples: "Newest examples", ExamplesText: "Up to 20 payments that these rules would have blocked",
	Payment: "Payment", Status: "Status", Created: "Created",
	How: "How rules work",
	HowOrder: "If a payment breaks several rules, we record the first one: the block list, then the rules in the " +
		"order on this page.",
	HowAllow:  "Payments that match the allow list pass all rules except the block list.",
	HowCounts: "Payment counts start when you turn on the rule.",
	HowPayer:  "Payers see a general message that doesn’t name the rule.",
	HowLimits: "Bank debits and DAF donations aren’t checked.",

	Lists:      map[string]string{"block": "Block list", "allow": "Allow list"},
	ListsTitle: "Lists", ListsText: "Cards, email addresses, and more that you always block or accept",
	Entries: func(n int) string { return plural(n, "entry", "entries") },

	EntriesTitle: "Block and allow lists",
	EntriesText: "Payments that match the block list are always blocked. Other payments that match the allow list " +
		"pass all rules.",
	EntriesSearch: "Search values and notes",
	List:          "List", Kind: "Type", Value: "Value", Added: "Added",
	Kinds: map[string]string{"card": "Card", "bin": "First six digits", "email": "Email address",
		"email_domain": "Email domain", "postal_code": "Postal code"},
	AddedBy:   func(who string) string { return "by " + who },
	Shown:     func(n int) string { return onPage(n, "entry", "entries") },
	NoEntries: "No entries yet",
	NoEntriesText: "Cards, email addresses, and more that you always block or accept appear here. To block a card, " +
		"you can also open one of its charges and choose Block card.",
	Add: "Add entries", AddText: "New entries apply to new payments right away.", AddProblems: "Entries not added",
	ListChoices: map[string]string{"block": "Always block matching payments",
		"allow": "Matching payments pass all rules except the block list"},
	KindHint: "For a card, enter the ID of a charge (ch_…) that was made with it. Email domains don’t include " +
		"subdomains.",
	Values: "Values", ValuesHint: "One per line, up to 500",
	ValuesMany: func(most int) string { return "Enter at most " + group(int64(most), ",") + " values." },
	Note:       "Note", NoteHint: "The reason, for your team. Payers don’t see it.",
	Line:         func(n int, mistake string) string { return "Line " + strconv.Itoa(n) + ": " + mistake },
	MoreMistakes: func(n int) string { return "And " + plural(n, "more mistake", "more mistakes") + "." },
	AddedTold: func(added, listed int) string {
		switch {
		case listed == 0:
			return plural(added, "entry added", "entries added")
		case added == 0:
			return "No entries added. All of them are already on the list."
		}
		return plural(added, "entry added", "entries added") + ", " + group(int64(listed), ",") + " already on the list"
	},
	Remove: "Remove entries", RemoveText: "These entries will no longer apply to new payments:",
	RemoveNone:  "No entries selected",
	RemoveCount: func(n int) string { return "Remove " + plural(n, "entry", "entries") },
	Removed:     func(n int) string { return plural(n, "entry removed", "entries removed") },

	RemovedBefore: "These entries were already removed.", UnlistedBefore: "This entry was already removed.",
	ListedBefore: map[string]string{"block": "This card is already on the block list.",
		"allow": "This card is already on the allow list."},

	Card:        "Card rules",
	BlockedText: func(rule string) string { return "Blocked by the merchant’s card rule “" + rule + "”." },
	OnLists:     map[string]string{"block": "On the block list", "allow": "On the allow list"},
	OnNone:      "Not on a list",
	BlockCard:   "Block card", AllowCard: "Allow card", Unlist: "Remove card from list",
	BlockText: func(card string) string {
		return "New payments to this merchant with " + card + " will be blocked. This charge doesn’t change."
	},
	AllowText: func(card string) string {
		return "New payments to this merchant with " + card + " will pass all card rules except the block list."
	},
	UnlistText: func(card string) string {
		return "The list will no longer apply to " + card + ". The merchant’s other card rules still apply."
	},
	Blocked: "Card blocked", Allowed: "Card allowed", Unlisted: "Card removed from the list",
	ToRules:   "View rules",
	BlockedAs: func(rule string) string { return "Blocked by the rule “" + rule + "”" },
}

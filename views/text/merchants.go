package text

// Merchants are the texts of the list of merchants, and of the forms for one.
type Merchants struct {
	Title, Text                             string
	Search                                  string
	Name, Status, Organization, Country     string
	Accepts, Created, Reference             string
	WalletA, DAF, Paused, On, Off, Yes, No  string
	Short                                   map[string]string // kinds of payment in a word
	Nothing                                 string            // of what it accepts
	Counted                                 func(n int64, more bool) string
	EmptyTitle, EmptyText                   string
	NoneTitle, NoneText                     string // for who cannot add one
	New, NewText, Add                       string
	Added                                   func(name string) string
	Who, WhoText, Where, WhereText, Shown   string
	ShownText, Paid, PaidText               string
	NameHint, OrganizationHint, Another     string
	AnotherName, AnotherHint                string
	CountryHint, NonprofitHint, EINHint     string
	DescriptorHint, ZoneOfCountry, BankHint string
	ReferenceHint                           string
	MinimumHint, MinimumMissing             string
	Zones                                   map[string]string
	FeesTitle, FeesText                     string
	EditTitle, Save, Saved                  string
	Conflict, ConflictText, Theirs, Yours   string
	StatusTitle                             func(name string) string
	StatusText                              map[string]string // what comes with a status
	Reason, ReasonHint, Changed             string
	EnrolledHint                            string
}

var merchantsEnglish = Merchants{
	Title: "Merchants", Text: "The accounts that are paid.",
	Search: "Name, number or your reference",
	Name:   "Merchant", Status: "Status", Organization: "Organization", Country: "Country", Accepts: "Accepts", Created: "Created", Reference: "Your reference",
	WalletA: "Wallet A", DAF: "DAF Pay", Paused: "Payouts paused", On: "On", Off: "Off", Yes: "Yes", No: "No",
	Short:   map[string]string{"cc": "Cards", "wallet_a": "Wallet A", "wallet_b": "Wallet B", "ach": "ACH", "acss": "ACSS", "daf": "DAF"},
	Nothing: "Nothing",
	Counted: func(n int64, more bool) string {
		if more {
			return "More than " + group(n, ",") + " merchants"
		}
		return plural(int(n), "merchant", "merchants")
	},
	EmptyTitle: "No merchants yet", EmptyText: "A merchant is an account that is paid. Charges and donations are made for one.",
	NoneTitle: "No merchants yet", NoneText: "They appear here once an administrator of the application adds them.",
	New: "Add a merchant", NewText: "It is active at once, with the fees of new merchants.", Add: "Add merchant",
	Added: func(name string) string { return name + " is added." },
	Who:   "Who it is", WhoText: "An organization can have several merchants, each with an EIN of its own.",
	Where: "Where it is", WhereText: "The country decides the currency, and cannot be changed later.",
	Shown: "What payers see", ShownText: "Cards show it on their statements.",
	Paid: "Behind it", PaidText: "Names for your own records, and who moves bank payments.",
	NameHint: "As payers know it.", OrganizationHint: "The customer that owns the merchant.", Another: "A new organization",
	AnotherName: "Name of the new organization", AnotherHint: "Only if it is none of those above.",
	CountryHint:   "Merchants in the US are paid in USD, those in Canada in CAD.",
	NonprofitHint: "Only nonprofit organizations in the US can accept DAF donations.",
	EINHint:       "In the US: nine digits as 04-3567500.", DescriptorHint: "Up to 22 letters, digits and spaces. Left empty, it is made of the name.",
	ZoneOfCountry: "As usual in its country", BankHint: "Who moves payments from payers' bank accounts.",
	ReferenceHint: "The merchant's id in your own program. No two merchants have the same.",
	MinimumHint:   "Smaller charges are refused. Choose it so that fees do not use up a charge.", MinimumMissing: "Enter an amount in dollars and cents, such as 0.50.",
	Zones: map[string]string{
		"America/New_York": "Eastern (New York)", "America/Chicago": "Central (Chicago)", "America/Denver": "Mountain (Denver)",
		"America/Phoenix": "Mountain, no daylight saving (Phoenix)", "America/Los_Angeles": "Pacific (Los Angeles)", "America/Anchorage": "Alaska (Anchorage)",
		"Pacific/Honolulu": "Hawaii (Honolulu)", "America/St_Johns": "Newfoundland (St. John's)", "America/Halifax": "Atlantic (Halifax)",
		"America/Toronto": "Eastern (Toronto)", "America/Winnipeg": "Central (Winnipeg)", "America/Regina": "Central, no daylight saving (Regina)",
		"America/Edmonton": "Mountain (Edmonton)", "America/Vancouver": "Pacific (Vancouver)",
	},
	FeesTitle: "Fees are copied from your application's defaults.", FeesText: "They can be changed for this merchant afterwards.",
	EditTitle: "Edit merchant", Save: "Save changes", Saved: "The changes are saved.",
	Conflict: "Somebody changed this merchant meanwhile", ConflictText: "What you typed is still in the form. Where it differs from what is saved now, both are shown here; saving again keeps yours.",
	Theirs: "Saved now", Yours: "Yours",
	StatusTitle: func(name string) string { return name + ": change status" },
	StatusText: map[string]string{
		"active":    "New charges and donations are accepted again, and payouts go on.",
		"suspended": "New charges, donations and payouts stop until it is reactivated. Captures, voids, refunds and disputes go on.",
		"closed":    "This cannot be undone. No new charges or donations ever again; voids, refunds, disputes and the last payouts go on.",
	},
	Reason: "Reason", ReasonHint: "For your colleagues; it is shown on the merchant's page.", Changed: "The status is changed.",
	EnrolledHint: "It is enrolled in DAF Pay by this EIN, which stays.",
}

package text

// Merchants are the texts of the list of merchants, and of the forms for one.
type Merchants struct {
	Title, Text                             string
	Search                                  string
	Name, NameLabel, Status, Organization   string
	Country                                 string
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
	Title: "Merchants", Text: "Accounts that receive payments",
	Search: "Name, ID, or external ID",
	Name:   "Merchant", NameLabel: "Merchant name", Status: "Status", Organization: "Organization", Country: "Country", Accepts: "Accepts",
	Created: "Created", Reference: "External ID",
	WalletA: "Wallet A", DAF: "DAF Pay", Paused: "Payouts paused", On: "On", Off: "Off", Yes: "Yes", No: "No",
	Short: map[string]string{"cc": "Cards", "wallet_a": "Wallet A", "wallet_b": "Wallet B", "ach": "ACH",
		"acss": "ACSS", "daf": "DAF"},
	Nothing: "Nothing",
	Counted: func(n int64, more bool) string {
		if more {
			return "More than " + group(n, ",") + " merchants"
		}
		return plural(int(n), "merchant", "merchants")
	},
	EmptyTitle: "No merchants yet", EmptyText: "A merchant is an account that receives charges and donations.",
	NoneTitle: "No merchants yet", NoneText: "Merchants show up here once an application administrator adds them.",
	New: "Add merchant", NewText: "The merchant can take payments right away.", Add: "Add merchant",
	Added: func(name string) string { return name + " added" },
	Who:   "Business details", WhoText: "An organization can have several merchants, each with its own EIN.",
	Where: "Country and tax", WhereText: "The country sets the currency and can’t be changed later.",
	Shown: "Statement descriptor", ShownText: "Appears on payers’ card statements",
	Paid: "Processing", PaidText: "How we process payments to this merchant",
	NameHint: "The name payers recognize", OrganizationHint: "The organization that owns the merchant",
	Another:     "New organization",
	AnotherName: "Organization name", AnotherHint: "Required for a new organization",
	CountryHint:    "Merchants in the US are paid in USD, those in Canada in CAD.",
	NonprofitHint:  "Only US nonprofits can accept DAF donations.",
	EINHint:        "US only. 9 digits, for example 04-3567500.",
	DescriptorHint: "Up to 22 letters, digits, and spaces. Defaults to the merchant name.",
	ZoneOfCountry:  "Default for the country", BankHint: "Processes payments from payers’ bank accounts",
	ReferenceHint:  "The merchant’s ID in your system. Must be unique.",
	MinimumHint:    "Smaller charges are declined. Set it high enough to cover your fees.",
	MinimumMissing: "Enter an amount in dollars and cents, such as 0.50.",
	Zones: map[string]string{
		"America/New_York": "Eastern (New York)", "America/Chicago": "Central (Chicago)",
		"America/Denver":  "Mountain (Denver)",
		"America/Phoenix": "Mountain, no daylight saving (Phoenix)", "America/Los_Angeles": "Pacific (Los Angeles)",
		"America/Anchorage": "Alaska (Anchorage)",
		"Pacific/Honolulu":  "Hawaii (Honolulu)", "America/St_Johns": "Newfoundland (St. John's)",
		"America/Halifax": "Atlantic (Halifax)",
		"America/Toronto": "Eastern (Toronto)", "America/Winnipeg": "Central (Winnipeg)",
		"America/Regina":   "Central, no daylight saving (Regina)",
		"America/Edmonton": "Mountain (Edmonton)", "America/Vancouver": "Pacific (Vancouver)",
	},
	FeesTitle: "The merchant starts with your default fees", FeesText: "You can change this merchant’s fees later.",
	EditTitle: "Edit merchant", Save: "Save changes", Saved: "Changes saved",
	Conflict:     "Someone else just edited this merchant",
	ConflictText: "Your edits are still in the form. Review the differences below, then save to keep yours.",
	Theirs:       "Saved", Yours: "Yours",
	StatusTitle: func(name string) string { return "Change status of " + name },
	StatusText: map[string]string{
		"active":    "Resumes new charges, donations, and payouts.",
		"suspended": "Blocks new charges, donations, and payouts until you reactivate the merchant. Captures, voids, refunds, and disputes still work.",
		"closed":    "This can’t be undone. New charges and donations are blocked permanently. Voids, refunds, disputes, and final payouts still work.",
	},
	Reason: "Reason", ReasonHint: "Internal only. Shown on the merchant’s page.", Changed: "Status updated",
	EnrolledHint: "The merchant is enrolled in DAF Pay with this EIN, so it can’t be changed.",
}

package text

// Merchant are the texts around all tabs of a merchant, and of its overview.
type Merchant struct {
	Tabs                                                  string
	Overview, Fees, Wallets, DAF, Payouts, Team, Activity string
	Of                                                    func(tab, merchant string) string // a title
	Statuses                                              map[string]string
	Suspended, Closed                                     string
	Edit, Change, Reactivate, Suspend, Close              string
	More                                                  string

	Accepts, AcceptsText                           string
	Method, State, Missing                         string
	Methods                                        map[string]string
	Gaps                                           map[string]string
	Accepted, NotAccepted, NotHere, NothingMissing string
	Who                                            func(roles string) string // who can do what is missing
	Fix                                            map[string]string         // what leads to where a gap is closed

	Details, ID, Organization, Country   string
	Countries                            map[string]string
	EIN, NoEIN, Nonprofit, Yes, No       string
	Descriptor, DescriptorText, TimeZone string
	Minimum                              string
	Bank                                 string
	Banks                                map[string]string
	Schedule                             string
	Daily                                string
	Weekly                               func(weekday string) string
	Monthly                              func(day int) string
	Weekdays                             []string // from Monday to Friday
	NextPayout, Paused                   string
	Pauses                               map[string]string
	External, Created, Updated, Metadata string
	JSON, JSONText, JSONLabel            string
}

var merchantEnglish = Merchant{
	Tabs:     "Parts of this merchant",
	Overview: "Overview", Fees: "Fees", Wallets: "Wallets & domains", DAF: "DAF", Payouts: "Payouts", Team: "Team", Activity: "Activity",
	Of:        func(tab, merchant string) string { return tab + " · " + merchant },
	Statuses:  map[string]string{"active": "Active", "suspended": "Suspended", "closed": "Closed"},
	Suspended: "Suspended: no new charges or donations, no payouts. Captures, refunds and disputes go on.",
	Closed:    "Closed for good. Voids, refunds, disputes and the last payouts go on.",
	Edit:      "Edit", Change: "Change status", Reactivate: "Reactivate", Suspend: "Suspend", Close: "Close for good",
	More: "More",

	Accepts: "What it accepts", AcceptsText: "And what is missing for the rest.",
	Method: "Payment", State: "State", Missing: "What is missing",
	Methods: map[string]string{
		"cc": "Cards", "wallet_a": "Wallet A", "wallet_b": "Wallet B", "ach": "US bank accounts (ACH)",
		"acss": "Canadian pre-authorized debit", "daf": "DAF donations", "payouts": "Payouts",
	},
	Gaps: map[string]string{
		"not_active":    "The merchant is not active.",
		"not_us":        "It is for merchants in the US alone.",
		"not_canada":    "It is for merchants in Canada alone.",
		"not_nonprofit": "The merchant is not marked as a nonprofit organization.",
		"wallet_a_off":  "Wallet A is off.",
		"no_domains":    "No domain is registered.",
		"daf_off":       "DAF Pay is off.",
		"not_enrolled":  "The merchant is not enrolled in DAF Pay.",
		"no_bank":       "There is no bank account to pay out to.",
		"bank_pending":  "The bank account is not verified yet.",
		"paused":        "Payouts are paused.",
	},
	Accepted: "Accepted", NotAccepted: "Something is missing", NotHere: "Not available", NothingMissing: "Nothing",
	Who: func(roles string) string { return "This takes one of these roles: " + roles + "." },
	Fix: map[string]string{
		"not_active": "Change its status", "not_nonprofit": "Edit the merchant", "wallet_a_off": "Turn it on", "no_domains": "Add domains",
		"daf_off": "Turn it on", "not_enrolled": "Enroll", "no_bank": "Add a bank account", "bank_pending": "Verify it", "paused": "See why",
	},

	Details: "Details", ID: "Merchant", Organization: "Organization", Country: "Country",
	Countries: map[string]string{"US": "United States", "CA": "Canada"},
	EIN:       "EIN", NoEIN: "None", Nonprofit: "Nonprofit", Yes: "Yes", No: "No",
	Descriptor: "On statements", DescriptorText: "What payers read on their card's statement.", TimeZone: "Time zone",
	Minimum:    "Minimum charge",
	Bank:       "Bank accounts by",
	Banks:      map[string]string{"p": "Processor P", "q": "Processor Q"},
	Schedule:   "Paid out",
	Daily:      "Every business day",
	Weekly:     func(weekday string) string { return "Every " + weekday },
	Monthly:    func(day int) string { return "Monthly, on day " + group(int64(day), ",") },
	Weekdays:   []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"},
	NextPayout: "Next payout", Paused: "Payouts are paused",
	Pauses:   map[string]string{"payout_failed": "The last one failed.", "payout_returned": "The last one came back from the bank."},
	External: "Your reference", Created: "Created", Updated: "Changed", Metadata: "Metadata",
	JSON: "JSON", JSONText: "What the API says of this merchant.", JSONLabel: "The merchant as JSON",
}

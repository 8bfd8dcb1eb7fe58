package text

// Merchant are the texts around all tabs of a merchant, and of its overview.
type Merchant struct {
	Tabs                                                  string
	Overview, Fees, Wallets, DAF, Payouts, Team, Activity string
	Processing, CardRules                                 string
	Of                                                    func(tab, merchant string) string // a title
	Statuses                                              map[string]string
	Suspended, Closed                                     string
	Edit, Change, Reactivate, Suspend, Close              string
	More                                                  string

	Accepts, AcceptsText           string
	Method, State, Missing         string
	Methods                        map[string]string
	Gaps                           map[string]string
	Accepted, NotAccepted, NotHere string
	Who                            func(roles string) string // who can do what is missing
	Fix                            map[string]string         // what leads to where a gap is closed

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
	Tabs:     "Merchant",
	Overview: "Overview", Fees: "Fees", Wallets: "Wallets & domains", DAF: "DAF", Payouts: "Payouts", Team: "Team",
	Activity: "Activity", Processing: "Processing", CardRules: "Card rules",
	Of:        func(tab, merchant string) string { return tab + " · " + merchant },
	Statuses:  map[string]string{"active": "Active", "suspended": "Suspended", "closed": "Closed"},
	Suspended: "Suspended. New charges, donations, and payouts are blocked. Captures, voids, refunds, and disputes still work.",
	Closed:    "Closed permanently. Voids, refunds, disputes, and final payouts still work.",
	Edit:      "Edit", Change: "Change status", Reactivate: "Reactivate", Suspend: "Suspend",
	Close: "Close permanently", More: "More",

	Accepts: "Payment methods", AcceptsText: "What’s on, and what’s needed to turn on the rest",
	Method: "Payment method", State: "State", Missing: "Requirements",
	Methods: map[string]string{
		"cc": "Cards", "wallet_a": "Wallet A", "wallet_b": "Wallet B", "ach": "US bank accounts (ACH)",
		"acss": "Canadian pre-authorized debit", "daf": "DAF donations", "payouts": "Payouts",
	},
	Gaps: map[string]string{
		"not_active":    "Merchant is not active",
		"not_us":        "US merchants only",
		"not_canada":    "Canadian merchants only",
		"not_nonprofit": "Not marked as a nonprofit",
		"wallet_a_off":  "Wallet A is off",
		"no_domains":    "No domains added",
		"daf_off":       "DAF Pay is off",
		"not_enrolled":  "Not enrolled in DAF Pay",
		"no_processor":  "No processor account",
		"no_bank":       "No bank account for payouts",
		"bank_pending":  "Bank account not verified",
		"paused":        "Payouts are paused",
	},
	Accepted: "On", NotAccepted: "Action needed", NotHere: "Not available",
	Who: func(roles string) string { return "Available to: " + roles + "." },
	Fix: map[string]string{
		"not_active": "Change status", "not_nonprofit": "Edit merchant", "wallet_a_off": "Turn on",
		"no_domains": "Add domains",
		"daf_off":    "Turn on", "not_enrolled": "Enroll", "no_processor": "Connect account",
		"no_bank": "Add bank account", "bank_pending": "Verify", "paused": "See why",
	},

	Details: "Details", ID: "Merchant", Organization: "Organization", Country: "Country",
	Countries: map[string]string{"US": "United States", "CA": "Canada"},
	EIN:       "EIN", NoEIN: "None", Nonprofit: "Nonprofit", Yes: "Yes", No: "No",
	Descriptor: "Statement descriptor", DescriptorText: "Appears on payers’ card statements", TimeZone: "Time zone",
	Minimum:    "Minimum charge",
	Bank:       "Bank debit processor",
	Banks:      map[string]string{"p": "Processor P", "q": "Processor Q"},
	Schedule:   "Payout schedule",
	Daily:      "Every business day",
	Weekly:     func(weekday string) string { return "Every " + weekday },
	Monthly:    func(day int) string { return "Monthly, on day " + group(int64(day), ",") },
	Weekdays:   []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"},
	NextPayout: "Next payout", Paused: "Payouts are paused",
	Pauses: map[string]string{"payout_failed": "The last payout failed.",
		"payout_returned": "The bank returned the last payout."},
	External: "External ID", Created: "Created", Updated: "Updated", Metadata: "Metadata",
	JSON: "JSON", JSONText: "API object", JSONLabel: "The merchant as JSON",
}

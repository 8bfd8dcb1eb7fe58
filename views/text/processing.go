package text

// Processing are the texts of the pages about processor accounts: a merchant's, and the application's defaults.
type Processing struct {
	Title, Text                                         string
	Lines, LinesText, NotConnected                      string
	Methods, Sources, LineOnboarding                    map[string]string
	Own, OwnText, None, NoneText                        string
	All, AllText, AllNone, AllNoneText                  string // the application's defaults
	Defaults, DefaultsText, ToDefaults                  string // as a merchant's page has them
	Moving                                              string
	ManagedBy                                           func(roles string) string
	NoProcessors                                        string
	Connect, Test, Edit, Disable, Enable, Remove        string
	Statuses, Onboarding                                map[string]string
	Lacks, Reported                                     string
	Capabilities, CapabilityStatuses, DisabledReasons   map[string]string
	DueNow, PastDue, DueBy, DisabledBecause             string
	MethodsLabel, Currencies, EveryCurrency             string
	Priority, State, Tested, Credentials, NoCredentials string
	Replaced                                            string // when the credentials were
	ConnectText, Processor, External, ExternalHint      string
	ExternalSandbox                                     func(example string) string
	CredentialsHint, CredentialsKept, NewCredentials    string
	MethodsHint, CurrenciesHint, PriorityHint           string
	// of a method that not all serve
	Only                                                   func(processors string) string
	EditText, Save                                         string
	ConnectProblems, SaveProblems, Conflict                string
	DisableTitle, DisableText, EnableTitle, EnableText     string
	RemoveTitle, RemoveText                                string
	Connected, Saved, DisabledTold, EnabledTold, NotTested string
	RemovedTold                                            string
	TestedTold                                             map[string]string
	Failover, FailoverText, FailoverOn, FailoverOff        string
	FailoverDown                                           func(processors string) string
	TurnOn, TurnOff, TurnOnTitle, TurnOffTitle             string
	TurnOnText, TurnOffText, TurnedOn, TurnedOff           string
	Charges, Enabled, NotEnabled                           string // of what a connected account may have
	OfPlatform                                             func(external string) string
	EditConnectedText, Onboard                             string
}

var processingEnglish = Processing{
	Title: "Processing", Text: "Default processor accounts for merchants that don’t have their own",
	Lines:        "Payment routing",
	LinesText:    "Applies to new payments. Captures, refunds, and disputes stay with the original account.",
	NotConnected: "Not connected",
	Methods:      map[string]string{"cc": "Cards", "ach": "ACH", "acss": "ACSS", "payout": "Payouts"},
	Sources: map[string]string{"merchant": "this merchant’s account", "application": "the application’s default",
		"sandbox": "sandbox"},
	LineOnboarding: map[string]string{"pending": "onboarding pending", "restricted": "restricted by the processor"},
	Own:            "This merchant’s accounts",
	OwnText:        "Used before the application’s defaults, lowest priority number first",
	None:           "No accounts yet",
	NoneText:       "This merchant’s own processor accounts appear here. Without one, the application’s defaults are used.",
	All:            "Default accounts",
	AllText:        "Used when a merchant has no account of its own for a payment, lowest priority number first",
	AllNone:        "No default accounts yet",
	AllNoneText:    "Accounts that all merchants of this application can use appear here.",
	Defaults:       "The application’s defaults",
	DefaultsText:   "Used when this merchant has no account of its own for a payment", ToDefaults: "Manage defaults",
	Moving: "To switch processors, connect the new account, then disable the old one or give it a higher priority number. " +
		"Earlier payments stay with their original account.",
	ManagedBy:    func(roles string) string { return "Managed by: " + roles + "." },
	NoProcessors: "You can’t connect accounts because this deployment has no processors.",
	Connect:      "Connect account", Test: "Test", Edit: "Edit", Disable: "Disable", Enable: "Enable",
	Remove:   "Remove",
	Statuses: map[string]string{"active": "Active", "disabled": "Disabled"},
	Onboarding: map[string]string{"complete": "Complete", "pending": "Pending",
		"restricted": "Restricted by the processor"},
	Lacks:        "To do at the processor",
	Reported:     "Reported by the processor",
	Capabilities: map[string]string{"card_payments": "Card payments in the merchant’s name", "transfers": "Transfers"},
	CapabilityStatuses: map[string]string{"active": "Active", "inactive": "Not active",
		"pending": "Being verified"},
	DueNow: "Details needed now", PastDue: "Overdue details", DueBy: "Needed by", DisabledBecause: "Disabled because",
	DisabledReasons: map[string]string{
		"requirements.past_due":                  "Required details are overdue",
		"requirements.pending_verification":      "The processor is verifying details",
		"action_required.requested_capabilities": "A capability must be requested",
		"under_review":                           "The processor is reviewing the account",
		"listed":                                 "The account may be on a prohibited persons list",
		"platform_paused":                        "You paused the account",
		"":                                       "Ask the processor for the reason",
		"rejected":                               "The processor rejected the account",
	},
	MethodsLabel: "Methods", Currencies: "Currencies", EveryCurrency: "All",
	Priority: "Priority", State: "Onboarding", Tested: "Last tested", Credentials: "Credentials", NoCredentials: "None",
	Replaced:    "Credentials replaced",
	ConnectText: "We check the account with the processor before we connect it. It can get new payments right away.",
	Processor:   "Processor", External: "External account", ExternalHint: "The account’s ID at the processor",
	ExternalSandbox: func(example string) string {
		return "The account’s ID at the processor. The sandbox takes any name after your application’s number: " + example + "."
	},
	CredentialsHint: "For example, an API key. We encrypt credentials and only show the last 4 characters. If the processor supports it, we register our webhook endpoint unless you enter a signing secret.",
	CredentialsKept: "Leave empty to keep the current credentials. We only show the last 4 characters.",
	NewCredentials:  "New credentials", MethodsHint: "New payments with these methods can go to this account.",
	CurrenciesHint: "Leave all unchecked to include every currency.",
	PriorityHint:   "A number from 1 to 100. The account with the lowest number is used first.",
	Only:           func(processors string) string { return "Only with " + processors },
	EditText:       "Changes to methods, currencies, and priority apply to new payments. New credentials replace the current ones right away. To use a different external account, connect that account instead.", Save: "Save changes",
	ConnectProblems: "Account not connected", SaveProblems: "Account not saved",
	Conflict:     "Someone else just edited this account",
	DisableTitle: "Disable account",
	DisableText:  "This account gets no new payments. It still handles captures, refunds, and disputes for earlier payments.",
	EnableTitle:  "Enable account", EnableText: "New payments can go to this account again.",
	RemoveTitle: "Remove account",
	RemoveText:  "We delete this account and its credentials here. Nothing changes at the processor. You can only remove accounts that never had a payment, payout, or verification.",
	Connected:   "Account connected", Saved: "Account updated", DisabledTold: "Account disabled",
	EnabledTold: "Account enabled", RemovedTold: "Account removed",
	NotTested: "Test failed",
	TestedTold: map[string]string{
		"complete":   "Test passed. The account can take payments.",
		"pending":    "The processor recognizes this account, but onboarding isn’t complete.",
		"restricted": "The processor doesn’t let this account take payments.",
	},
	Failover:     "Failover",
	FailoverText: "While a processor is down, new payments go to the same owner’s next account. Payouts and earlier payments stay.",
	FailoverOn:   "On", FailoverOff: "Off",
	FailoverDown: func(processors string) string { return "We can’t connect to: " + processors },
	TurnOn:       "Turn on", TurnOff: "Turn off", TurnOnTitle: "Turn on failover", TurnOffTitle: "Turn off failover",
	TurnOnText: "While we can’t connect to a processor, new payments go to the account with the next priority. Failover never moves a merchant’s payments " +
		"to the application’s account. Payouts, captures, refunds, and disputes for earlier payments stay with the original account.",
	TurnOffText: "New payments stay with the account with the lowest priority number, even while its processor is down.",
	TurnedOn:    "Failover turned on", TurnedOff: "Failover turned off",
	Charges: "Charges", Enabled: "Enabled", NotEnabled: "Not enabled",
	OfPlatform:        func(external string) string { return "Same as " + external },
	EditConnectedText: "Changes to methods, currencies, and priority apply to new payments. The account uses the credentials of the application’s account.",
	Onboard:           "Continue onboarding",
}

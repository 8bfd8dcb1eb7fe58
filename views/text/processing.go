package text

// Processing are the texts of the pages about processor accounts: a merchant's, and the application's defaults.
type Processing struct {
	Title, Text                                            string
	Lines, LinesText, NotConnected                         string
	Methods, Sources, LineOnboarding                       map[string]string
	Own, OwnText, None, NoneText                           string
	All, AllText, AllNone, AllNoneText                     string // the application's defaults
	Defaults, DefaultsText, ToDefaults                     string // as a merchant's page has them
	Moving                                                 string
	ManagedBy                                              func(roles string) string
	NoProcessors                                           string
	Connect, Test, Edit, Disable, Enable                   string
	Statuses, Onboarding                                   map[string]string
	MethodsLabel, Currencies, EveryCurrency                string
	Priority, State, Tested, Credentials, NoCredentials    string
	ConnectText, Processor, External, ExternalHint         string
	ExternalSandbox                                        func(example string) string
	CredentialsHint, CredentialsKept, NewCredentials       string
	MethodsHint, CurrenciesHint, PriorityHint              string
	Only                                                   func(processors string) string // of a method that not all serve
	EditText, Save                                         string
	ConnectProblems, SaveProblems, Conflict, ConflictText  string
	DisableTitle, DisableText, EnableTitle, EnableText     string
	Connected, Saved, DisabledTold, EnabledTold, NotTested string
	TestedTold                                             map[string]string
}

var processingEnglish = Processing{
	Title: "Processing", Text: "Default processor accounts for merchants that don’t have their own",
	Lines: "Where payments go", LinesText: "New payments only. Captures, refunds, and disputes stay with the account that took the payment.",
	NotConnected:   "Not connected",
	Methods:        map[string]string{"cc": "Cards", "ach": "ACH", "acss": "ACSS", "payout": "Payouts"},
	Sources:        map[string]string{"merchant": "this merchant’s account", "application": "the application’s default", "sandbox": "sandbox"},
	LineOnboarding: map[string]string{"pending": "onboarding pending", "restricted": "restricted by the processor"},
	Own:            "This merchant’s accounts", OwnText: "Used before the application’s defaults, lowest priority number first",
	None: "No accounts yet", NoneText: "This merchant’s own processor accounts appear here. Without one, the application’s defaults are used.",
	All: "Default accounts", AllText: "Used when a merchant has no account of its own for a payment, lowest priority number first",
	AllNone: "No default accounts yet", AllNoneText: "Accounts that all merchants of this application can use appear here.",
	Defaults: "The application’s defaults", DefaultsText: "Used when none of this merchant’s accounts can take a payment", ToDefaults: "Manage defaults",
	Moving: "To move to another processor, connect the new account and give it the first priority, or disable the old one. " +
		"Earlier payments stay where they were made.",
	ManagedBy:    func(roles string) string { return "Managed by: " + roles + "." },
	NoProcessors: "This deployment has no processor whose accounts can be connected.",
	Connect:      "Connect account", Test: "Test", Edit: "Edit", Disable: "Disable", Enable: "Enable",
	Statuses:     map[string]string{"active": "Active", "disabled": "Disabled"},
	Onboarding:   map[string]string{"complete": "Complete", "pending": "Pending", "restricted": "Restricted by the processor"},
	MethodsLabel: "Methods", Currencies: "Currencies", EveryCurrency: "All",
	Priority: "Priority", State: "Onboarding", Tested: "Last tested", Credentials: "Credentials", NoCredentials: "None",
	ConnectText: "The processor confirms the account before it’s connected. New payments can go there right away.",
	Processor:   "Processor", External: "External account", ExternalHint: "The account’s ID at the processor",
	ExternalSandbox: func(example string) string {
		return "The account’s ID at the processor. In the sandbox it begins with app-N/, such as " + example + "."
	},
	CredentialsHint: "Such as an API key. We encrypt them and only show the last 4 characters.",
	CredentialsKept: "Leave empty to keep the current ones. We only show the last 4 characters.", NewCredentials: "New credentials",
	MethodsHint: "New payments of these kinds can go to this account.", CurrenciesHint: "Choose none for all currencies.",
	PriorityHint: "From 1 to 100. 1 comes first.",
	Only:         func(processors string) string { return "Only with " + processors },
	EditText:     "Changes apply to new payments. To use another external account, connect it instead.", Save: "Save changes",
	ConnectProblems: "Account not connected", SaveProblems: "Account not saved",
	Conflict: "Someone else just changed this account", ConflictText: "Your changes aren’t saved yet. Theirs are shown first, then yours. Save again to apply yours.",
	DisableTitle: "Disable account", DisableText: "New payments stop going to this account. Captures, refunds, and disputes of earlier payments still do.",
	EnableTitle: "Enable account", EnableText: "New payments can go to this account again.",
	Connected: "Account connected", Saved: "Account updated", DisabledTold: "Account disabled", EnabledTold: "Account enabled",
	NotTested: "Test failed",
	TestedTold: map[string]string{
		"complete": "Test passed. The account can take payments.", "pending": "The processor knows this account. Onboarding isn’t complete yet.",
		"restricted": "The processor doesn’t let this account take payments.",
	},
}

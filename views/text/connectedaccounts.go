package text

// ConnectedAccounts are the texts about accounts of merchants that are connected to one of the application's.
type ConnectedAccounts struct {
	Names                                    map[string]string // of processors
	NewAccount, NewAccountText, Create       func(processor string) string
	CreateText, EmailHint, LinkText, Created func(processor string) string
	Link, Linked, Platform, PlatformHint     string
	Country, BusinessType                    string
	BusinessTypes                            map[string]string
	BusinessName, Email                      string
	CreateProblems, LinkProblems             string
	Unknown                                  func(processor string) string // of a creation whose outcome is
	UnknownText, Resume                      string
	CreationUnknown                          string
	OnboardingDone                           string
	Leaving, LeavingText, ContinueTo         func(processor string) string
	OnboardingDue, OnboardingChecked         func(processor string) string
}

// NameOf is how people know a processor.
func (c ConnectedAccounts) NameOf(processor string) string {
	if name := c.Names[processor]; name != "" {
		return name
	}
	return processor
}

var connectedAccountsEnglish = ConnectedAccounts{
	Names:      map[string]string{"stripe": "Stripe"},
	NewAccount: func(processor string) string { return processor + " account" },
	NewAccountText: func(processor string) string {
		return "To be paid out by " + processor + ", this merchant needs an account connected to the application’s account."
	},
	Create: func(processor string) string { return "Create " + processor + " account" },
	CreateText: func(processor string) string {
		return "The account is connected to the application’s account at " + processor + ". Payouts of this merchant then wait until its onboarding is complete."
	},
	EmailHint: func(processor string) string {
		return processor + " may send messages about the account to this address."
	},
	Link: "Link an existing account",
	LinkText: func(processor string) string {
		return "We check that the account is connected to the application’s account at " + processor + ". Payouts start as soon as " + processor + " enables them."
	},
	Linked:   "Account linked",
	Created:  func(processor string) string { return processor + " account created" },
	Platform: "Application’s account", PlatformHint: "The new account is connected to this one.",
	Country: "Country", BusinessType: "Business type",
	BusinessTypes: map[string]string{"non_profit": "Nonprofit", "company": "Company", "individual": "Individual",
		"government_entity": "Government entity"},
	BusinessName: "Business name", Email: "Email address",
	CreateProblems: "Account not created", LinkProblems: "Account not linked",
	Unknown: func(processor string) string { return "We’re waiting for " + processor + " to confirm a new account" },
	UnknownText: "The request to create it got no answer, so the account may already exist. " +
		"Check again to find out. This never creates a second account.",
	Resume:          "Check again",
	CreationUnknown: "The processor didn’t answer. Check again to find out whether the account was created.",
	Leaving:         func(processor string) string { return "Taking you to " + processor },
	LeavingText: func(processor string) string {
		return processor + " asks for the merchant’s details on its own page. Use the button if nothing happens."
	},
	ContinueTo:     func(processor string) string { return "Continue to " + processor },
	OnboardingDone: "Onboarding is complete. This account can get payouts.",
	OnboardingDue: func(processor string) string {
		return processor + " still needs details. Continue onboarding to enter them."
	},
	OnboardingChecked: func(processor string) string {
		return processor + " is checking the details. Come back later to see the result."
	},
}

package text

// Enrollment are the texts of the tab about donations from donor-advised funds.
type Enrollment struct {
	Switch, OnText, OffText, TurnOn, TurnOff      string
	TurnedOn, TurnedOff                           string
	Steps, StepsText                              string
	InUS, IsNonprofit, IsActive, IsOn, IsEnrolled string
	Done, NotDone, Never, TurnOnHere, EnrollHere  string
	NotUS                                         string
	NotNonprofit, NotActive, NotOn, NotEnrolled   string
	Enroll, EnrollText, EIN, EINHint, LookUp      string
	Enrolled                                      func(name string) string
	EnrolledText                                  string
	Organization, Number, Connection, Provider    string
	Since, Place, Registered, Standing            string
	Charity                                       func(subsection string) string
	Good, NotGood                                 string
	Account, UnclaimedTitle, UnclaimedText        string
	Accounts                                      map[string]string // claimed, unclaimed
	Found, FoundText, Other                       string
	ConfirmName                                   func(name string) string
	NotFound                                      string
	Processing, ProcessingText                    string
	Refused, LeftTitle, LeftText, Withdrawn       string
	Leave, LeaveTitle, LeaveText, LeaveSure       string
	LeftNow                                       string
	ByOrganization                                func(roles string) string
	Advice                                        map[string]string // what to do about an outcome
	FeesTitle, FeesText                           string
	Problems                                      string
	Try, TryText                                  string
}

var enrollmentEnglish = Enrollment{
	Switch: "DAF Pay", OnText: "Donors see the button while the merchant is enrolled.", OffText: "Hidden from donors",
	TurnOn: "Turn on", TurnOff: "Turn off", TurnedOn: "DAF Pay is on.", TurnedOff: "DAF Pay is off.",
	Steps: "Requirements", StepsText: "Only US 501(c)(3) organizations can accept DAF donations.",
	InUS: "In the US", IsNonprofit: "Nonprofit organization", IsActive: "Active",
	IsOn: "DAF Pay turned on", IsEnrolled: "Enrolled with its EIN",
	Done: "Done", NotDone: "Missing", Never: "Not available",
	NotUS:        "Merchants outside the US can’t accept DAF donations.",
	NotNonprofit: "If it’s a nonprofit, mark it as one in merchant settings.",
	NotActive:    "Suspended and closed merchants can’t accept donations.",
	NotOn:        "Ask support to turn it on.", NotEnrolled: "An organization administrator can enroll it here.",
	TurnOnHere: "You can turn it on here.", EnrollHere: "Look up its EIN to enroll it.",
	Enroll: "Enroll merchant", EnrollText: "Enter the EIN and confirm the organization we find.",
	EIN: "EIN", EINHint: "9 digits, for example 04-3567500. It’s on your IRS determination letter.", LookUp: "Look up",
	Enrolled:     func(name string) string { return name + " is enrolled in DAF Pay." },
	EnrolledText: "The provider sends grants by check or electronic transfer.",
	Organization: "Organization", Number: "EIN", Connection: "Connection", Provider: "Provider", Since: "Enrolled",
	Place: "Location", Registered: "Registered as", Standing: "IRS standing",
	Charity: func(subsection string) string { return "501(c)(" + subsection + ")" },
	Account: "Provider account", Accounts: map[string]string{"claimed": "Claimed", "unclaimed": "Not claimed"},
	UnclaimedTitle: "The organization hasn’t claimed its account at the provider",
	UnclaimedText: "Until it does, some grants are mailed as checks to its address on file with the IRS. An authorized " +
		"representative of the organization can claim the account on the provider’s website.",
	Good: "In good standing", NotGood: "Not in good standing",
	Found: "Is this the organization?", FoundText: "Donations will go to this organization.",
	Other:          "No, use another EIN",
	ConfirmName:    func(name string) string { return "Yes, enroll " + name },
	NotFound:       "Can’t enroll this organization",
	Processing:     "Enrollment in progress",
	ProcessingText: "We’re waiting for the provider and check every few minutes. No action needed.",
	Refused:        "The last attempt failed", LeftTitle: "The organization has opted out",
	LeftText:  "It no longer accepts donations. You can enroll it again anytime.",
	Withdrawn: "The last attempt was canceled before the provider responded.",
	Leave:     "Opt out", LeaveTitle: "Opt out of DAF Pay",
	LeaveText: "The merchant will stop accepting DAF donations. Existing donations aren’t affected. You can enroll again anytime.",
	LeaveSure: "Opt out", LeftNow: "Merchant opted out",
	ByOrganization: func(roles string) string { return "Available to: " + roles + "." },
	Advice: map[string]string{
		"merchant_not_us":        "DAF Pay is only available to US nonprofits.",
		"merchant_not_nonprofit": "If it’s a nonprofit, ask an application administrator to mark it as one in merchant settings.",
		"merchant_not_active":    "Ask support to reactivate it.",
		"already_enrolled":       "No action needed.",
		"in_progress":            "Wait for the provider to respond.",
		"ein_differs":            "Use the merchant’s EIN, or have it corrected in merchant settings.",
		"ein_taken":              "Check the EIN. If it’s yours, contact support.",
		"not_found":              "Check the number. New organizations can take a few weeks to be listed.",
		"organization_not_us":    "Use the EIN of a US organization.",
		"not_501c3":              "Other nonprofits can’t accept grants from donor-advised funds.",
		"not_in_good_standing":   "Resolve the issue with the IRS, then try again.",
		"contact_refused":        "Ask an administrator with an email address at the organization’s own domain to enroll it.",
		"failed":                 "Nothing was changed. Try again; if it fails again, contact support.",
		"unanswered":             "Nothing was changed. Try again in a few minutes.",
		"no_ein":                 "Add its EIN in merchant settings.",
		"opted_out":              "An organization administrator can enroll it again.",
	},
	FeesTitle: "Donation fees",
	FeesText:  "Our fee is listed under Fees. The provider also deducts 2.9%. Nonintegrated donations are free.",
	Problems:  "Merchant not enrolled", Try: "Try it in the sandbox",
	TryText: "Test EINs: 04-3567500 or 20-2000000–20-2000099 (eligible), 13-1313130 (not in good standing), 52-6000400 (not a 501(c)(3)), 98-0123456 (outside the US)",
}

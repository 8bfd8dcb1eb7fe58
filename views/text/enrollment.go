package text

// Enrollment are the texts of the tab about donations from donor-advised funds.
type Enrollment struct {
	Switch, OnText, OffText, TurnOn, TurnOff      string
	TurnedOn, TurnedOff                           string
	Steps, StepsText                              string
	InUS, IsNonprofit, IsActive, IsOn, IsEnrolled string
	Done, NotDone, Never                          string
	NotUS                                         string
	NotNonprofit, NotActive, NotOn, NotEnrolled   string
	Enroll, EnrollText, EIN, EINHint, LookUp      string
	Enrolled                                      func(name string) string
	EnrolledText                                  string
	Organization, Number, Connection, Provider    string
	Since, Place, Registered, Standing            string
	Charity                                       func(subsection string) string
	Good, NotGood                                 string
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
	Switch: "DAF Pay", OnText: "Donors see the button once the merchant is enrolled.", OffText: "Donors do not see the button.",
	TurnOn: "Turn on", TurnOff: "Turn off", TurnedOn: "DAF Pay is on.", TurnedOff: "DAF Pay is off.",
	Steps: "What it takes", StepsText: "Only registered 501(c)(3) organizations in the US can accept DAF donations.",
	InUS: "The merchant is in the US", IsNonprofit: "It is a nonprofit organization", IsActive: "It is active",
	IsOn: "DAF Pay is turned on", IsEnrolled: "It is enrolled by its EIN",
	Done: "Done", NotDone: "Missing", Never: "Not possible",
	NotUS:        "Merchants in other countries cannot accept DAF donations.",
	NotNonprofit: "Mark it as a nonprofit organization, if it is one.", NotActive: "A suspended or closed merchant takes no donations.",
	NotOn: "It is turned on by support staff.", NotEnrolled: "Its organization's administrator enrolls it here.",
	Enroll: "Enroll the merchant", EnrollText: "We look the organization up by its EIN, and you confirm that it is the right one.",
	EIN: "EIN", EINHint: "Nine digits, as 04-3567500. It is on the letter of the IRS.", LookUp: "Look it up",
	Enrolled:     func(name string) string { return name + " is enrolled in DAF Pay." },
	EnrolledText: "Its grants come from the provider by check or electronic transfer.",
	Organization: "Organization", Number: "EIN", Connection: "Connection", Provider: "Provider", Since: "Enrolled", Place: "Place",
	Registered: "Registered as", Standing: "Standing",
	Charity: func(subsection string) string { return "501(c)(" + subsection + ")" },
	Good:    "In good standing", NotGood: "Not in good standing",
	Found: "Is this the organization?", FoundText: "Enroll the merchant only if it is. Donations go to the organization that is enrolled.",
	Other:       "No, use another EIN",
	ConfirmName: func(name string) string { return "Yes, enroll " + name },
	NotFound:    "It cannot be enrolled",
	Processing:  "The enrollment is on its way", ProcessingText: "The provider has not answered yet. We ask again every few minutes; nothing needs to be done.",
	Refused:   "The last attempt did not work",
	LeftTitle: "The organization has opted out", LeftText: "It takes no new donations. It can be enrolled again at any time.",
	Withdrawn: "The last attempt was taken back before the provider answered.",
	Leave:     "Opt out", LeaveTitle: "Opt out of DAF Pay",
	LeaveText: "The merchant takes no new donations from then on, and is not enrolled again by itself. Donations that were made stay as they are.",
	LeaveSure: "Opt out", LeftNow: "The merchant is not enrolled any more.",
	ByOrganization: func(roles string) string { return "Who can enroll it: " + roles + "." },
	Advice: map[string]string{
		"merchant_not_us":        "There is nothing to be done about it.",
		"merchant_not_nonprofit": "If it is a nonprofit, an administrator of the application marks it as one on the merchant's page.",
		"merchant_not_active":    "Ask the people who run the service to reactivate it.",
		"already_enrolled":       "There is nothing left to do.",
		"in_progress":            "Wait until the provider has answered.",
		"ein_differs":            "Use the EIN that the merchant has, or have it corrected on the merchant's page.",
		"ein_taken":              "Look at the number again. If it is yours, ask the people who run the service.",
		"not_found":              "Look at the number again. A new organization may take some weeks to be listed.",
		"organization_not_us":    "Enroll it by the EIN of an organization in the US.",
		"not_501c3":              "Other kinds of nonprofits cannot accept grants of donor-advised funds.",
		"not_in_good_standing":   "Settle it with the IRS; enroll it once it is listed again.",
		"failed":                 "Nothing was changed. Try again; if it fails again, contact support.",
		"unanswered":             "Nothing was changed. Try again in a few minutes.",
		"no_ein":                 "Add its EIN on the merchant's page.",
		"opted_out":              "Its organization can enroll it again.",
	},
	FeesTitle: "What a donation costs", FeesText: "The service's percentage stands under Fees; the provider keeps 2.9% more. Donations that are not integrated cost nothing.",
	Problems: "The merchant was not enrolled",
	Try:      "Try it in the sandbox", TryText: "04-3567500 and 20-2000000 to 20-2000099 are good; 13-1313130 is not in good standing, 52-6000400 is no 501(c)(3), 98-0123456 is not in the US.",
}

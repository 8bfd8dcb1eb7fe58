package text

// MerchantPayouts are the texts of a merchant's tab about where its money goes.
type MerchantPayouts struct {
	Account, NoAccount, NoAccountText string
	Add, Replace, Verify, Resume      string
	Statuses, StatusTexts             map[string]string
	// Where the processor verifies bank accounts: it has them on file.
	OnFile, AddOnFile, AddedOnFile             string
	Bank, Status, Added, Verified, Held, Tries string
	Schedule, Next, Every, All, Balance        string
	PausedTitle, PausedText                    string
	Reasons                                    map[string]string
	AddTitle, AddText, ReplaceTitle            string
	ReplaceText, Kept                          string
	First, Last, Type                          string
	Types                                      map[string]string
	Routing, RoutingHint, Number, NumberHint   string
	Institution, Transit                       string
	Save, VerifyTitle, VerifyText, One, Two    string
	VerifySandbox, VerifySave                  string
	Problems, NotCents                         string
	TriesLeft                                  func(n int) string
	AddedTold, VerifiedTold, ResumedTold       string
	ResumeText                                 func(account string) string
	ResumeNowhere                              string
	OffBank, OffResume                         string
	Schedules                                  map[string]string
	ScheduleTitle, ScheduleText, ScheduleSave  string
	Reschedule                                 string
	ScheduleProblems, ScheduleTold             string
	Weekday, WeekdayHint                       string
	MonthDay, MonthDayHint                     string
}

var merchantPayoutsEnglish = MerchantPayouts{
	Account: "Bank account", NoAccount: "No bank account yet",
	NoAccountText: "Funds stay in the balance until you add a bank account.",
	Add:           "Add bank account", Replace: "Replace", Verify: "Verify", Resume: "Resume payouts",
	Statuses: map[string]string{"unverified": "Not verified", "verified": "Verified", "replaced": "Replaced"},
	StatusTexts: map[string]string{"unverified": "We sent two small deposits. Enter their amounts once they arrive.",
		"verified": "Payouts go to this account."},
	OnFile:    "Payouts begin once your payment processor confirms that it has this account on file. We check every 10 minutes.",
	AddOnFile: "Use the account that your payment processor has on file. We’ll confirm it there.",
	Bank:      "Account", Status: "Status", Added: "Added", Verified: "Verified", Held: "Payouts on hold until",
	Tries: "Attempts left", Schedule: "Schedule", Next: "Next payout", Every: "How often", All: "All payouts",
	Balance:     "Balance and statements",
	PausedTitle: "Payouts are paused", PausedText: "Check the bank account, then resume payouts.",
	Reasons:  map[string]string{"payout_failed": "A payout failed", "payout_returned": "A payout was returned"},
	AddTitle: "Add bank account", AddText: "We’ll send two small deposits to verify it.",
	ReplaceTitle: "Replace bank account",
	ReplaceText:  "Payouts are on hold until the new account is verified. Payouts in transit go to the old account.",
	Kept:         "We encrypt the number and only show the last 4 digits.",
	First:        "First name or organization", Last: "Last name", Type: "Type",
	Types:   map[string]string{"checking": "Checking", "savings": "Savings"},
	Routing: "Routing number", RoutingHint: "9 digits", Number: "Account number", NumberHint: "Digits only.",
	Institution: "Institution number", Transit: "Transit number",
	Save: "Save bank account", VerifyTitle: "Verify bank account",
	VerifyText: "Enter the amounts of the two deposits, in any order.",
	One:        "First deposit", Two: "Second deposit",
	VerifySandbox: "In the sandbox the deposits are $0.32 and $0.45.",
	VerifySave:    "Verify",
	Problems:      "Bank account not saved", NotCents: "Enter an amount below one dollar, such as 0.32.",
	TriesLeft: func(n int) string {
		return "Those amounts don’t match. " + plural(n, "attempt", "attempts") + " left."
	},
	AddedOnFile:  "Bank account saved. Payouts begin once your payment processor confirms it.",
	AddedTold:    "Bank account saved. Verify it once the deposits arrive.",
	VerifiedTold: "Bank account verified. Payouts will go to it.",
	ResumeText: func(account string) string {
		return "Payouts will go to " + account + ". If that’s not the right account, replace it first."
	},
	ResumeNowhere: "Add and verify a bank account to receive payouts.",
	ResumedTold:   "Payouts resumed. The next one goes out on schedule.",
	OffBank:       "Only organization administrators can change the bank account.",
	OffResume:     "Only organization administrators can resume payouts.",
	Schedules:     map[string]string{"daily": "Every business day", "weekly": "Every week", "monthly": "Every month"},
	Reschedule:    "Change schedule", ScheduleTitle: "Change payout schedule",
	ScheduleText: "Starts with the next payout, at 6:00 AM in the merchant’s time zone. Payouts on bank holidays move to the next business day.",
	ScheduleSave: "Save schedule", ScheduleProblems: "Schedule not saved", ScheduleTold: "Payout schedule updated",
	Weekday: "Weekday", WeekdayHint: "For weekly payouts", MonthDay: "Day of the month",
	MonthDayHint: "For monthly payouts, 1 to 31. Shorter months use their last day.",
}

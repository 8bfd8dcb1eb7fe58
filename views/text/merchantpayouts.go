package text

// MerchantPayouts are the texts of a merchant's tab about where its money goes.
type MerchantPayouts struct {
	Account, NoAccount, NoAccountText          string
	Add, Replace, Verify, Resume               string
	Statuses, StatusTexts                      map[string]string
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
	Account: "Bank account", NoAccount: "No bank account yet", NoAccountText: "Money stays available here until there is one to send it to.",
	Add: "Add bank account", Replace: "Replace", Verify: "Verify", Resume: "Resume payouts",
	Statuses: map[string]string{"unverified": "Not verified", "verified": "Verified", "replaced": "Replaced"},
	StatusTexts: map[string]string{"unverified": "We sent two small deposits. Tell their amounts when they are on the account's statement.",
		"verified": "Payouts go here."},
	Bank: "Account", Status: "Status", Added: "Added", Verified: "Verified", Held: "Payouts wait until", Tries: "Tries left",
	Schedule: "Schedule", Next: "Next payout", Every: "How often", All: "All payouts", Balance: "Balance and statements",
	PausedTitle: "Payouts are paused", PausedText: "Look at the bank account, then resume them.",
	Reasons:  map[string]string{"payout_failed": "A payout failed", "payout_returned": "A payout came back"},
	AddTitle: "Add a bank account", AddText: "It gets payouts once it is verified by two small deposits.", ReplaceTitle: "Replace the bank account",
	ReplaceText: "Payouts wait until the new one is verified. Those on their way still go to the former one.",
	Kept:        "The number is kept in the vault; afterwards only its last four digits are shown.",
	First:       "Holder's first name or organization", Last: "Holder's last name", Type: "Type",
	Types:   map[string]string{"checking": "Checking", "savings": "Savings"},
	Routing: "Routing number", RoutingHint: "Nine digits.", Number: "Account number", NumberHint: "Digits only.",
	Institution: "Institution number", Transit: "Transit number",
	Save: "Save bank account", VerifyTitle: "Verify the bank account", VerifyText: "Enter the amounts of the two deposits, in any order.",
	One: "First deposit", Two: "Second deposit", VerifySandbox: "In the sandbox the deposits are $0.32 and $0.45.", VerifySave: "Verify",
	Problems: "The bank account was not saved", NotCents: "Enter an amount below one dollar, such as 0.32.",
	TriesLeft: func(n int) string {
		return "These are not the amounts. " + plural(n, "try is", "tries are") + " left."
	},
	AddedTold: "The bank account is saved. Verify it when the deposits have come.", VerifiedTold: "The bank account is verified. Payouts go there.",
	ResumeText: func(account string) string {
		return "From the next run on, money goes to " + account + ". If that account is wrong, replace it first."
	},
	ResumeNowhere: "There is no bank account: nothing leaves before one is added and verified.",
	ResumedTold:   "Payouts go on from the next run.",
	OffBank:       "Only an administrator of the organization changes where its money goes.", OffResume: "Only an administrator of the organization resumes payouts.",
	Schedules:  map[string]string{"daily": "Every business day", "weekly": "Every week", "monthly": "Every month"},
	Reschedule: "Change schedule", ScheduleTitle: "Change the payout schedule", ScheduleText: "From the next run on, at 6:00 AM where the merchant is. A bank holiday moves a payout to the next business day.",
	ScheduleSave: "Save schedule", ScheduleProblems: "The schedule was not saved", ScheduleTold: "The payout schedule is saved.",
	Weekday: "Weekday", WeekdayHint: "For weekly payouts.", MonthDay: "Day of the month", MonthDayHint: "For monthly payouts, 1 to 31; the last day of shorter months.",
}

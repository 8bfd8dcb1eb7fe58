package text

import "strings"

// MerchantFees are the texts about fees: those of one merchant, and how they are changed.
type MerchantFees struct {
	Title, Now, Fee, Value, Default, Off  string
	Rate                                  string // where there is no one else's next to it
	NowText                               func(since string) string
	None                                  string
	Names, Posted                         map[string]string // of the settings
	Change, ChangeTitle, ChangeText       string
	Groups                                map[string]string
	Instead                               func(value string) string // the default next to a value
	InForce                               func(value string) string
	OffHint                               string
	Start, StartTitle, StartText          string
	AtOnce, Later, Day, Time              string
	LaterHint                             func(zone string) string
	Reason, ReasonHint, ReasonMissing     string
	LaterTitle, LaterText, SetAgain       string // about the scheduled changes after a reviewed one
	Review, Back, Confirm, ConfirmLater   string
	ReviewTitle                           string
	BecomesText                           func(when string) string
	AtOnceWords                           string
	Nothing, NothingText                  string
	TooDear                               string
	TooDearText                           func(minimum string, payments []string) string
	TooDearCost                           func(payment, cost string) string
	Preview                               string
	PreviewText                           func(events int64, from, to string) string
	NoEvents                              string
	Old, New, Difference, Total           string
	Examples, ExamplesText                string
	Example                               func(kind, amount, brand string) string
	Kinds                                 map[string]string
	Imagined, Lines                       string
	Rule                                  func(rate, base string) string
	Free                                  string
	Changed                               string
	ScheduledFor                          func(when string) string
	Scheduled, Cancel                     string
	Canceled                              string
	History, HistoryText                  string
	Statuses                              map[string]string
	From                                  func(when string) string
	ByKey, ByService                      string
	Replaced                              func(by, when string) string
	Amount, Percent, Missing, When2       string
	Conflict, ConflictText, Theirs, Yours string
	TheirsText                            string
	Both                                  string
	Merge, Discard                        string
	Same                                  string
	Pending                               string
	More                                  string
}

var merchantFeesEnglish = MerchantFees{
	Title: "Fees", Now: "Current fees", Fee: "Fee", Value: "This merchant", Rate: "Rate", Default: "Default",
	Off:     "Off",
	NowText: func(since string) string { return "Since " + since + "." },
	None:    "Changes show up here.",
	Names: map[string]string{
		"authorization_fee": "Authorization", "capture_fee": "Capture", "amex_surcharge_percentage": "AMEX surcharge",
		"ach_transfer_flat_fee": "ACH transfer flat fee", "ach_transfer_percentage": "ACH transfer percent fee",
		"ach_transfer_failed_fee": "ACH transfer failed fee",
		"ach_return_fee":          "ACH return fee", "chargeback_fee": "Chargeback fee",
		"retrieval_fee":     "Retrieval fee",
		"platform_flat_fee": "Platform flat fee", "platform_percentage": "Platform percent fee",
		"daf_percentage": "DAF donation",
	},
	Posted: map[string]string{
		"authorization_fee": "Per approved card payment", "capture_fee": "Per captured card payment",
		"amex_surcharge_percentage": "Of captured American Express payments",
		"ach_transfer_flat_fee":     "Per settled bank payment", "ach_transfer_percentage": "Of settled bank payments",
		"ach_transfer_failed_fee": "Per failed bank payment",
		"ach_return_fee":          "Per bank payment returned after it settled",
		"chargeback_fee":          "Per chargeback",
		"retrieval_fee":           "Per retrieval request",
		"platform_flat_fee":       "Per captured card payment or settled bank payment",
		"platform_percentage":     "Of captured card payments and settled bank payments",
		"daf_percentage":          "Of completed donations, at the rate in effect when they were created",
	},
	Change: "Change fees", ChangeTitle: "Change fees", ChangeText: "You’ll review the impact before anything changes.",
	Groups: map[string]string{"card": "Cards", "bank": "Bank payments", "dispute": "Disputes", "platform": "Platform",
		"daf": "DAF donations"},
	Instead: func(value string) string { return "default: " + value },
	InForce: func(value string) string { return "Now: " + value },
	OffHint: "Leave empty to turn off.",
	Start:   "Effective", StartTitle: "Effective date", StartText: "Past charges aren’t affected.", AtOnce: "Immediately", Later: "On a date",
	Day: "Day", Time: "Time",
	LaterHint: func(zone string) string { return "Times are " + zone + "." },
	Reason:    "Reason", ReasonHint: "Shown in the fee history", ReasonMissing: "Enter a reason.",
	LaterTitle: "Scheduled changes after this one",
	LaterText:  "Each changes only the fees listed here. Your other changes stay in effect.",
	SetAgain:   "Also changes a fee you’re changing now.",
	Review:     "Review change", Back: "Edit", Confirm: "Change fees", ConfirmLater: "Schedule change",
	ReviewTitle: "Review change",
	BecomesText: func(when string) string { return "Effective " + when + "." },
	AtOnceWords: "when you confirm",
	Nothing:     "No changes", NothingText: "These fees already apply on that date.",
	TooDear: "Fees can exceed a small charge",
	TooDearText: func(minimum string, payments []string) string {
		return "On the merchant’s minimum charge of " + minimum + ", the fees exceed the charge. " +
			strings.Join(payments, "; ") +
			". Lower the fees or raise the merchant’s minimum charge."
	},
	TooDearCost: func(payment, cost string) string { return payment + ": " + cost + " in fees" },
	Preview:     "Impact on the last 30 days",
	PreviewText: func(n int64, from, to string) string {
		return plural(int(n), "payment or dispute", "payments and disputes") + ", " + from + " to " + to + "."
	},
	NoEvents: "No payments or disputes in the last 30 days.",
	Old:      "Actual", New: "With new fees", Difference: "Difference", Total: "All fees",
	Examples: "Examples", ExamplesText: "Fees on sample payments",
	Example: func(kind, amount, brand string) string {
		out := kind
		if brand != "" {
			out += ", " + brand
		}
		if amount != "" {
			out += ": " + amount
		}
		return out
	},
	Kinds: map[string]string{"authorized": "Card, authorized", "captured": "Card, captured",
		"bank_settled": "Bank payment, settled", "bank_failed": "Bank payment, failed",
		"bank_returned": "Bank payment, returned", "chargeback": "Chargeback", "retrieval": "Retrieval"},
	Imagined: "Sample payment", Lines: "Lines",
	Rule: func(rate, base string) string { return rate + " of " + base },
	Free: "No fee", Changed: "Fees updated",
	ScheduledFor: func(when string) string { return "Change scheduled for " + when },
	Scheduled:    "Scheduled", Cancel: "Cancel change",
	Canceled: "Scheduled change canceled",
	History:  "History", HistoryText: "Who changed what, and why",
	Statuses: map[string]string{"scheduled": "Scheduled", "in_force": "Current", "superseded": "Replaced",
		"canceled": "Canceled"},
	From:  func(when string) string { return "From " + when },
	ByKey: "API key", ByService: "Set at creation",
	Replaced:     func(by, when string) string { return "Canceled by " + by + ", " + when + "." },
	Amount:       "Enter an amount in dollars and cents, such as 0.30. Enter 0 for no fee.",
	Percent:      "Enter a percentage from 0 to 100 with at most 3 decimal places, such as 1.5.",
	Missing:      "Choose when the change takes effect.",
	When2:        "Enter a day and a time.",
	Conflict:     "Someone else just changed these fees",
	ConflictText: "Your changes aren’t saved yet. Compare both versions and choose.",
	Theirs:       "Theirs, saved", Yours: "Yours, not saved", TheirsText: "Changes since you opened this form",
	Both:  "Both of you changed this.",
	Merge: "Apply my changes too", Discard: "Discard my changes",
	Same:    "Same as before",
	Pending: "Other changes are scheduled. They affect only the fees they set. Fees you change here keep your values.",
	More:    "Older changes",
}

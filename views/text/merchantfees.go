package text

import "strings"

// MerchantFees are the texts about fees: those of one merchant, and how they are changed.
type MerchantFees struct {
	Title, Now, Fee, Value, Default, Off       string
	Rate                                       string // where there is nobody else's beside it
	NowText                                    func(since string) string
	None                                       string
	Names, Posted                              map[string]string // of the settings
	Change, ChangeTitle, ChangeText            string
	Groups                                     map[string]string
	Instead                                    func(value string) string // the default beside a value
	InForce                                    func(value string) string
	OffHint                                    string
	Start, StartText, AtOnce, Later, Day, Time string
	LaterHint                                  func(zone string) string
	Reason, ReasonHint, ReasonMissing          string
	LaterTitle, LaterText, SetAgain            string // about the scheduled changes after a reviewed one
	Review, Back, Confirm, ConfirmLater        string
	ReviewTitle                                string
	BecomesText                                func(when string) string
	AtOnceWords                                string
	Nothing, NothingText                       string
	TooDear                                    string
	TooDearText                                func(minimum string, payments []string) string
	TooDearCost                                func(payment, cost string) string
	Preview                                    string
	PreviewText                                func(events int64, from, to string) string
	NoEvents                                   string
	Old, New, Difference, Total                string
	Examples, ExamplesText                     string
	Example                                    func(kind, amount, brand string) string
	Kinds                                      map[string]string
	Imagined, Lines                            string
	Rule                                       func(rate, base string) string
	Free                                       string
	Changed                                    string
	ScheduledFor                               func(when string) string
	Scheduled, Cancel                          string
	Canceled                                   string
	History, HistoryText                       string
	Statuses                                   map[string]string
	From                                       func(when string) string
	ByKey, ByService                           string
	Replaced                                   func(by, when string) string
	Amount, Percent, Missing, When2            string
	Conflict, ConflictText, Theirs, Yours      string
	TheirsText                                 string
	Both                                       string
	Merge, Discard                             string
	Same                                       string
	Pending                                    string
	More                                       string
}

var merchantFeesEnglish = MerchantFees{
	Title: "Fees", Now: "In force", Fee: "Fee", Value: "This merchant", Rate: "Rate", Default: "Default", Off: "Off",
	NowText: func(since string) string { return "Since " + since + "." },
	None:    "None yet",
	Names: map[string]string{
		"authorization_fee": "Authorization", "capture_fee": "Capture", "amex_surcharge_percentage": "AMEX surcharge",
		"ach_transfer_flat_fee": "ACH transfer flat fee", "ach_transfer_percentage": "ACH transfer percent fee", "ach_transfer_failed_fee": "ACH transfer failed fee",
		"ach_return_fee": "ACH return fee", "chargeback_fee": "Chargeback fee", "retrieval_fee": "Retrieval fee",
		"platform_flat_fee": "Platform flat fee", "platform_percentage": "Platform percent fee", "daf_percentage": "DAF donation",
	},
	Posted: map[string]string{
		"authorization_fee": "A card payment is approved", "capture_fee": "A card payment is captured", "amex_surcharge_percentage": "An American Express payment is captured",
		"ach_transfer_flat_fee": "A bank payment settles", "ach_transfer_percentage": "A bank payment settles", "ach_transfer_failed_fee": "A bank payment fails",
		"ach_return_fee": "A bank payment comes back after it settled", "chargeback_fee": "A chargeback is opened", "retrieval_fee": "A retrieval is opened",
		"platform_flat_fee": "A payment is captured or settles", "platform_percentage": "A payment is captured or settles", "daf_percentage": "A donation completes, as fixed when it was made",
	},
	Change: "Change fees", ChangeTitle: "Change fees", ChangeText: "Nothing changes before you have reviewed what it would cost and confirmed.",
	Groups:  map[string]string{"card": "Cards", "bank": "Bank payments", "dispute": "Disputes", "platform": "Platform", "daf": "DAF donations"},
	Instead: func(value string) string { return "default " + value },
	InForce: func(value string) string { return "Now " + value },
	OffHint: "empty is off",
	Start:   "When", StartText: "What has been charged stays as it is.", AtOnce: "As soon as it is confirmed", Later: "Later",
	Day: "Day", Time: "Time",
	LaterHint: func(zone string) string { return "Times are " + zone + "." },
	Reason:    "Reason", ReasonHint: "Why the fees change. It is shown in the history.", ReasonMissing: "Enter a reason.",
	LaterTitle: "Scheduled changes after this one", LaterText: "Each changes only the fees listed here. All other fees stay as you set them now.",
	SetAgain: "Changes again a fee that you are changing now.",
	Review:   "Review", Back: "Change it again", Confirm: "Change the fees now", ConfirmLater: "Schedule the change",
	ReviewTitle: "Review the change",
	BecomesText: func(when string) string { return "From " + when + " on." },
	AtOnceWords: "the moment you confirm",
	Nothing:     "Nothing would change", NothingText: "These are the fees that are in force then anyway.",
	TooDear: "Fees can exceed a small charge",
	TooDearText: func(minimum string, payments []string) string {
		return "A charge of " + minimum + ", the merchant's minimum, costs more than it brings in. " + strings.Join(payments, "; ") +
			". Lower the fees, or raise the merchant's minimum charge."
	},
	TooDearCost: func(payment, cost string) string { return payment + ": " + cost + " in fees" },
	Preview:     "The last 30 days by these fees",
	PreviewText: func(n int64, from, to string) string {
		return plural(int(n), "payment or dispute", "payments and disputes") + ", " + from + " to " + to + "."
	},
	NoEvents: "Nothing was charged in the last 30 days that could cost a fee.",
	Old:      "Did cost", New: "Would have cost", Difference: "Difference", Total: "All fees",
	Examples: "Examples", ExamplesText: "What single payments would cost.",
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
	Kinds: map[string]string{"authorized": "Card, authorized", "captured": "Card, captured", "bank_settled": "Bank payment, settled", "bank_failed": "Bank payment, failed",
		"bank_returned": "Bank payment, returned", "chargeback": "Chargeback", "retrieval": "Retrieval"},
	Imagined: "An invented payment", Lines: "Lines",
	Rule: func(rate, base string) string { return rate + " of " + base },
	Free: "No fee", Changed: "The fees are changed.",
	ScheduledFor: func(when string) string { return "The change is scheduled for " + when + "." },
	Scheduled:    "Scheduled", Cancel: "Take back",
	Canceled: "The scheduled change is taken back.",
	History:  "History", HistoryText: "Every change with who made it, why, and what it changed.",
	Statuses: map[string]string{"scheduled": "Scheduled", "in_force": "In force", "superseded": "Past", "canceled": "Taken back"},
	From:     func(when string) string { return "From " + when },
	ByKey:    "API key", ByService: "With the merchant",
	Replaced: func(by, when string) string { return "Taken back by " + by + ", " + when + "." },
	Amount:   "Enter an amount in dollars and cents, such as 0.30; 0 costs nothing.",
	Percent:  "Enter a percentage from 0 to 100 with at most 3 decimal places, such as 1.5.", Missing: "Choose when the change begins.",
	When2:        "Enter a day and a time.",
	Conflict:     "Somebody else changed these fees meanwhile",
	ConflictText: "Nothing of yours is saved, and nothing of theirs is lost. Look at both, then decide.",
	Theirs:       "Theirs, saved", Yours: "Yours, not saved", TheirsText: "What was changed since you opened the form.",
	Both:  "Both of you changed this.",
	Merge: "Put mine on top of theirs", Discard: "Leave it at theirs",
	Same:    "Same as before",
	Pending: "Other changes are scheduled. Each changes only the fees that it sets; the fees that you change here keep your values.",
	More:    "Older changes",
}

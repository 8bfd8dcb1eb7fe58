package text

import "strconv"

// FeePages are the texts of the page about the fees of an application.
type FeePages struct {
	Title, Text                             string
	Defaults, DefaultsText, NeverSet        string
	Edit, EditTitle, EditText, Save, Saved  string
	Differ, DifferText, NobodyTitle, Nobody string
	Merchant, How, Settings                 string
	Differs                                 func(n int) string
	AndMore                                 func(some string, more int) string
	Shown                                   func(n int) string
	Coming, ComingText, NoneTitle, None     string
	Begins, Reason, By                      string
	Service, ServiceText, Open              string
	Conflict, ConflictText                  string
}

var feePagesEnglish = FeePages{
	Title: "Fees", Text: "What your merchants pay, and upcoming changes",
	Defaults: "Defaults", DefaultsText: "Applied to new merchants. Existing merchants keep their fees.",
	NeverSet: "You haven’t set any. New merchants pay only 2% of DAF donations.",
	Edit:     "Change defaults", EditTitle: "Change defaults", EditText: "Existing merchants keep their fees.",
	Save: "Save defaults", Saved: "Defaults saved",
	Differ: "Custom fees", DifferText: "Merchants with fees that differ from your defaults",
	NobodyTitle: "No custom fees", Nobody: "All merchants pay the default fees.",
	Merchant: "Merchant", How: "Overrides", Settings: "Fees",
	Differs: func(n int) string {
		if n == 1 {
			return "1 fee"
		}
		return strconv.Itoa(n) + " fees"
	},
	AndMore: func(some string, more int) string {
		return some + ", and " + strconv.Itoa(more) + " more"
	},
	Shown:  func(n int) string { return onPage(n, "merchant", "merchants") },
	Coming: "Scheduled changes", ComingText: "Across all merchants, soonest first",
	NoneTitle: "No scheduled changes", None: "Scheduled fee changes show up here.",
	Begins: "Effective", Reason: "Reason", By: "By",
	Service: "Service rates", ServiceText: "What SvcPay charges this application per transaction",
	Open: "Service rates", Conflict: "Someone else just changed the defaults",
	ConflictText: "Your changes aren’t saved yet. Theirs are shown first, then yours. Save again to apply yours.",
}

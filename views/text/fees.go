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
	Shown                                   func(n int) string
	Coming, ComingText, NoneTitle, None     string
	Begins, Reason, By                      string
	Service, ServiceText, Open              string
	Conflict, ConflictText                  string
}

var feePagesEnglish = FeePages{
	Title: "Fees", Text: "What merchants pay, and what begins when.",
	Defaults: "Defaults", DefaultsText: "Copied to each new merchant. A change leaves those alone that exist.", NeverSet: "Never set: new merchants pay nothing but 2% of DAF donations.",
	Edit: "Change defaults", EditTitle: "Change the defaults", EditText: "Merchants that exist keep their fees.", Save: "Save defaults", Saved: "The defaults are saved. New merchants begin with them.",
	Differ: "Who differs", DifferText: "Merchants whose fees are not the defaults of today.",
	NobodyTitle: "Nobody differs", Nobody: "All merchants pay the default fees.",
	Merchant: "Merchant", How: "How many", Settings: "Which",
	Differs: func(n int) string {
		if n == 1 {
			return "1 fee"
		}
		return strconv.Itoa(n) + " fees"
	},
	Shown:  func(n int) string { return onPage(n, "merchant", "merchants") },
	Coming: "Scheduled changes", ComingText: "Of all merchants, the next first.",
	NoneTitle: "Nothing is scheduled", None: "Changes that begin later are listed here until they do.",
	Begins: "Begins", Reason: "Reason", By: "By",
	Service: "Service rates", ServiceText: "What the service itself charges this application, for each of these.", Open: "Service rates",
	Conflict: "Somebody else changed the defaults meanwhile", ConflictText: "Nothing is saved yet. Theirs stand first, yours after the arrow and in the form; saving again puts yours in force.",
}

package text

import "strconv"

// Wallets are the texts of the tab about wallet A and its domains.
type Wallets struct {
	Switch, On, Off                    string
	TurnOn, TurnOff                    string
	OnText, OffText                    string
	TurnedOn, TurnedOff                string
	NotYours                           func(roles string) string
	Domains, DomainsText, NoDomains    string
	NoDomainsText                      string
	Domain, State, Saw, Look           string
	LookAll                            string
	States                             map[string]string
	Failures                           map[string]string // what is wrong with a domain
	Answer                             func(status int, words string) string
	Redirect                           func(to string) string
	Begins                             func(start string) string
	InOrder, WasInOrder                string
	NotLooked                          string
	Edit, EditText, List, ListHint     string
	Save, Saved, Problems              string
	Line                               func(n int, mistake string) string
	Looked                             func(good, bad int) string
	NoFile, NoFileText, NoFileAdmin    string
	How, Step1, Step2, Step3, File, At string
	WalletB, WalletBText               string
	Conflict, ConflictText, Theirs     string
}

var walletsEnglish = Wallets{
	Switch: "Wallet A", On: "On", Off: "Off", TurnOn: "Turn on", TurnOff: "Turn off",
	OnText:    "Payers see the button on the domains below.",
	OffText:   "Payers do not see the button, on any domain.",
	TurnedOn:  "Wallet A is on.",
	TurnedOff: "Wallet A is off.",
	NotYours:  func(roles string) string { return "To be changed by: " + roles + "." },
	Domains:   "Domains", DomainsText: "Every website that shows wallet A, each subdomain by itself, hosts a file that proves it.",
	NoDomains: "No domains yet", NoDomainsText: "Paste the websites that show wallet A into the form, one a line.",
	Domain: "Domain", State: "State", Saw: "What we saw", Look: "Verify", LookAll: "Verify all",
	States: map[string]string{"verified": "Verified", "failed": "Not in order", "unverified": "Not looked at"},
	Failures: map[string]string{
		"file_missing":        "The file is not there.",
		"file_redirected":     "The address leads elsewhere; the file must be there itself.",
		"file_differs":        "There is something, but it is not our file.",
		"scheme_not_allowed":  "The website cannot be asked over https.",
		"host_not_allowed":    "This is not a website that can be asked.",
		"port_not_allowed":    "This port is not possible.",
		"host_not_found":      "The name has no address: look at its DNS.",
		"address_not_public":  "The name leads to an address that is not on the internet.",
		"unreachable":         "Nobody answers there.",
		"certificate_invalid": "Its certificate is not valid, or it does not speak https.",
		"timed_out":           "It did not answer in time.",
	},
	Answer:   func(status int, words string) string { return "Answer: " + strconv.Itoa(status) + " " + words },
	Redirect: func(to string) string { return "Leads to: " + to },
	Begins:   func(start string) string { return "Begins with: " + start },
	InOrder:  "The file is there, and it is the right one.", WasInOrder: "It was in order before.",
	NotLooked: "We have not looked yet.",
	Edit:      "Which websites", EditText: "They are looked at as soon as you save.",
	List: "Domains, one a line", ListHint: "Names alone, without https:// and without a path. Saving replaces the list.",
	Save: "Save and verify", Saved: "The domains are saved.", Problems: "Some lines are not domains",
	Line: func(n int, mistake string) string { return "Line " + strconv.Itoa(n) + ": " + mistake },
	Looked: func(good, bad int) string {
		switch {
		case bad == 0 && good == 0:
			return "There are no domains to look at."
		case bad == 0:
			return plural(good, "domain is", "domains are") + " in order."
		case good == 0:
			return plural(bad, "domain is", "domains are") + " not in order."
		}
		return plural(good, "domain is", "domains are") + " in order, " + strconv.Itoa(bad) + " not."
	},
	NoFile: "There is no file to host yet", NoFileText: "Domains cannot be verified until a system administrator has installed it.",
	NoFileAdmin: "Domains cannot be verified until you install it.",
	How:         "How to prove a website", Step1: "Download the file. Do not open or change it.", Step2: "Host it on each website at exactly this path, without a redirect:",
	Step3: "Verify. We fetch it from each website and compare.", File: "Download the file", At: "Path of the file",
	WalletB: "Wallet B", WalletBText: "Needs no domains: it is on whenever the merchant takes charges.",
	Conflict: "Somebody changed the domains meanwhile", ConflictText: "This is the list that is saved now. Yours is still in the form; saving again replaces theirs.",
	Theirs: "Saved now",
}

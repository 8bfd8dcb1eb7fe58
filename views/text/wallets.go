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
	OffText:   "Hidden on all domains",
	TurnedOn:  "Wallet A is on.",
	TurnedOff: "Wallet A is off.",
	NotYours:  func(roles string) string { return "Managed by: " + roles + "." },
	Domains:   "Domains", DomainsText: "Each domain and subdomain that shows Wallet A must host our verification file.",
	NoDomains: "No domains yet", NoDomainsText: "Add the domains where you show Wallet A.",
	Domain: "Domain", State: "State", Saw: "Result", Look: "Verify", LookAll: "Verify all",
	States: map[string]string{"verified": "Verified", "failed": "Failed", "unverified": "Not verified"},
	Failures: map[string]string{
		"file_missing":        "File not found",
		"file_redirected":     "The URL redirects. Host the file without a redirect.",
		"file_differs":        "The file’s contents don’t match",
		"scheme_not_allowed":  "HTTPS isn’t available",
		"host_not_allowed":    "Not a public hostname",
		"port_not_allowed":    "Port not supported",
		"host_not_found":      "DNS lookup failed. Check your public DNS records.",
		"address_not_public":  "DNS lookup failed. Check your public DNS records.",
		"unreachable":         "The server didn’t respond",
		"certificate_invalid": "Invalid TLS certificate, or HTTPS isn’t available",
		"timed_out":           "The server took too long to respond",
	},
	Answer:   func(status int, words string) string { return "Response: " + strconv.Itoa(status) + " " + words },
	Redirect: func(to string) string { return "Redirects to: " + to },
	Begins:   func(start string) string { return "Begins with: " + start },
	InOrder:  "File verified", WasInOrder: "Previously verified",
	NotLooked: "Not checked yet",
	Edit:      "Edit domains", EditText: "We verify domains when you save.",
	List:     "Domains, one per line",
	ListHint: "One domain per line, without https:// or a path. Saving replaces the list.",
	Save:     "Save and verify", Saved: "Domains saved", Problems: "Some domains aren’t valid",
	Line: func(n int, mistake string) string { return "Line " + strconv.Itoa(n) + ": " + mistake },
	Looked: func(good, bad int) string {
		switch {
		case bad == 0 && good == 0:
			return "No domains to verify"
		case bad == 0:
			return plural(good, "domain verified", "domains verified")
		case good == 0:
			return plural(bad, "domain failed verification", "domains failed verification")
		}
		return plural(good, "domain verified", "domains verified") + ", " + strconv.Itoa(bad) + " failed"
	},
	NoFile:      "There is no file to host yet",
	NoFileText:  "Domains can’t be verified until a system administrator installs it.",
	NoFileAdmin: "Domains can’t be verified until you install it.",
	How:         "How to verify a domain", Step1: "Download the file. Don’t open or edit it.",
	Step2: "Host it on each domain at exactly this path, without a redirect:",
	Step3: "Verify. We fetch the file from each domain and compare it.", File: "Download the file", At: "File path",
	WalletB: "Wallet B", WalletBText: "No setup needed. Available whenever the merchant accepts charges.",
	Conflict:     "Someone else just edited these domains",
	ConflictText: "This is the saved list. Yours is still in the form; saving again replaces theirs.",
	Theirs:       "Saved now",
}

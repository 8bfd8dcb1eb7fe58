package text

// Keys are the texts of the pages about API keys.
type Keys struct {
	Title, Text                           string
	New, NewText                          string
	Kind, Status, Key, Name, NameHint     string
	May, LastUsed, LastHour, Never        string
	Secret, Restricted, Public            string // the kinds
	SecretText, RestrictedText            string
	PublicText                            string
	Active, Replaced, Expired, Revoked    string // the statuses
	Everything, Pages, AnyPage, NoPage    string
	RightCount, MerchantCount, PageCount  func(n int) string
	EmptyTitle, EmptyText                 string
	Shown                                 func(n int) string
	Rights, RightsHint, NoRight           string
	Read, Write                           string
	Resources                             map[string]string // by the first word of a right
	Merchants, MerchantsHint, AllOfThem   string
	OtherMerchants, OtherMerchantsHint    string
	Addresses, AddressesHint, Everywhere  string
	Origins, OriginsHint, OriginsHintLive string
	Expires, ExpiresHint                  string
	Make                                  string
	MadeTitle                             string
	Once, OnceText                        string
	PublicMade, PublicMadeText            string
	Before, BeforeText                    string
	Then, Try                             string
	MadeSteps, PublicSteps, RollSteps     func() []string
	SeeKey, SeeBoth                       string
	Details, Begins, Created              string
	Use, UseText, UsePublic, Time         string
	ThisKey, OldKey, NewKey               string
	AllRequests                           string
	Edit, EditText, Save, Saved           string
	Roll, RollTitle, RollText, RollButton string
	Overlap                               string
	Overlaps, OverlapTexts                map[string]string
	Revoke, RevokeTitle                   string
	RevokeText, RevokeButton              string
	RevokeTitleOld, MerchantsWrong        string
	DayWrong, ID                          string
	StillUsed                             func(requests string) string
	NotUsed, RevokedToast                 string
	RolledTitle                           func(until string) string
	RolledUsed                            func(requests string) string
	RolledFree                            string
	RollsFrom                             func(name string) string
	RollsText                             string
	RequestCount                          func(n int64) string
}

var keysEnglish = Keys{
	Title: "API keys", Text: "What your servers and pages sign in with. Give each program a key of its own.",
	New: "New key", NewText: "Choose what the key is for.",
	Kind: "Kind", Status: "Status", Key: "Key", Name: "Name", NameHint: "What uses it, such as Donations server. It stands beside every request.",
	May: "May", LastUsed: "Last used", LastHour: "Last hour", Never: "Never",
	Secret: "Secret key", Restricted: "Restricted key", Public: "Public key",
	SecretText:     "For your server: everything that the API does.",
	RestrictedText: "For one program: only the rights that you choose, for all merchants or some.",
	PublicText:     "For your pages with svcpay.js: makes tokens of what payers type, and nothing else. It is no secret.",
	Active:         "Works", Replaced: "Rolled", Expired: "Expired", Revoked: "Revoked",
	Everything: "Everything", Pages: "Make tokens", AnyPage: "Any page", NoPage: "No page yet",
	RightCount:    func(n int) string { return plural(n, "right", "rights") },
	MerchantCount: func(n int) string { return plural(n, "merchant", "merchants") },
	PageCount:     func(n int) string { return plural(n, "origin", "origins") },
	EmptyTitle:    "No keys yet", EmptyText: "Make a secret key for your server and a public key for your pages.",
	Shown:  func(n int) string { return onPage(n, "key", "keys") },
	Rights: "Rights", RightsHint: "Who may write may read. Give what the program needs and no more: rights cannot be changed later.", NoRight: "Nothing",
	Read: "Read", Write: "Read and write",
	Resources: map[string]string{
		"balance": "Balances", "charge": "Charges", "dispute": "Disputes", "domain": "Domains", "donation": "DAF donations", "event": "Events",
		"export": "Exports", "fee": "Fees", "fee_default": "Fees of new merchants", "file": "Files", "idempotency_key": "Idempotency keys",
		"mandate": "Mandates", "merchant": "Merchants", "payout": "Payouts", "refund": "Refunds", "request_log": "Request logs", "sandbox": "Sandbox",
		"search": "Search", "statement": "Statements", "token": "Payment methods", "webhook": "Webhooks",
	},
	Merchants: "Merchants", MerchantsHint: "The key sees nothing of others. None chosen: all merchants.", OtherMerchants: "Others", OtherMerchantsHint: "Their ids, one a line.", AllOfThem: "All merchants",
	Addresses: "Addresses", AddressesHint: "Addresses and networks that it may be used from, one a line, such as 192.0.2.7 or 192.0.2.0/24. None: from everywhere.",
	Everywhere: "From everywhere",
	Origins:    "Origins", OriginsHint: "Pages that may use it, one a line, such as https://shop.example. None: any page, in the sandbox.",
	OriginsHintLive: "Pages that may use it, one a line, such as https://shop.example. None: no page.",
	Expires:         "Expires on", ExpiresHint: "The last day on which it works. Empty: it works until it is revoked.",
	Make:      "Make key",
	MadeTitle: "Key made",
	Once:      "Copy it now", OnceText: "It is shown this once. We keep only what it takes to know it again.",
	PublicMade: "Put it into your pages", PublicMadeText: "Everybody who opens them can read it; you find it here again.",
	Before: "This form was sent before", BeforeText: "Its key is there, and its text was shown then. If you do not have it, revoke the key and make another.",
	Then: "What to do now", Try: "Try it",
	MadeSteps: func() []string {
		return []string{"Copy the key into your program's secret store. Never into code, a page or a chat.", "Send it as X-API-Key, with X-App-ID beside it.",
			"Its first request shows on its page within a minute."}
	},
	PublicSteps: func() []string {
		return []string{"Give it to svcpay.js: new SvcPay(key, merchantId).", "Before you go live, name the origins of your pages."}
	},
	RollSteps: func() []string {
		return []string{"Copy the new key into your program's secret store.", "Restart the program, or whatever makes it read the key.",
			"Watch both keys: the old one's requests end, the new one's begin.", "Revoke the old key, or let it expire."}
	},
	SeeKey: "See the key", SeeBoth: "Watch both keys",
	Details: "Details", Begins: "Key", Created: "Made",
	Use: "Requests in the last hour", UseText: "Every 5 minutes.", UsePublic: "Requests of payers' pages are not logged. What is known is when the key was last used, to the minute.", Time: "Until",
	ThisKey: "This key", OldKey: "Old key", NewKey: "New key",
	AllRequests: "All requests",
	Edit:        "Edit", EditText: "What a key may do is fixed for its life: other rights are another key.", Save: "Save", Saved: "The key is changed. Every server knows within two seconds.",
	Roll: "Roll", RollTitle: "Roll this key", RollText: "A new key takes its place and may do the same. Both work until the overlap is over.", RollButton: "Roll key",
	Overlap:  "The old key works for",
	Overlaps: map[string]string{"now": "No time", "1h": "1 hour", "24h": "24 hours", "7d": "7 days"},
	OverlapTexts: map[string]string{"now": "It stops at once: for a key that leaked. Programs that use it fail until they have the new one.",
		"1h": "When you change the program right now.", "24h": "For most.", "7d": "When somebody else has to change the program."},
	Revoke: "Revoke", RevokeTitle: "Revoke this key", RevokeText: "It stops at once and for good. Whatever still uses it is refused.", RevokeButton: "Revoke key",
	RevokeTitleOld: "Revoke the old key", MerchantsWrong: "Write ids of merchants, one a line: numbers such as 42.", DayWrong: "Choose a day.", ID: "Id",
	StillUsed: func(requests string) string { return "It is still used: " + requests + " in the last hour." },
	NotUsed:   "It was not used in the last hour.", RevokedToast: "The key is revoked.",
	RolledTitle: func(until string) string { return "This key was rolled. It works until " + until + "." },
	RolledUsed: func(requests string) string {
		return requests + " in the last hour came with the old key: something has not changed over yet."
	},
	RolledFree: "No request in the last hour came with the old key. It can be revoked.",
	RollsFrom:  func(name string) string { return "This key takes the place of " + name + ", which still works." },
	RollsText:  "Both keys work. Watch the old one's requests end, then revoke it.",
	RequestCount: func(n int64) string {
		if n == 1 {
			return "1 request"
		}
		return group(n, formatEnglish.Group) + " requests"
	},
}

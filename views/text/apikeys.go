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
	MerchantDomains, MerchantDomainsHint  string
	DomainPages, AlsoOn                   string
	Embedding, AnyAncestor                string
	AnyAncestorHint, OriginsOnly, AnySite string
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
	Conflict                              string
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
	Title: "API keys", Text: "Authenticate your servers and pages. Use a separate key for each app.",
	New: "New key", NewText: "What will you use this key for?",
	Kind: "Kind", Status: "Status", Key: "Key", Name: "Name",
	NameHint: "For example, “Donations server”. Shown next to requests in your logs.",
	May:      "Permissions", LastUsed: "Last used", LastHour: "Last hour", Never: "Never",
	Secret: "Secret key", Restricted: "Restricted key", Public: "Public key",
	SecretText:     "For your server. Full API access.",
	RestrictedText: "For a single app or vendor. You choose permissions and merchants.",
	PublicText:     "For svcpay.js on your pages. Creates payment tokens only; safe to publish.",
	Active:         "Active", Replaced: "Rolled", Expired: "Expired", Revoked: "Revoked",
	Everything: "Full access", Pages: "Create tokens", AnyPage: "Any page", NoPage: "No page yet",
	RightCount:    func(n int) string { return plural(n, "permission", "permissions") },
	MerchantCount: func(n int) string { return plural(n, "merchant", "merchants") },
	PageCount:     func(n int) string { return plural(n, "origin", "origins") },
	EmptyTitle:    "No keys yet", EmptyText: "Create a secret key for your server and a public key for your pages.",
	Shown:      func(n int) string { return onPage(n, "key", "keys") },
	Rights:     "Permissions",
	RightsHint: "Grant only what this app needs. Write includes read. Permissions can’t be changed later.",
	NoRight:    "None", Read: "Read", Write: "Read and write",
	Resources: map[string]string{
		"balance": "Balances", "card_rule": "Card rules", "charge": "Charges", "dispute": "Disputes",
		"domain": "Domains", "donation": "DAF donations", "event": "Events",
		"export": "Exports", "fee": "Fees", "fee_default": "Default fees", "processing": "Processor accounts",
		"file": "Files", "idempotency_key": "Idempotency keys",
		"mandate": "Mandates", "merchant": "Merchants", "payout": "Payouts", "refund": "Refunds",
		"request_log": "Request logs", "sandbox": "Sandbox",
		"search": "Search", "statement": "Statements", "token": "Payment methods", "webhook": "Webhooks",
	},
	Merchants: "Merchants", MerchantsHint: "Leave empty to allow all merchants.", OtherMerchants: "Other merchants",
	OtherMerchantsHint: "One merchant ID per line", AllOfThem: "All merchants",
	Addresses:     "Addresses",
	AddressesHint: "Restrict to IP addresses or CIDR ranges, one per line (192.0.2.7, 192.0.2.0/24). Leave empty to allow any IP.",
	Everywhere:    "Any IP address", Origins: "Origins",
	OriginsHint:         "Allowed page origins, one per line (https://shop.example, https://*.example.org). Leave empty to allow any page in sandbox.",
	OriginsHintLive:     "Allowed page origins, one per line (https://shop.example, https://*.example.org). Leave empty to allow no pages.",
	MerchantDomains:     "Also allow merchants’ domains",
	MerchantDomainsHint: "Pages on a merchant’s registered domains can take payments for that merchant.",
	DomainPages:         "Merchants’ domains", AlsoOn: "Also on",
	Embedding:       "Embedding",
	AnyAncestor:     "Let any site embed these pages",
	AnyAncestorHint: "For payment forms in frames on sites you don’t list. Such a site could cover your form to trick payers into a click.",
	OriginsOnly:     "Allowed origins only", AnySite: "Any site",
	Expires: "Expires on", ExpiresHint: "Leave empty to keep the key active until you revoke it.",
	Make:      "Create key",
	MadeTitle: "Key created",
	Once:      "Copy it now", OnceText: "You won’t be able to see this key again. We store only a hash.",
	PublicMade:     "Add it to your pages",
	PublicMadeText: "Public keys are visible in your page source. You can find this key here anytime.",
	Before:         "This key was already created",
	BeforeText:     "The key was shown once when it was created. If you didn’t save it, revoke it and create another.",
	Then:           "Next steps", Try: "Try it",
	MadeSteps: func() []string {
		return []string{"Save the key in your secret manager. Don’t put it in code, a page, or chat.",
			"Send it in the X-API-Key header, together with X-App-ID.",
			"Your first request appears on the key’s page within a minute."}
	},
	PublicSteps: func() []string {
		return []string{"Give it to svcpay.js: new SvcPay(key, merchantId).",
			"Before you go live, restrict the key to your page origins."}
	},
	RollSteps: func() []string {
		return []string{"Save the new key in your secret manager.", "Deploy the new key to your servers.",
			"Compare traffic: requests should move from the old key to the new one.",
			"Revoke the old key, or let it expire."}
	},
	SeeKey: "View key", SeeBoth: "View both keys",
	Details: "Details", Begins: "Key", Created: "Created",
	Use: "Requests in the last hour", UseText: "In 5-minute intervals",
	UsePublic: "Requests from payers’ browsers aren’t logged. Last used is accurate to the minute.", Time: "Until",
	ThisKey: "This key", OldKey: "Old key", NewKey: "New key",
	AllRequests: "All requests",
	Edit:        "Edit", EditText: "Permissions can’t be changed. To use different permissions, create a new key.",
	Save: "Save", Saved: "Key updated. Changes take effect within 2 seconds.",
	Conflict: "Someone else just edited this key",
	Roll:     "Roll", RollTitle: "Roll this key",
	RollText:   "Creates a new key with the same permissions. Both keys work until the old one expires.",
	RollButton: "Roll key", Overlap: "Expire the old key",
	Overlaps: map[string]string{"now": "Now", "1h": "1 hour", "24h": "24 hours", "7d": "7 days"},
	OverlapTexts: map[string]string{
		"now": "Use this if the key was leaked. Requests with the old key fail immediately.",
		"1h":  "If you’re deploying the new key right away", "24h": "Recommended",
		"7d": "If another team needs to deploy the new key"},
	Revoke: "Revoke", RevokeTitle: "Revoke this key",
	RevokeText:     "The key stops working immediately. Requests that still use it will fail. This can’t be undone.",
	RevokeButton:   "Revoke key",
	RevokeTitleOld: "Revoke old key", MerchantsWrong: "Enter merchant IDs, one per line (for example, 1042).",
	DayWrong: "Choose a day.", ID: "ID",
	StillUsed: func(requests string) string { return requests + " in the last hour still used this key." },
	NotUsed:   "No requests in the last hour.", RevokedToast: "Key revoked",
	RolledTitle: func(until string) string { return "This key was rolled and expires " + until },
	RolledUsed: func(requests string) string {
		return requests + " in the last hour used the old key. Something still needs to switch over."
	},
	RolledFree: "No requests used the old key in the last hour. It’s safe to revoke.",
	RollsFrom:  func(name string) string { return "Replaces " + name + ", which is still active." },
	RollsText:  "Both keys are active. Revoke the old key once its traffic stops.",
	RequestCount: func(n int64) string {
		if n == 1 {
			return "1 request"
		}
		return group(n, formatEnglish.Group) + " requests"
	},
}

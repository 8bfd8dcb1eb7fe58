package text

// Start are the texts of the quick start, and of the developers' overview.
type Start struct {
	Title, Text                         string
	Choose, ChooseText, Key, Merchant   string
	Show                                string
	Page, PageText                      string
	Try, TryText, Field                 string
	NeedsScript, MakeToken              string
	TestCard                            string
	Incomplete, Failed, Unavailable     string
	Made, MadeText                      string
	Charge, ChargeText                  string
	NoKey, NoKeyText, MakeKey           string
	Elsewhere, ElsewhereText, AddOrigin string
	NoMerchant, NoMerchantText          string
	First, Last                         string

	Overview, OverviewText           string
	WorkingKeys, Endpoints, Requests string
	LastHour                         string
	Attention, AllWell, AllWellText  string
	Begin, BeginText                 string
	StepSecret, StepPublic           string
	StepRequest, StepHook            string
	Enabled                          string
	FailingHook                      func(host string) string
	PausedHook                       func(host string) string
	RollUnderWay                     func(name string) string
	Documentation                    string
	Contract, EventTypes, Codes      string
	ContractText, EventTypesText     string
	CodesText                        string
}

var startEnglish = Start{
	Title:      "Quick start",
	Text:       "Go from a card field to your first charge, using your own keys, without leaving this page.",
	Choose:     "1. Choose a key and merchant",
	ChooseText: "Pick the public key your page will use and the merchant that gets paid.", Key: "Public key",
	Merchant: "Merchant", Show: "Show code", Page: "2. Add this to your page",
	PageText: "The field runs in our iframe, so card numbers never reach your page or server.",
	Try:      "3. Try it", TryText: "This is the card field your payers will see.", Field: "Card",
	NeedsScript: "Turn on JavaScript to try the card field.", MakeToken: "Create token",
	TestCard:   "Use 4242 4242 4242 4242 with any future date, CVC, and postal code.",
	Incomplete: "Enter a card number first.", Failed: "The token couldn’t be created.",
	Unavailable: "The card field couldn’t be loaded.",
	Made:        "Token created", MadeText: "Send it to your server and charge it within 15 minutes:",
	Charge: "4. Charge it from your server", ChargeText: "Use your secret key. Never expose it in a page or app.",
	NoKey: "No active public key", NoKeyText: "Create a public key so your pages can load svcpay.js.",
	MakeKey: "Create public key", Elsewhere: "This key isn’t allowed on this page",
	ElsewhereText: "The key only works on the origins you listed. Choose another key, or add this origin: ",
	AddOrigin:     "Edit key",
	NoMerchant:    "No merchant yet", NoMerchantText: "Every payment goes to a merchant. Add one to continue.",
	First: "Dana", Last: "Reed",

	Overview: "Developers", OverviewText: "API activity, keys, and webhooks at a glance",
	WorkingKeys: "Active keys", Endpoints: "Webhook endpoints", Requests: "Recent requests",
	LastHour: "Requests in the last hour", Attention: "Needs attention", AllWell: "All systems normal",
	AllWellText: "No failing endpoints and no key rotations in progress.",
	Begin:       "Getting started", BeginText: "Steps check themselves off as you complete them.",
	StepSecret: "Create a secret key for your server", StepPublic: "Create a public key for your pages",
	StepRequest: "Send your first API request", StepHook: "Add a webhook endpoint",
	Enabled:       "enabled",
	FailingHook:   func(host string) string { return host + " is failing" },
	PausedHook:    func(host string) string { return host + " is paused and not receiving events" },
	RollUnderWay:  func(name string) string { return name + " was rolled; the old key is still active" },
	Documentation: "Documentation", Contract: "API reference", EventTypes: "Event types", Codes: "Error codes",
	ContractText: "Every endpoint, request, and response (OpenAPI)", EventTypesText: "Every event and when it’s sent",
	CodesText: "What each code means and how to fix it",
}

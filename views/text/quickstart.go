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
	Title: "Quick start", Text: "A card field with your own keys, on this very page: from typing to a charge.",
	Choose: "1. Choose", ChooseText: "The key stands in your page, and the merchant is who is paid.", Key: "Public key", Merchant: "Merchant", Show: "Show",
	Page: "2. Put this into your page", PageText: "The field is a frame of ours: card numbers never touch your page or server.",
	Try: "3. Try it", TryText: "This is the field that your payers see.", Field: "Card",
	NeedsScript: "The field is shown by a script. Turn scripts on to try it.", MakeToken: "Make a token",
	TestCard:   "4242 4242 4242 4242, any day in the future, any code, any postal code.",
	Incomplete: "Fill in the card first.", Failed: "No token was made.", Unavailable: "The field cannot be shown.",
	Made: "A token was made", MadeText: "Your page sends it to your server, which charges it within 15 minutes:",
	Charge: "4. Charge it from your server", ChargeText: "With your secret key, which stays there.",
	NoKey: "No public key works yet", NoKeyText: "Make one: it is what your pages name you with.", MakeKey: "Make a public key",
	Elsewhere: "This key is for other pages", ElsewhereText: "It may be used from the origins that it names, and this page is not among them. Choose another key, or add this origin: ", AddOrigin: "Edit the key",
	NoMerchant: "No merchant yet", NoMerchantText: "Add one: a payment is always for a merchant.",
	First: "Dana", Last: "Reed",

	Overview: "Developers", OverviewText: "How your programs and ours get along.",
	WorkingKeys: "Keys that work", Endpoints: "Webhook endpoints", Requests: "Latest requests", LastHour: "Requests in the last hour",
	Attention: "Needs attention", AllWell: "Everything works", AllWellText: "No endpoint fails, and no key is being rolled.",
	Begin: "Getting started", BeginText: "Ticked by what there is.",
	StepSecret: "Make a secret key for your server", StepPublic: "Make a public key for your pages", StepRequest: "Send the first request", StepHook: "Add a webhook endpoint",
	Enabled:       "enabled",
	FailingHook:   func(host string) string { return host + " does not take events" },
	PausedHook:    func(host string) string { return host + " is paused: nothing is sent to it" },
	RollUnderWay:  func(name string) string { return name + " was rolled and still works" },
	Documentation: "Documentation", Contract: "API contract", EventTypes: "Event types", Codes: "Error codes",
	ContractText: "Every request and answer, as OpenAPI", EventTypesText: "What is told when", CodesText: "What each one means and what to do",
}

package text

// DAFProvider are the texts about the deployment's connection to its provider of donor-advised funds.
type DAFProvider struct {
	Title, Text, None, NoneText                  string
	Provider, Status, Tested, Credentials, Set   string
	Hook, HookText, Complete, Incomplete, Needed string
	Optional                                     string
	Connect, Replace, Test                       string
	FormText, Field, Hint, Problems              string
	Connected, AllWell, Missing, NotTested       string
}

var dafProviderEnglish = DAFProvider{
	Title: "DAF provider", Text: "Gifts from donor-advised funds go through this account.",
	None: "Not connected", NoneText: "Connect Chariot to take gifts from donor-advised funds.",
	Provider: "Provider", Status: "Status", Tested: "Last tested", Credentials: "Credentials", Set: "Entered",
	Hook: "Webhook address", HookText: "Create an event subscription at Chariot with this address.",
	Complete: "Complete", Incomplete: "Incomplete", Needed: "Something is missing",
	Optional: "Not available",
	Connect:  "Connect Chariot", Replace: "Replace credentials", Test: "Test",
	FormText: "SvcPay checks the API key with Chariot, then encrypts it.",
	Field:    "API key and signing secret",
	Hint: "Separate them with a space. Use a live key in production and a test key in a sandbox. The signing secret is " +
		"the one of the event subscription.",
	Problems:  "Chariot isn’t connected",
	Connected: "Chariot connected", AllWell: "Tested. Nothing is missing.",
	Missing:   "Tested. Something is missing.",
	NotTested: "Not tested",
}

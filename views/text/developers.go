package text

// Developers are the texts that all developer tools have in common, and of their overview.
type Developers struct {
	Title, Text                                                       string
	Overview, Keys, Webhooks, Events, Logs, Idempotency, Start, Debug string // names of the tools
	Correct                                                           string // above a form with mistakes
	Request, Requests                                                 string
	JSON                                                              string
	JSONText                                                          string
	None                                                              string
	Redacted, RedactedText                                            string
}

var developersEnglish = Developers{
	Title: "Developers", Text: "Keys, events and requests of your programs.",
	Overview: "Overview", Keys: "API keys", Webhooks: "Webhooks", Events: "Events", Logs: "Logs", Idempotency: "Idempotency", Start: "Quick start",
	Debug:   "Signature debugger",
	Correct: "There is something to correct",
	Request: "Request", Requests: "Requests",
	JSON: "JSON", JSONText: "As the API says it.",
	None:     "None",
	Redacted: "Bodies and addresses are hidden from you", RedactedText: "They belong to the application. You see that there was a request, and what became of it.",
}

package text

// Developers are the texts that all developer tools have in common, and of their overview.
type Developers struct {
	Title                                                             string
	Overview, Keys, Webhooks, Events, Logs, Idempotency, Start, Debug string // names of the tools
	Request, Requests                                                 string
	JSONText                                                          string
	Redacted, RedactedText                                            string
}

var developersEnglish = Developers{
	Title:    "Developers",
	Overview: "Overview", Keys: "API keys", Webhooks: "Webhooks", Events: "Events", Logs: "Logs",
	Idempotency: "Idempotency", Start: "Quick start",
	Debug:   "Signature debugger",
	Request: "Request", Requests: "Requests",
	JSONText:     "API object",
	Redacted:     "Payloads and IP addresses are hidden",
	RedactedText: "Your role can see that a request was made and its result, but not its contents.",
}

package text

// Logs are the texts of the pages about requests, idempotency keys and signatures.
type Logs struct {
	Title, Text, EmptyTitle, EmptyText       string
	Request, Status, Key, Took, When, Method string
	Outcome, Good, Refused, Broken           string
	Code, Search, Object, Address, Agent     string
	Shown                                    func(n int) string
	Milliseconds                             func(ms int) string
	Details, ID, ClientID, Version, Merchant string
	Idempotency, Replayed, ReplayedText      string
	Query, RequestBody, ResponseBody         string
	NoBody, NoAnswer                         string
	NotKept                                  func(bytes int) string
	Repeats                                  string

	Keys, KeysText, KeysLabel, KeysHint string
	Look, KeyMissing, KeyMissingText    string
	State, Claimed, Accepted, Done      string
	ClaimedText, AcceptedText, DoneText string
	First, Until, Refusal               string
	KeysTeach, KeysTeachText            string

	Debug, DebugText                         string
	Headers, HeadersHint, Body, BodyHint     string
	Secret, SecretHint, Check                string
	Signed, SignedText, NotSigned            string
	Found                                    func(n int) string
	Mistakes                                 map[string]string
	CheckedAgainst, SecretKept, MissingInput string
	Sent                                     string
}

var logsEnglish = Logs{
	Title: "Request logs", Text: "What your programs asked in the last 30 days, and what they were told.",
	EmptyTitle: "No requests yet", EmptyText: "The first request with one of your keys stands here within a second.",
	Request: "Request", Status: "Status", Key: "Key", Took: "Took", When: "When", Method: "Method",
	Outcome: "Outcome", Good: "Succeeded", Refused: "Refused (4xx)", Broken: "Failed on our side (5xx)",
	Code: "Error code", Search: "Request id, object id or idempotency key", Object: "Object", Address: "From", Agent: "Program",
	Shown:        func(n int) string { return onPage(n, "request", "requests") },
	Milliseconds: func(ms int) string { return group(int64(ms), ",") + " ms" },
	Details:      "Details", ID: "Id", ClientID: "Your id", Version: "API version", Merchant: "Merchant",
	Idempotency: "Idempotency key", Replayed: "Answered from before", ReplayedText: "The key had been used: the first answer was given again, and nothing was done twice.",
	Query: "Query", RequestBody: "What was asked", ResponseBody: "What was told",
	NoBody: "The request had no body.", NoAnswer: "Answers of requests that succeeded are not kept: the object tells.",
	NotKept: func(bytes int) string {
		return "A body of " + plural(bytes, "byte", "bytes") + ", which is not kept: it is no JSON, or too long."
	},
	Repeats: "Requests with this key",

	Keys: "Idempotency keys", KeysText: "What became of a key that a program sent. Keys are kept for seven days.", KeysLabel: "Idempotency key", KeysHint: "As it was sent in the header Idempotency-Key.",
	Look: "Look it up", KeyMissing: "No such key", KeyMissingText: "It was never used by this application, its request was refused before anything was written, or it is older than seven days.",
	State: "State", Claimed: "Under way", Accepted: "Accepted", Done: "Done",
	ClaimedText: "The first request with it has not ended. Repeat it with the same key.", AcceptedText: "The caller was told to wait. Repeating the request with the same key tells the outcome once it is known.",
	DoneText: "Every request with the same key and content gets this outcome.",
	First:    "First used", Until: "Kept until", Refusal: "It was refused",
	KeysTeach: "Send a key with each request that changes something", KeysTeachText: "Then it can be repeated after a timeout without being done twice. Paste one here to see what became of it.",

	Debug: "Signature debugger", DebugText: "Paste a delivery as your program got it. Nothing of it is kept or logged.",
	Headers: "Headers", HeadersHint: "One a line: webhook-id, webhook-timestamp and webhook-signature at least.", Body: "Body", BodyHint: "Byte for byte, before anything parses it.",
	Secret: "Signing secret", SecretHint: "The one that your program has: whsec_…", Check: "Check",
	Signed: "The signature is right", SignedText: "Your program should believe this delivery.", NotSigned: "The signature is not believed",
	Found: func(n int) string { return plural(n, "mistake", "mistakes") },
	Mistakes: map[string]string{
		"header_missing": "A header is missing", "header_malformed": "A header is malformed",
		"secret_malformed": "The secret is malformed", "secret_wrong": "Another secret signed it",
		"body_reserialized": "The body was encoded again", "body_changed": "The body is not what was sent",
		"clock_too_old": "It was signed too long ago", "clock_too_new": "It was signed in the future"},
	CheckedAgainst: "Compared with the event as we sent it.", SecretKept: "The secret is not shown again: type it anew.", MissingInput: "Paste headers, body and secret.",
	Sent: "Filled in from the last attempt. Replace it by what your program got.",
}

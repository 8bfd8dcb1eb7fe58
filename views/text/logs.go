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
	Title: "Request logs", Text: "API requests from the last 30 days",
	EmptyTitle: "No requests yet", EmptyText: "Requests made with your keys appear here within a second.",
	Request: "Request", Status: "Status", Key: "Key", Took: "Duration", When: "When", Method: "Method",
	Outcome: "Outcome", Good: "Succeeded", Refused: "Client error (4xx)", Broken: "Server error (5xx)",
	Code: "Error code", Search: "Any ID or idempotency key", Object: "Object", Address: "IP address",
	Agent:        "User agent",
	Shown:        func(n int) string { return onPage(n, "request", "requests") },
	Milliseconds: func(ms int) string { return group(int64(ms), ",") + " ms" },
	Details:      "Details", ID: "ID", ClientID: "Client request ID", Version: "API version", Merchant: "Merchant",
	Idempotency: "Idempotency key", Replayed: "Replayed response",
	ReplayedText: "This idempotency key was already used, so we returned the original response.",
	Query:        "Query", RequestBody: "Request body", ResponseBody: "Response body",
	NoBody:   "The request had no body.",
	NoAnswer: "Response bodies of successful requests aren’t stored. Open the object to see its current state.",
	NotKept: func(bytes int) string {
		return plural(bytes, "byte", "bytes") + ", not stored (not JSON, or too large)"
	},
	Repeats: "Requests with this key",

	Keys: "Idempotency keys", KeysText: "Look up what happened to a request. Keys are kept for 7 days.",
	KeysLabel: "Idempotency key", KeysHint: "The value of the Idempotency‑Key header",
	Look: "Look up", KeyMissing: "Key not found",
	KeyMissingText: "This application never used it, its request was rejected before anything was saved, or it’s older than 7 days.",
	State:          "State", Claimed: "In progress", Accepted: "Accepted", Done: "Done",
	ClaimedText:  "The original request is still running. Retry with the same key.",
	AcceptedText: "The outcome isn’t known yet. Retry with the same key to get it once it is.",
	DoneText:     "Every retry with the same key and content returns this result.",
	First:        "First used", Until: "Kept until", Refusal: "Error",
	KeysTeach:     "Retry safely with idempotency keys",
	KeysTeachText: "Send a key with every write and you can retry after a timeout without duplicates. Paste a key to see its result.",

	Debug: "Signature debugger", DebugText: "Paste a delivery your server received. We don’t store or log it.",
	Headers: "Headers", HeadersHint: "One per line. Include webhook-id, webhook-timestamp, and webhook-signature.",
	Body: "Body", BodyHint: "The raw request body, before parsing",
	Secret: "Signing secret", SecretHint: "Starts with whsec_", Check: "Check signature",
	Signed: "Signature valid", SignedText: "Your server should accept this delivery.", NotSigned: "Signature invalid",
	Found: func(n int) string { return plural(n, "problem", "problems") },
	Mistakes: map[string]string{
		"header_missing": "A header is missing", "header_malformed": "A header is malformed",
		"secret_malformed": "The secret is malformed", "secret_wrong": "Signed with a different secret",
		"body_reserialized": "The body was re-serialized", "body_changed": "The body doesn’t match what we sent",
		"clock_too_old": "The timestamp is too old", "clock_too_new": "The timestamp is in the future"},
	CheckedAgainst: "Compared with the event we sent", SecretKept: "We didn’t keep the secret. Enter it again.",
	MissingInput: "Paste the headers, body, and secret.",
	Sent:         "Filled in from the last attempt. Replace it with what your server received.",
}

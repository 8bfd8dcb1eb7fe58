package text

// Webhooks are the texts of the pages about webhook endpoints.
type Webhooks struct {
	Title, Text, EmptyTitle, EmptyText                          string
	Endpoint, Status, Events, LastSuccess, Never                string
	New, NewText, Make                                          string
	Statuses, DeliveryStatuses, Causes, Errors                  map[string]string
	Failing, AllEvents                                          string
	FailingTitle, PausedTitle, GoneTitle, ManyFailing           string
	FailingText                                                 func(since string) string
	PausedText, Look, MissedText                                string
	MissedTitle                                                 func(n int64) string
	Shown, DeliveriesShown, Others                              func(n int) string
	URL, URLHint, URLSandbox                                    string
	Description, DescriptionHint                                string
	Which, WhichHint, Single                                    string
	SecretOnce, SecretOnceText, Secret, MadeTitle               string
	Steps                                                       func() []string
	RotatedTitle                                                string
	RotatedSteps                                                func() []string
	See                                                         string
	Edit, EditTitle, Save, Saved                                string
	Changed, ChangedText                                        string
	Details, Previous, ID                                       string
	Enable, EnableText, Enabled                                 string
	Disable, DisableTitle, DisableText, Disabled                string
	Delete, DeleteTitle, DeleteText, Deleted                    string
	Rotate, RotateText, RotateButton, Overlap                   string
	Overlaps, OverlapTexts                                      map[string]string
	Deliveries, DeliveriesNone, DeliveriesNoneText              string
	Event, Attempts, Cause, When, Answer                        string
	CausesTitle, CausesText, CauseWhy, CauseHow                 string
	CauseSample                                                 string
	NotSent                                                     string
	Answered                                                    func(code int) string
	Missed                                                      func(n int64) string
	Advice                                                      func(code int, reason string) string
	Test, TestText, TestType, TestFill, TestSend, Body          string
	BodyHint, BodyWrong, Sent                                   string
	Replay, ReplayText, ReplayStart, From, Until                string
	FromHint, UntilHint, DayWrong                               string
	WhichEvents, Missing, MissingText, All, AllText             string
	ReplayTitle, ReplayEvents, Looked, Queued, Cancel, Canceled string
	Running, Sending, Done, Stopped                             string
	Replays, ReplaysText, Before, BeforeText                    string
	Progress                                                    func(done, total int64) string
	Arrived, Fetching, NotArrived                               string
	Ended                                                       func(status string, arrived, lost int64) string
	Refresh                                                     string
	Attempt                                                     func(n int) string
	RequestHeaders, ResponseHeaders, ResponseBody               string
	Took                                                        func(ms int) string
	NoAttempt, NextAttempt, RequestBody                         string
	Resend, Debug                                               string
	OnlyEnabled, SingleHint                                     string
}

var webhooksEnglish = Webhooks{
	Title: "Webhooks", Text: "Get notified when something happens in your account", EmptyTitle: "No endpoints yet",
	EmptyText: "Add a URL to receive signed events in real time.",
	Endpoint:  "Endpoint", Status: "Status", Events: "Events", LastSuccess: "Last success", Never: "Never",
	New: "Add endpoint", NewText: "We’ll POST each event to your URL. Return any 2xx status to acknowledge it.",
	Make: "Add endpoint", Statuses: map[string]string{"enabled": "Enabled", "disabled": "Disabled", "paused": "Paused"},
	DeliveryStatuses: map[string]string{"pending": "Retrying", "succeeded": "Delivered", "failed": "Failed",
		"canceled": "Canceled"},
	Causes: map[string]string{"event": "Event", "redelivery": "Resent", "replay": "Replay", "test": "Test"},
	Errors: map[string]string{
		"host_not_found": "DNS lookup failed", "unreachable": "Connection failed",
		"certificate_invalid": "Invalid TLS certificate", "timed_out": "Timed out",
		"host_not_allowed": "Not a public hostname", "address_not_public": "DNS lookup failed",
		"port_not_allowed": "Port not allowed", "scheme_not_allowed": "Not HTTPS",
	},
	Failing: "Failing", AllEvents: "All events",
	FailingTitle: "Events aren’t being delivered", PausedTitle: "Paused after 5 days of failures",
	GoneTitle:   "Paused: endpoint returned 410 Gone",
	ManyFailing: "Some endpoints are failing",
	FailingText: func(since string) string {
		return "Since " + since +
			", every delivery has failed. We retry each event 10 times over 3 days and pause the endpoint after 5 days without a success."
	},
	MissedTitle: func(n int64) string {
		if n == 1 {
			return "1 event wasn’t delivered"
		}
		return group(n, formatEnglish.Group) + " events weren’t delivered"
	},
	MissedText: "The endpoint is healthy again. Replay the events it missed.",
	PausedText: "We’ve stopped sending events. Fix your endpoint, enable it, send a test event, then replay what it missed.", Look: "See why",
	Shown:           func(n int) string { return onPage(n, "endpoint", "endpoints") },
	DeliveriesShown: func(n int) string { return onPage(n, "delivery", "deliveries") },
	Others:          func(n int) string { return plural(n, "more", "more") },
	URL:             "URL", URLHint: "Must be a public HTTPS URL on port 443.",
	URLSandbox:  "Must be a public HTTPS URL on port 443. In a local sandbox, http://localhost works too.",
	Description: "Description", DescriptionHint: "Internal only",
	Which: "Events", WhichHint: "Leave empty to receive all events, including new types we add later.",
	Single: "Other events", SecretOnce: "Copy the secret now",
	SecretOnceText: "Use it to verify signatures. You won’t be able to see it again.", Secret: "Signing secret",
	MadeTitle: "Endpoint added",
	Steps: func() []string {
		return []string{"Save the secret in your secret manager.",
			"Verify each request’s signature (Standard Webhooks) before parsing the body.",
			"Send a test event to try it."}
	},
	RotatedTitle: "New signing secret",
	RotatedSteps: func() []string {
		return []string{"Save the new secret in your secret manager.",
			"During the overlap, events are signed with both secrets, so either one verifies.",
			"Send a test event to try it."}
	},
	See: "View endpoint", Edit: "Edit", EditTitle: "Edit endpoint", Save: "Save changes", Saved: "Endpoint updated",
	Changed: "Someone else just edited this endpoint", ChangedText: "Your changes are below. Saving replaces theirs:",
	Details: "Details", Previous: "Previous secret valid until", ID: "ID",
	Enable: "Enable", EnableText: "We’ll start sending new events. Use Replay for events it missed.",
	Enabled: "Endpoint enabled. Replay the events it missed.",
	Disable: "Disable", DisableTitle: "Disable endpoint",
	DisableText: "We’ll stop sending events and cancel pending deliveries. You can enable it again anytime.",
	Disabled:    "Endpoint disabled", Delete: "Delete", DeleteTitle: "Delete endpoint",
	DeleteText: "This permanently deletes the endpoint, its signing secret, and pending deliveries.",
	Deleted:    "Endpoint deleted", Rotate: "Rotate secret",
	RotateText:   "Creates a new signing secret. Events are signed with both secrets during the overlap.",
	RotateButton: "Rotate secret", Overlap: "Expire the old secret",
	Overlaps: map[string]string{"now": "Now", "1h": "1 hour", "24h": "24 hours", "7d": "7 days"},
	OverlapTexts: map[string]string{
		"now": "Use this if the secret was leaked. Verification with the old secret fails immediately.",
		"1h":  "If you’re deploying the new secret right away", "24h": "Recommended", "7d": "If another team needs to deploy the new secret"},
	Deliveries: "Deliveries", DeliveriesNone: "No deliveries yet",
	DeliveriesNoneText: "Deliveries appear here as events happen. Send a test event to try it.",
	Event:              "Event", Attempts: "Attempts", Cause: "Trigger", When: "When", Answer: "Response",
	CausesTitle: "Failures by cause", CausesText: "Undelivered events from the last 7 days",
	CauseWhy: "Cause", CauseHow: "How to fix",
	CauseSample: "Latest", NotSent: "Not sent: endpoint was disabled",
	Answered: func(code int) string { return "HTTP " + group(int64(code), "") },
	Missed:   func(n int64) string { return plural(int(n), "event", "events") },
	Advice:   webhookAdvice,
	Test:     "Send test event",
	TestText: "Sends one event to this endpoint only. It doesn’t appear in your event list.", TestType: "Event",
	TestFill: "Load sample payload", TestSend: "Send test event", Body: "data.object",
	BodyHint: "The event’s object as JSON. Edit it however you like.", BodyWrong: "Enter a valid JSON object.",
	Sent:   "Test event sent",
	Replay: "Replay", ReplayText: "Resends past events in order, with their original IDs.", ReplayStart: "Replay",
	From: "From", Until: "Until",
	FromHint: "First day to include", UntilHint: "Last day to include. Leave empty for now.", DayWrong: "Choose a day.",
	WhichEvents: "Events", Missing: "Missed events only",
	MissingText: "Failed, canceled, or skipped in the last 28 days", All: "All",
	AllText:     "Includes delivered events. Your endpoint must handle duplicates.",
	ReplayTitle: "Replay", ReplayEvents: "Replay events", Looked: "Events checked", Queued: "Deliveries queued", Cancel: "Cancel replay",
	Canceled: "Replay canceled. Events already queued will still be sent.",
	Running:  "Queuing events", Sending: "Queued", Done: "Done", Stopped: "Canceled", Replays: "Replays",
	ReplaysText: "Most recent replays",
	Progress:    func(done, total int64) string { return group(done, ",") + " of " + group(total, ",") },
	Arrived:     "Delivered", Fetching: "Pending", NotArrived: "Failed or canceled",
	Before:     "Pending, other days",
	BeforeText: "Events outside the selected days that were already waiting for a retry. They’re sent first, in order.",
	Ended: func(status string, arrived, lost int64) string {
		return status + ". Delivered: " + group(arrived, ",") + ". Failed or canceled: " + group(lost, ",") + "."
	},
	Refresh:        "Refresh",
	Attempt:        func(n int) string { return "Attempt " + group(int64(n), ",") },
	RequestHeaders: "Request headers", ResponseHeaders: "Response headers", ResponseBody: "Response body (first 2 KB)",
	Took:      func(ms int) string { return group(int64(ms), ",") + " ms" },
	NoAttempt: "No attempt yet", NextAttempt: "Next attempt", RequestBody: "Request body",
	Resend: "Resend", Debug: "Debug signature",
	SingleHint:  "Event names, one per line (for example, charge.captured).",
	OnlyEnabled: "Enable the endpoint to send events.",
}

// webhookAdvice is what helps against a cause: a status code, or the reason for which there was no answer.
func webhookAdvice(code int, reason string) string {
	switch {
	case code == 0 && reason == "":
		return "Enable the endpoint, then replay."
	case code == 0 && reason == "timed_out":
		return "Return a 2xx within 15 seconds, then process the event in the background."
	case code == 0 && reason == "host_not_found" || reason == "address_not_public":
		return "Check the hostname and its public DNS records."
	case code == 0 && reason == "certificate_invalid":
		return "Check that the certificate is valid and includes the full chain."
	case code == 0:
		return "Check that your server is running and reachable from the internet."
	case code == 401 || code == 403:
		return "Allow our requests without authentication. Verify the signature instead."
	case code == 400 || code == 422:
		return "Usually a failed signature check. Use the signature debugger to find out why."
	case code == 404 || code == 405:
		return "The URL doesn’t accept POST requests. Check it for typos."
	case code == 410:
		return "Your endpoint asked us to stop (410). Return a 2xx, or delete the endpoint."
	case code == 429:
		return "Your server is rate limiting us. Queue events, or return a Retry-After header."
	case code >= 300 && code < 400:
		return "We don’t follow redirects. Use the final URL."
	}
	return "Your server returned an error. Check its logs."
}

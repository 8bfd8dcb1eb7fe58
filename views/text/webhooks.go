package text

// Webhooks are the texts of the pages about webhook endpoints.
type Webhooks struct {
	Title, Text, EmptyTitle, EmptyText                 string
	Endpoint, Status, Events, LastSuccess, Never       string
	New, NewText, Make                                 string
	Statuses, DeliveryStatuses, Causes, Errors         map[string]string
	Failing, AllEvents                                 string
	FailingTitle, PausedTitle, GoneTitle, ManyFailing  string
	FailingText                                        func(since string) string
	PausedText, Look, MissedText                       string
	MissedTitle                                        func(n int64) string
	Shown, DeliveriesShown, Others                     func(n int) string
	URL, URLHint, URLSandbox                           string
	Description, DescriptionHint                       string
	Which, WhichHint, Single                           string
	SecretOnce, SecretOnceText, Secret, MadeTitle      string
	Steps                                              func() []string
	RotatedTitle                                       string
	RotatedSteps                                       func() []string
	See                                                string
	Edit, Save, Saved, Changed, ChangedText            string
	Details, Previous, ID                              string
	Enable, EnableText, Enabled                        string
	Disable, DisableText, Disabled                     string
	Delete, DeleteText, Deleted                        string
	Rotate, RotateText, RotateButton, Overlap          string
	Overlaps, OverlapTexts                             map[string]string
	Deliveries, DeliveriesNone, DeliveriesNoneText     string
	Event, Attempts, Cause, When, Answer               string
	CausesTitle, CausesText, CauseHow, CauseSample     string
	NotSent                                            string
	Answered                                           func(code int) string
	Missed                                             func(n int64) string
	Advice                                             func(code int, reason string) string
	Test, TestText, TestType, TestFill, TestSend, Body string
	BodyHint, BodyWrong, Sent                          string
	Replay, ReplayText, ReplayStart, From, Until       string
	FromHint, UntilHint, DayWrong                      string
	WhichEvents, Missing, MissingText, All, AllText    string
	ReplayTitle, Looked, Queued, Cancel, Canceled      string
	Running, Sending, Done, Stopped                    string
	Replays, ReplaysText, Before, BeforeText           string
	Progress                                           func(done, total int64) string
	Arrived, Fetching, NotArrived                      string
	Ended                                              func(status string, arrived, lost int64) string
	Refresh                                            string
	Attempt                                            func(n int) string
	RequestHeaders, ResponseHeaders, ResponseBody      string
	Took                                               func(ms int) string
	NoAttempt, NextAttempt, RequestBody                string
	Resend, Debug                                      string
	OnlyEnabled, SingleHint                            string
}

var webhooksEnglish = Webhooks{
	Title: "Webhooks", Text: "Where your programs hear of events.", EmptyTitle: "No endpoints yet",
	EmptyText: "Add the address of a program of yours: it gets every event as it happens, signed.",
	Endpoint:  "Endpoint", Status: "Status", Events: "Events", LastSuccess: "Last success", Never: "Never",
	New: "Add endpoint", NewText: "An https address of yours. Events are sent as POST, and any 2xx answer takes them.", Make: "Add endpoint",
	Statuses:         map[string]string{"enabled": "Enabled", "disabled": "Disabled", "paused": "Paused"},
	DeliveryStatuses: map[string]string{"pending": "Waiting", "succeeded": "Arrived", "failed": "Failed", "canceled": "Canceled"},
	Causes:           map[string]string{"event": "It happened", "redelivery": "Sent again", "replay": "Replay", "test": "Test"},
	Errors: map[string]string{
		"host_not_found": "The name was not found", "unreachable": "No connection", "certificate_invalid": "The certificate is not valid", "timed_out": "No answer in time",
		"host_not_allowed": "No public name", "address_not_public": "Not an address of the internet", "port_not_allowed": "A port that is not called", "scheme_not_allowed": "Not https",
	},
	Failing: "Failing", AllEvents: "All events",
	FailingTitle: "Events do not arrive here", PausedTitle: "Paused: nothing arrived for five days", GoneTitle: "Paused: it answered 410 Gone",
	ManyFailing: "Some endpoints do not take events",
	FailingText: func(since string) string {
		return "Since " + since + " no attempt succeeded. Each event is attempted ten times in three days; after five days without a success the endpoint is paused."
	},
	MissedTitle: func(n int64) string {
		if n == 1 {
			return "1 event did not arrive here"
		}
		return group(n, formatEnglish.Group) + " events did not arrive here"
	},
	MissedText: "The endpoint takes events again. Replay what it missed.",
	PausedText: "Nothing is sent any more. Repair the endpoint, enable it, try it with a test, then replay what it missed.", Look: "See why",
	Shown:           func(n int) string { return onPage(n, "endpoint", "endpoints") },
	DeliveriesShown: func(n int) string { return onPage(n, "delivery", "deliveries") },
	Others:          func(n int) string { return plural(n, "more", "more") },
	URL:             "Address", URLHint: "https on port 443, a host on the internet.", URLSandbox: "https on port 443. In a sandbox on your own machine, http://localhost works too.",
	Description: "Description", DescriptionHint: "For your colleagues.",
	Which: "Events", WhichHint: "What it hears of. None: all events, those that are added later among them.", Single: "Only",
	SecretOnce: "Copy the secret now", SecretOnceText: "It signs every event for this endpoint, and is shown this once.", Secret: "Signing secret", MadeTitle: "Endpoint added",
	Steps: func() []string {
		return []string{"Copy the secret into your program's secret store.", "Verify each request with it before you read the body, as Standard Webhooks has it.", "Send a test event to see that it works."}
	},
	RotatedTitle: "New signing secret",
	RotatedSteps: func() []string {
		return []string{"Copy the new secret into your program's secret store.", "Until the overlap is over each event is signed with both secrets: either verifies.", "Send a test event to see that it works."}
	},
	See: "Go to the endpoint", Edit: "Edit", Save: "Save", Saved: "The endpoint is changed.",
	Changed: "Somebody changed this endpoint meanwhile", ChangedText: "Below is what you typed. Saving it now replaces what they made:",
	Details: "Details", Previous: "The former secret signs until", ID: "Id",
	Enable: "Enable", EnableText: "Events are sent to it again from now on. What happened meanwhile is not: replay it.", Enabled: "The endpoint is enabled. Replay what it missed.",
	Disable: "Disable", DisableText: "Nothing is sent to it any more, and what is on its way is canceled. It can be enabled again.", Disabled: "The endpoint is disabled.",
	Delete: "Delete", DeleteText: "It is gone for good, with its secret and what is on its way to it.", Deleted: "The endpoint is deleted.",
	Rotate: "Rotate secret", RotateText: "A new secret signs from now on. The former one signs beside it until the overlap is over.", RotateButton: "Rotate secret", Overlap: "The former secret signs for",
	Overlaps:     map[string]string{"now": "No time", "1h": "1 hour", "24h": "24 hours", "7d": "7 days"},
	OverlapTexts: map[string]string{"now": "For a secret that leaked. What is verified with it fails at once.", "1h": "When you change the program right now.", "24h": "For most.", "7d": "When somebody else has to change the program."},
	Deliveries:   "Deliveries", DeliveriesNone: "Nothing was sent yet", DeliveriesNoneText: "Events stand here as they happen. Send a test event to see one.",
	Event: "Event", Attempts: "Attempts", Cause: "Because", When: "When", Answer: "Answer",
	CausesTitle: "Why", CausesText: "What did not arrive in the last seven days, grouped by cause.", CauseHow: "What to do", CauseSample: "Latest",
	NotSent:  "Not attempted: the endpoint was not enabled",
	Answered: func(code int) string { return "Answered " + group(int64(code), "") },
	Missed:   func(n int64) string { return plural(int(n), "event", "events") },
	Advice:   webhookAdvice,
	Test:     "Send test event", TestText: "It goes to this endpoint alone, whatever its events, and is in no list.", TestType: "Event", TestFill: "Fill in an example", TestSend: "Send test event", Body: "data.object",
	BodyHint: "The object that the event tells of, as JSON. Change what you like.", BodyWrong: "This is no JSON object.", Sent: "The test event is on its way.",
	Replay: "Replay", ReplayText: "Past events are sent once more, in their order, each under its own id.", ReplayStart: "Replay", From: "From", Until: "Until",
	FromHint: "Its events happened on this day or later.", UntilHint: "The last day. Empty: until now.", DayWrong: "Choose a day.",
	WhichEvents: "Which", Missing: "Those it missed", MissingText: "They failed, were canceled, or happened while nothing was sent. It is known for 28 days which those are.", All: "All", AllText: "Those that arrived, too. Your program must bear events twice.",
	ReplayTitle: "Replay", Looked: "Looked through", Queued: "Deliveries queued", Cancel: "Cancel replay", Canceled: "The replay is canceled. What it has queued is sent all the same.",
	Running: "Queuing events", Sending: "Queued", Done: "Done", Stopped: "Canceled", Replays: "Replays", ReplaysText: "The latest.",
	Progress: func(done, total int64) string { return group(done, ",") + " of " + group(total, ",") },
	Arrived:  "Delivered", Fetching: "Waiting", NotArrived: "Failed or canceled",
	Before: "Waiting, other days", BeforeText: "Events outside the selected days that were already waiting for a retry. They are sent first, in order.",
	Ended: func(status string, arrived, lost int64) string {
		return status + ". Delivered: " + group(arrived, ",") + ". Failed or canceled: " + group(lost, ",") + "."
	},
	Refresh:        "Load again",
	Attempt:        func(n int) string { return "Attempt " + group(int64(n), ",") },
	RequestHeaders: "Headers that were sent", ResponseHeaders: "Headers of the answer", ResponseBody: "The answer's first 2 KB",
	Took:      func(ms int) string { return group(int64(ms), ",") + " ms" },
	NoAttempt: "No attempt yet", NextAttempt: "Next attempt", RequestBody: "Body that was sent",
	Resend: "Send again", Debug: "Debug the signature",
	SingleHint:  "Names of single events, one a line, such as charge.captured.",
	OnlyEnabled: "Nothing is sent to an endpoint that is not enabled.",
}

// webhookAdvice is what helps against a cause: a status code, or the reason for which there was no answer.
func webhookAdvice(code int, reason string) string {
	switch {
	case code == 0 && reason == "":
		return "Enable the endpoint, then replay."
	case code == 0 && reason == "timed_out":
		return "Answer 2xx within 15 seconds, and do the work afterwards."
	case code == 0 && reason == "host_not_found" || reason == "address_not_public":
		return "Look whether the host's name is right and known everywhere."
	case code == 0 && reason == "certificate_invalid":
		return "Look whether the certificate is valid, with all certificates between."
	case code == 0:
		return "Look whether the program runs and can be reached from the internet."
	case code == 401 || code == 403:
		return "Let our requests in without a sign-in: the signature tells that they are ours."
	case code == 400 || code == 422:
		return "Most often the signature is not believed. The signature debugger tells why."
	case code == 404 || code == 405:
		return "The address is not one that takes POST. Look for a typing mistake."
	case code == 410:
		return "It says that it wants nothing more. Answer 2xx, or delete the endpoint."
	case code == 429:
		return "It cannot keep up. Queue events on your side, or answer with Retry-After."
	case code >= 300 && code < 400:
		return "Redirects are not followed: give the address that it leads to."
	}
	return "The program failed. Its log says why."
}

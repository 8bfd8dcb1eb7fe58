package text

// Disputes are the texts of the pages about disputes.
type Disputes struct {
	Title, Text                              string
	Statuses, Kinds, KindTexts, Reasons      map[string]string
	Payer, Amount, Status, Reason, Merchant  string
	Due, Created, Kind, Search               string
	Open, OpenText                           string
	Shown                                    func(n int) string
	EmptyTitle, EmptyText, EmptyLink         string
	DueIn                                    func(days int) string // 0 is today
	Over                                     string
	Row                                      func(amount, payer string) string
	Evidence, EvidenceText                   string
	Answered, NotSubmitted                   string
	Groups, Fields                           map[string]string
	Files, FilesText, File, FileLimits, Add  string
	FileGone, Remove                         string
	FileDetail                               func(kind string, kilobytes int64) string
	Save, Review, Saved, Unsaved             string
	SavedBy, LastSaved                       string
	Changed, ChangedText, Conflict           string
	Problems, FileProblem                    string
	Nothing, NothingText                     string
	ReviewTitle, ReviewText, Submit, Once    string
	Submitted, OnItsWay                      string
	Accept, AcceptTitle, AcceptText          string
	AcceptWhat                               func(amount string) string
	AcceptOnce, Accepted, Keep               string
	OffRight                                 func(when string) string
	OffOver                                  string
	Money, Disputed, Released, Fee           string
	Effect, FeesText                         string
	Held, NoMoney                            string
	Details, Charge, Timeline                string
	JSON, JSONText, ID, Network              string
	Respond, SubmittedAt, Escalated, Closed  string
	Happened                                 map[string]string // events of a dispute
	CallSent, CallWaits                      string
	NoEvidence, NoEvidenceYet                string
	DueTitle, WaitingFor                     func(what string) string
	DueTexts, ReviewingTitles                map[string]string // by the kind of the dispute
	LateTitle, ReviewingText                 string
	WonTitle, LostTitle                      string
	WonText, LostText, AcceptedTitle         string
	AcceptedText, ClosedTitle, ClosedText    string
	TooManyFiles, FileLarge, FileNone, Added string
	Removed                                  string
}

var disputesEnglish = Disputes{
	Title: "Disputes", Text: "Chargebacks and retrieval requests from payers’ banks. Respond before the due date.",
	Statuses: map[string]string{"needs_response": "Needs response", "under_review": "Under review", "won": "Won",
		"lost":     "Lost",
		"accepted": "Accepted", "closed": "Closed"},
	Kinds: map[string]string{"chargeback": "Chargeback", "retrieval": "Retrieval"},
	KindTexts: map[string]string{"chargeback": "Funds are held until it’s resolved.",
		"retrieval": "The bank asks for documents. No money moves."},
	Reasons: map[string]string{"fraudulent": "Fraudulent", "unrecognized": "Not recognized", "duplicate": "Duplicate",
		"product_not_received": "Not received",
		"product_unacceptable": "Not as described", "credit_not_processed": "Credit not processed",
		"subscription_canceled": "Subscription canceled", "general": "General"},
	Payer: "Payer", Amount: "Amount", Status: "Status", Reason: "Reason", Merchant: "Merchant",
	Due: "Respond by", Created: "Opened", Kind: "Kind", Search: "Dispute or charge ID",
	Open: "Needs response", OpenText: "Soonest due first. You lose chargebacks you don’t respond to.",
	Shown:      func(n int) string { return onPage(n, "dispute", "disputes") },
	EmptyTitle: "No disputes", EmptyText: "Disputes show up here when a payer’s bank questions a charge.",
	EmptyLink: "How to test disputes",
	DueIn: func(days int) string {
		switch days {
		case 0:
			return "today"
		case 1:
			return "tomorrow"
		}
		return "in " + plural(days, "day", "days")
	},
	Over:     "past due",
	Row:      func(amount, payer string) string { return "the dispute of " + amount + " by " + payer },
	Evidence: "Evidence", EvidenceText: "Drafts save automatically. Nothing is shared until you submit.",
	Answered: "Submitted evidence. It can’t be changed.", NotSubmitted: "Draft. It was never submitted.",
	Groups: map[string]string{"product": "Product or service", "payer": "The payer", "shipping": "Delivery",
		"refund":       "Refunds",
		"cancellation": "Cancellation", "duplicate": "Another charge", "other": "What happened"},
	Fields: map[string]string{
		"product_description": "What the payer paid for", "payer_name": "Payer’s name", "payer_email": "Payer’s email",
		"payer_address":    "Payer’s address",
		"payer_ip_address": "Payer’s IP address", "payer_communication": "Communication with the payer",
		"receipt_description": "Receipt details", "service_date": "Date of the service",
		"service_documentation": "Proof of service",
		"shipping_carrier":      "Carrier", "shipping_tracking_number": "Tracking number", "shipping_date": "Date sent",
		"shipping_address": "Sent to",
		"refund_policy":    "Your refund policy", "refund_policy_disclosure": "How you disclosed it before payment",
		"refund_refusal_explanation":     "Why you won’t refund",
		"cancellation_policy":            "Your cancellation policy",
		"cancellation_policy_disclosure": "How you disclosed it before payment",
		"cancellation_rebuttal":          "Why the cancellation does not apply",
		"duplicate_charge_id":            "Other charge ID",
		"duplicate_explanation":          "How the two charges differ", "access_log": "Access activity log",
		"uncategorized_text": "Additional information",
	},
	Files: "Files", FilesText: "Receipts, correspondence, proof of delivery. Up to 10 files.", File: "Add a file",
	FileLimits: "PDF, PNG, or JPEG, up to 5 MB", Add: "Add file",
	FileGone: "Uploaded by your application", Remove: "Remove",
	FileDetail: func(kind string, kilobytes int64) string { return kind + ", " + group(kilobytes, ",") + " KB" },
	Save:       "Save draft", Review: "Review and submit", Saved: "Saved", Unsaved: "No draft yet", SavedBy: "Saved",
	LastSaved: "Last saved", Changed: "Someone else edited this draft",
	ChangedText: "Their version is on the left, yours on the right. Save to keep yours.",
	Conflict:    "Someone else edited this draft. Save to compare both versions.",
	Problems:    "Couldn’t save the draft", FileProblem: "The draft was saved, but no file was added",
	Nothing: "Add evidence first", NothingText: "Enter some text or add a file first.",
	ReviewTitle: "Submit evidence", ReviewText: "Review what you’ll send to the payer’s bank.",
	Submit: "Submit evidence", Once: "You can only submit once. You won’t be able to add or change evidence.",
	Submitted: "Evidence submitted. The payer’s bank will review it.",
	OnItsWay:  "Your response is being sent. Check again in a moment.",
	Accept:    "Accept chargeback", AcceptTitle: "Accept this chargeback",
	AcceptText: "You agree with the payer and won’t submit evidence. This closes the dispute.",
	AcceptWhat: func(amount string) string {
		return "The payer keeps " + amount + ", and it won’t be returned to the merchant."
	},
	AcceptOnce: "This can’t be undone. The chargeback fee still applies.", Accepted: "Dispute accepted",
	Keep: "Accept chargeback",
	OffRight: func(when string) string {
		return "A response is due " + when + ". Your role can view disputes but not respond to them."
	},
	OffOver: "The deadline has passed.",
	Money:   "Amounts", Disputed: "Disputed", Released: "Released", Fee: "Fee", Effect: "Effect on the balance",
	FeesText: "Dispute fees aren’t refunded, even if you win.",
	Held:     "Held until the dispute is resolved", NoMoney: "No money moves unless it escalates to a chargeback.",
	Details: "Details", Charge: "Charge", Timeline: "Timeline",
	JSON: "JSON", JSONText: "API object", ID: "Dispute", Network: "Processor ID",
	Respond: "Respond by", SubmittedAt: "Submitted", Escalated: "Escalated to a chargeback", Closed: "Closed",
	Happened: map[string]string{"dispute.created": "Opened", "dispute.updated": "Updated",
		"dispute.accepted": "Accepted", "dispute.won": "Won",
		"dispute.lost": "Lost", "dispute.closed": "Closed", "draft": "Draft saved", "submitted": "Evidence submitted",
		"escalated": "Escalated to a chargeback"},
	CallSent: "Response sent to the processor", CallWaits: "Response sent, waiting for the processor",
	NoEvidence: "No evidence was submitted.", NoEvidenceYet: "No evidence has been submitted yet.",
	DueTitle:   func(when string) string { return "Response due " + when },
	WaitingFor: func(organization string) string { return "Waiting for " + organization },
	DueTexts: map[string]string{
		"chargeback": "Submit evidence or accept the chargeback. If you don’t respond, you’ll lose.",
		"retrieval":  "Submit the documents the payer’s bank asked for. Without them, the bank may open a chargeback."},
	LateTitle: "The deadline has passed",
	ReviewingTitles: map[string]string{"chargeback": "Under review by the payer’s bank",
		"retrieval": "The payer’s bank is reviewing your documents"},
	ReviewingText: "No action needed. We’ll notify you of the decision.",
	WonTitle:      "You won", WonText: "The held funds were returned to your balance.", LostTitle: "You lost",
	LostText:      "The money went back to the payer.",
	AcceptedTitle: "You accepted", AcceptedText: "The money went back to the payer.",
	ClosedTitle: "Retrieval request closed", ClosedText: "No money moved.",
	TooManyFiles: "You can add up to 10 files. Remove one first.",
	FileLarge:    "Files can be up to 5 MB. Choose a smaller file.", FileNone: "Choose a file.",
	Added: "File added", Removed: "File removed",
}

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
	Evidence, EvidenceText, Answered         string
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
	Title: "Disputes", Text: "What payers' banks hold against charges. Each has a day by which it must be answered.",
	Statuses: map[string]string{"needs_response": "Needs response", "under_review": "Under review", "won": "Won", "lost": "Lost",
		"accepted": "Accepted", "closed": "Closed"},
	Kinds:     map[string]string{"chargeback": "Chargeback", "retrieval": "Retrieval"},
	KindTexts: map[string]string{"chargeback": "The money is held until it is decided", "retrieval": "The bank asks for documents; no money moves"},
	Reasons: map[string]string{"fraudulent": "Fraudulent", "unrecognized": "Not recognized", "duplicate": "Duplicate", "product_not_received": "Not received",
		"product_unacceptable": "Not as described", "credit_not_processed": "Credit not processed", "subscription_canceled": "Subscription canceled", "general": "General"},
	Payer: "Payer", Amount: "Amount", Status: "Status", Reason: "Reason", Merchant: "Merchant",
	Due: "Answer by", Created: "Opened", Kind: "Kind", Search: "Dispute or charge id",
	Open: "Needs response", OpenText: "Sorted by due date. A chargeback without a response is lost.",
	Shown:      func(n int) string { return onPage(n, "dispute", "disputes") },
	EmptyTitle: "No disputes", EmptyText: "When a payer's bank questions a charge, it appears here with the day by which to answer.",
	EmptyLink: "How to try one in the sandbox",
	DueIn: func(days int) string {
		switch days {
		case 0:
			return "today"
		case 1:
			return "tomorrow"
		}
		return "in " + plural(days, "day", "days")
	},
	Over:     "over",
	Row:      func(amount, payer string) string { return "the dispute of " + amount + " by " + payer },
	Evidence: "Evidence", EvidenceText: "Kept as you write. Nobody outside sees it before you hand it in.", Answered: "What was handed in. It cannot be changed.",
	Groups: map[string]string{"product": "What was paid for", "payer": "The payer", "shipping": "Delivery", "refund": "Refunds",
		"cancellation": "Cancellation", "duplicate": "Another charge", "other": "What happened"},
	Fields: map[string]string{
		"product_description": "What the payer paid for", "payer_name": "Payer's name", "payer_email": "Payer's e-mail", "payer_address": "Payer's address",
		"payer_ip_address": "Payer's IP address", "payer_communication": "What you and the payer wrote to each other",
		"receipt_description": "What the receipt said", "service_date": "Date of the service", "service_documentation": "Proof that the service was given",
		"shipping_carrier": "Carrier", "shipping_tracking_number": "Tracking number", "shipping_date": "Date sent", "shipping_address": "Sent to",
		"refund_policy": "Your refund policy", "refund_policy_disclosure": "How the payer saw it before paying", "refund_refusal_explanation": "Why no refund is due",
		"cancellation_policy": "Your cancellation policy", "cancellation_policy_disclosure": "How the payer saw it before paying",
		"cancellation_rebuttal": "Why the cancellation does not apply", "duplicate_charge_id": "Id of the other charge",
		"duplicate_explanation": "How the two charges differ", "access_log": "When and from where the payer signed in", "uncategorized_text": "In your own words",
	},
	Files: "Files", FilesText: "Receipts, letters, proof of delivery: at most ten.", File: "Add a file", FileLimits: "PDF, PNG or JPEG, up to 5 MB", Add: "Add file",
	FileGone: "Uploaded by your application", Remove: "Remove",
	FileDetail: func(kind string, kilobytes int64) string { return kind + ", " + group(kilobytes, ",") + " KB" },
	Save:       "Save draft", Review: "Review and hand in", Saved: "Saved", Unsaved: "Nothing is saved yet", SavedBy: "Saved", LastSaved: "Last saved",
	Changed: "Somebody changed this draft meanwhile", ChangedText: "What they wrote is on the left, what you wrote on the right. Save again to keep yours.",
	Conflict: "Somebody else changed this draft. Save it to see both.",
	Problems: "The draft was not saved", FileProblem: "The draft was saved, but no file was added", Nothing: "There is no evidence yet", NothingText: "Write a text or add a file first.",
	ReviewTitle: "Hand in evidence", ReviewText: "This is what the payer's bank will read.", Submit: "Hand in",
	Once:      "Evidence is handed in once. Nothing can be added or changed afterwards.",
	Submitted: "The evidence is handed in. The payer's bank decides now.", OnItsWay: "It is on its way. Look again in a moment.",
	Accept: "Accept the chargeback", AcceptTitle: "Accept this chargeback", AcceptText: "You tell the payer's bank that the payer is right. No evidence is handed in, and the dispute ends.",
	AcceptWhat: func(amount string) string {
		return "The payer keeps " + amount + ", and the merchant pays it for good."
	},
	AcceptOnce: "This cannot be undone. The chargeback fee stays.", Accepted: "The chargeback is accepted.", Keep: "Accept and give the money back",
	OffRight: func(when string) string {
		return "A response is due " + when + ". Your role can view disputes but not respond to them."
	},
	OffOver: "The day by which to answer has passed.",
	Money:   "Amounts", Disputed: "Disputed", Released: "Released", Fee: "Fee", Effect: "Effect on the balance", FeesText: "A fee is not given back, however a dispute ends.",
	Held: "Held until it is decided", NoMoney: "No money moves unless it becomes a chargeback.",
	Details: "Details", Charge: "Charge", Timeline: "Timeline",
	JSON: "JSON", JSONText: "What the API says of this dispute.", ID: "Dispute", Network: "Processor's id",
	Respond: "Answer by", SubmittedAt: "Handed in", Escalated: "Became a chargeback", Closed: "Ended",
	Happened: map[string]string{"dispute.created": "Opened", "dispute.updated": "Changed", "dispute.accepted": "Accepted", "dispute.won": "Won",
		"dispute.lost": "Lost", "dispute.closed": "Closed", "draft": "Draft saved", "submitted": "Evidence handed in", "escalated": "Became a chargeback"},
	CallSent: "Answer sent to the processor", CallWaits: "Answer sent; none came back yet",
	NoEvidence: "No evidence was submitted.", NoEvidenceYet: "No evidence has been submitted yet.",
	DueTitle:   func(when string) string { return "Answer this " + when },
	WaitingFor: func(organization string) string { return "Waiting for " + organization },
	DueTexts: map[string]string{"chargeback": "Submit evidence, or accept the chargeback. Without a response, it is lost.",
		"retrieval": "Submit the documents that the payer's bank asks for. Without them, the bank may open a chargeback."},
	LateTitle:       "The time to answer has run out",
	ReviewingTitles: map[string]string{"chargeback": "The payer's bank decides now", "retrieval": "The payer's bank is reviewing your documents"},
	ReviewingText:   "There is nothing to do until it has.",
	WonTitle:        "You won", WonText: "What was held is available again.", LostTitle: "You lost", LostText: "The money went back to the payer.",
	AcceptedTitle: "You accepted", AcceptedText: "The money went back to the payer.",
	ClosedTitle: "The bank's question is answered", ClosedText: "No money moved.",
	TooManyFiles: "There are ten files. Remove one first.", FileLarge: "A file may have 5 MB. Choose a smaller one.", FileNone: "Choose a file.",
	Added: "The file is added.", Removed: "The file is removed from the evidence.",
}

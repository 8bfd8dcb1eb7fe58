package text

// RefundFailedLater is what an entry of a timeline is called of a refund that failed after it had succeeded: its event
// is another one's, too.
const RefundFailedLater = "refund.failed.later"

// Charge are the texts of the page about one charge, and of what can be done with it.
type Charge struct {
	To                                      func(payer, merchant string) string
	Timeline, Fees, FeesNone                string
	FeesText                                string
	Fee, Rule, Base, Amount, AllFees        string
	Each                                    func(amount string) string
	Share                                   func(rate string) string
	JSON, JSONText, JSONLabel               string
	Amounts                                 string
	Authorized, Captured, Refunded, Waiting string
	Returned, Lost, Held                    string
	Net, Left                               string
	Lines                                   func(n int) string
	Details, ID, Created, Method            string
	CardFacts                               func(funding, country string) string
	Fundings                                map[string]string
	ExpMonth                                func(month, year int) string
	Checks, Code, Address, Zip              string
	Results                                 map[string]string
	Available, Capturable                   string
	Token, Network, Reference, Suffix       string
	// What the processor answered.
	ProcessorID, ProcessorCode, AuthorizationCode string
	ExternalID, Description, Origin               string
	Origins                                       map[string]string
	Recurring                                     string
	StoredCredentials                             map[string]string
	Payer, Name, Email, Phone, Billing, Others    string
	Metadata                                      string
	MadeBy, Request, ByKey                        string
	Related, Merchant                             string
	RefundOf, DisputeOf                           func(amount string) string
	NotNow                                        string
	FailedTitle, ReturnedTitle, ProcessingTitle   string
	ProcessingText                                string
	Advice                                        map[string]string
	ReturnedText                                  func(code string) string
	// by the kind of the dispute: of the amount, and of the day
	DisputedTitles, DisputedTexts          map[string]func(string) string
	VoidedFor                              string
	Happenings                             map[string]string
	Sources                                map[string]string
	FeesPosted                             string
	Key, Changed, Failure, Event, Answered string
	States                                 map[string]string
	Schedules                              string
	Webhook                                string
	WebhookOf                              func(host, outcome string) string
	WebhookFailed                          func(host string) string
	Deliveries                             map[string]string
	DisputeFees                            string
}

var chargeEnglish = Charge{
	To:       func(payer, merchant string) string { return payer + " to " + merchant },
	Timeline: "Timeline", Fees: "Fees", FeesNone: "No fees yet",
	FeesText: "Based on the fee schedule at each step. Fees aren’t returned on refunds or voids.",
	Fee:      "Fee", Rule: "Rule", Base: "Base", Amount: "Amount", AllFees: "All fees",
	Each:  func(amount string) string { return amount + " each" },
	Share: func(rate string) string { return rate + " of base" },
	JSON:  "JSON", JSONText: "API object", JSONLabel: "The object as JSON",
	Amounts: "Amounts", Authorized: "Authorized", Captured: "Captured", Refunded: "Refunded",
	Waiting:  "Pending refunds",
	Returned: "Returned by the bank", Lost: "Lost disputes", Held: "Held for open disputes", Net: "Net",
	Left:    "Net excluding pending amounts",
	Lines:   func(n int) string { return plural(n, "line", "lines") },
	Details: "Details", ID: "Charge", Created: "Created", Method: "Method",
	CardFacts: func(funding, country string) string { return funding + ", " + country },
	Fundings:  map[string]string{"credit": "Credit", "debit": "Debit", "prepaid": "Prepaid", "unknown": "Card"},
	ExpMonth: func(month, year int) string {
		return "Expires " + string(rune('0'+month/10)) + string(rune('0'+month%10)) + "/" + group(int64(year), "")
	},
	Checks: "Checks", Code: "Security code", Address: "Address", Zip: "Postal code",
	Results:   map[string]string{"pass": "matches", "fail": "does not match", "unavailable": "not checked"},
	Available: "Available", Capturable: "Capture by",
	Token: "Token", Network: "Network transaction", Reference: "Our reference", ProcessorID: "Processor ID",
	ProcessorCode: "Processor code", AuthorizationCode: "Authorization code", Suffix: "Statement descriptor",
	ExternalID: "External ID", Description: "Description", Origin: "Origin",
	Origins:   map[string]string{"ecommerce": "Online", "moto": "Mail or telephone", "terminal": "Card reader"},
	Recurring: "Recurring",
	StoredCredentials: map[string]string{"initial": "First in a series", "recurring": "In a series",
		"unscheduled": "Saved method, one-off", "none": "Not saved"},
	Payer: "Payer", Name: "Name", Email: "Email", Phone: "Telephone", Billing: "Address",
	Others: "All charges from this payer", Metadata: "Metadata",
	MadeBy: "Created by", Request: "Request", ByKey: "Secret key",
	Related: "Related", Merchant: "Merchant",
	RefundOf:  func(amount string) string { return "Refund of " + amount },
	DisputeOf: func(amount string) string { return "Dispute of " + amount },
	NotNow:    "Unavailable actions",

	FailedTitle: "This charge failed", ReturnedTitle: "The payer’s bank returned this payment",
	ProcessingTitle: "Waiting for the processor",
	ProcessingText:  "We’ll keep checking until we get a result. The payer won’t be charged twice.",
	Advice: map[string]string{"use_another_method": "The payer can try another card or account.",
		"check_the_details": "Ask the payer to check their details.",
		"try_again_later":   "Try again later."},
	ReturnedText: func(code string) string { return "Return code " + code + ". The merchant’s balance was debited." },
	DisputedTitles: map[string]func(string) string{
		"chargeback": func(amount string) string { return "The payer disputes " + amount },
		"retrieval":  func(amount string) string { return "The payer’s bank asks about " + amount },
	},
	DisputedTexts: map[string]func(string) string{
		"chargeback": func(day string) string {
			return "A response is due by " + day + ". Without one, the chargeback is lost."
		},
		"retrieval": func(day string) string {
			return "Documents are due by " + day + ". Without them, the bank may open a chargeback."
		},
	},
	VoidedFor: "Void reason",
	Happenings: map[string]string{
		"charge.created": "Created", "charge.authorized": "Authorized", "charge.captured": "Captured",
		"charge.pending": "Submitted to the bank",
		"charge.settled": "Settled", "charge.failed": "Failed", "charge.voided": "Voided",
		"charge.expired":  "Authorization expired",
		"charge.returned": "Returned by the bank", "charge.refunded": "Refunded", "charge.updated": "Updated",
		"refund.created": "Refund requested", "refund.updated": "Refund sent", "refund.succeeded": "Refund succeeded",
		"refund.failed": "Refund failed", RefundFailedLater: "Refund failed, money returned to the balance",
		"refund.canceled": "Refund canceled",
		"dispute.created": "Disputed", "dispute.updated": "Dispute updated", "dispute.accepted": "Dispute accepted",
		"dispute.won":  "Dispute won",
		"dispute.lost": "Dispute lost", "dispute.closed": "Dispute closed",
		"payout.created": "Included in payout", "payout.paid": "Payout arrived", "payout.failed": "Payout failed",
		"payout.returned": "Payout returned",
		"call.authorize":  "Authorization sent to the processor", "call.debit": "Debit sent to the processor",
		"call.capture": "Capture sent to the processor",
		"call.void":    "Void sent to the processor", "call.refund": "Refund sent to the processor",
		"call.payout":  "Payout sent to the processor",
		"call.respond": "Evidence sent to the processor", "call.reverse": "Reversal sent to the processor",
	},
	Sources:    map[string]string{"api": "by the application", "portal": "in the portal", "job": "automatically"},
	FeesPosted: "Fees posted",
	Key:        "Idempotency key", Changed: "Changed", Failure: "Failure", Event: "Event", Answered: "State",
	States: map[string]string{"open": "no response yet", "approved": "approved", "declined": "declined",
		"not_submitted": "not received"},
	Schedules:     "Merchant fees",
	Webhook:       "Webhook",
	WebhookOf:     func(host, outcome string) string { return host + ": " + outcome },
	WebhookFailed: func(host string) string { return "Webhook not delivered to " + host },
	DisputeFees:   "Fees of disputes",
	Deliveries: map[string]string{"pending": "pending", "succeeded": "delivered", "failed": "failed",
		"canceled": "canceled"},
}

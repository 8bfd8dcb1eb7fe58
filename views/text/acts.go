package text

// Acts are the texts of what can be done with a charge: refund, capture, void.
type Acts struct {
	Refund, Capture, Void                 string
	Left                                  func(amount, charge, payer string) string
	Amount, AmountHint                    string
	BadAmount                             string
	AtMost                                func(amount string) string
	Full, Half                            string
	Reason, AnyReason                     string
	Reasons                               map[string]string
	Note, NoteHint                        string
	PayerGets                             func(amount, method string) string
	Days, DaysBank, Waits                 string
	FeesStay                              func(fees string) string
	NoFees                                string
	BalanceAfter                          func(merchant, amount string) string
	Press                                 func(amount string) string
	NotRefunded                           string
	Stale                                 string
	StaleText                             func(left string) string
	SentAlready, UnderWay                 string
	Refunded                              func(amount string) string
	RefundWaits, RefundAsked, RefundFails string
	See                                   string

	NothingLeft, NotCaptured, NotRefundable string
	WholeDisputed                           string
	CaptureOver, NotCapturable              string
	VoidCaptured, NotVoidable               string

	CaptureText                     func(amount, until string) string
	CaptureHint, CapturePress       string
	CapturedDone, NotDone, Unknown  string
	VoidText, VoidReason, VoidPress string
	VoidHint, VoidedDone            string
}

var actsEnglish = Acts{
	Refund: "Refund", Capture: "Capture", Void: "Void",
	Left: func(amount, charge, payer string) string {
		return "Up to " + amount + " of the " + charge + " charge from " + payer + " can be refunded."
	},
	Amount: "Amount", AmountHint: "Refund all or part. You can refund the rest later.",
	BadAmount: "Enter an amount, such as 25.00.",
	AtMost:    func(amount string) string { return "You can refund up to " + amount + "." },
	Full:      "Full", Half: "50%",
	Reason: "Reason", AnyReason: "No reason",
	Reasons: map[string]string{"duplicate": "Duplicate", "fraudulent": "Fraud",
		"requested_by_payer": "Requested by payer", "other": "Other"},
	Note: "Note", NoteHint: "Internal only. The payer won’t see this.",
	PayerGets:    func(amount, method string) string { return "The payer gets " + amount + " back on " + method + "." },
	Days:         "Refunds usually take 5–10 days to arrive.",
	DaysBank:     "Refunds usually take 3–5 business days to arrive.",
	Waits:        "We’ll send it once the bank debit settles. You can cancel until then.",
	FeesStay:     func(fees string) string { return "Fees of " + fees + " aren’t returned." },
	NoFees:       "Refunds have no fee.",
	BalanceAfter: func(merchant, amount string) string { return merchant + "’s balance will be " + amount + "." },
	Press:        func(amount string) string { return "Refund " + amount },
	NotRefunded:  "Refund not sent",
	Stale:        "This charge just changed",
	StaleText: func(left string) string {
		return left + " can still be refunded. Review your amount and try again."
	},
	SentAlready: "You’ve already submitted this refund with different details. Check this charge’s refunds first.",
	UnderWay:    "Refund in progress",
	Refunded:    func(amount string) string { return amount + " refunded" },
	RefundWaits: "We’ll send the refund once the bank debit settles.",
	RefundAsked: "Waiting for the processor. We’ll keep checking.",
	RefundFails: "The processor declined the refund. No money was returned.",
	See:         "View refund",

	NothingLeft: "Fully refunded", NotCaptured: "Not captured yet. Void it instead.",
	NotRefundable: "There’s nothing to refund.", WholeDisputed: "The remaining amount is disputed.",
	CaptureOver:   "The 7-day authorization expired. Charge the token again.",
	NotCapturable: "Only an authorized charge can be captured.",
	VoidCaptured:  "Already captured. Issue a refund instead.", NotVoidable: "There’s nothing left to void.",

	CaptureText:  func(amount, until string) string { return amount + " is authorized until " + until + "." },
	CaptureHint:  "Capture once, in full or in part. Any remainder is released to the payer.",
	CapturePress: "Capture", CapturedDone: "Charge captured", NotDone: "Charge not changed",
	Unknown:    "Waiting for the processor. We’ll keep checking.",
	VoidText:   "Releases the hold on the payer’s funds. The authorization fee still applies. This can’t be undone.",
	VoidReason: "Reason", VoidHint: "Shown on the charge and in webhooks.", VoidPress: "Void charge",
	VoidedDone: "Charge voided",
}

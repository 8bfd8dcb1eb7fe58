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
	Meanwhile                             string
	MeanwhileText                         func(left string) string
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
		return amount + " is left of the charge of " + charge + " by " + payer + "."
	},
	Amount: "Amount", AmountHint: "Some of it now and more later is possible.",
	BadAmount: "Write an amount, such as 25.00.",
	AtMost:    func(amount string) string { return "At most " + amount + " can be given back." },
	Full:      "Full", Half: "50 %",
	Reason: "Reason", AnyReason: "None in particular",
	Reasons: map[string]string{"duplicate": "Paid twice", "fraudulent": "Fraud", "requested_by_payer": "The payer asked for it", "other": "Something else"},
	Note:    "Note", NoteHint: "For your colleagues and the application. The payer does not see it.",
	PayerGets: func(amount, method string) string { return "The payer gets " + amount + " back on " + method + "." },
	Days:      "It takes 5 to 10 days to arrive.", DaysBank: "It takes 3 to 5 business days to arrive.",
	Waits:        "It waits until the bank debit has settled, and can be canceled until then.",
	FeesStay:     func(fees string) string { return "Fees of " + fees + " are not returned." },
	NoFees:       "A refund costs no fee.",
	BalanceAfter: func(merchant, amount string) string { return merchant + " has a balance of " + amount + " after it." },
	Press:        func(amount string) string { return "Refund " + amount },
	NotRefunded:  "Nothing was refunded",
	Meanwhile:    "Meanwhile something else became of this charge",
	MeanwhileText: func(left string) string {
		return left + " is left of it now. What you typed is still here: look at it again before you send it."
	},
	SentAlready: "This form was sent already, with something else in it. Look at the refunds of this charge before you send it again.",
	UnderWay:    "This refund is under way.",
	Refunded:    func(amount string) string { return amount + " is refunded." },
	RefundWaits: "The refund waits until the bank debit has settled.", RefundAsked: "The processor has not answered yet. It is asked again by itself.",
	RefundFails: "The processor refused the refund. Nothing was given back.",
	See:         "See it",

	NothingLeft: "All of it has been given back.", NotCaptured: "Nothing has been captured. Void it instead.",
	NotRefundable: "Nothing was taken that could be given back.", WholeDisputed: "What is left of it is disputed. The dispute decides.",
	CaptureOver: "Its seven days are over. The application can charge the token again.", NotCapturable: "Only an authorized charge can be captured.",
	VoidCaptured: "What was captured goes back by a refund.", NotVoidable: "There is nothing left to void.",

	CaptureText:  func(amount, until string) string { return amount + " is authorized, until " + until + "." },
	CaptureHint:  "Once, all or a part. The rest goes back to the payer at once.",
	CapturePress: "Capture", CapturedDone: "The charge is captured.", NotDone: "Nothing was changed",
	Unknown:    "The processor has not answered yet. It is asked again by itself.",
	VoidText:   "The payer’s money is released, and nothing is taken. The authorization fee stays. This cannot be undone.",
	VoidReason: "Reason", VoidHint: "Stands on the charge, and in what the application is told.", VoidPress: "Void the charge", VoidedDone: "The charge is voided.",
}

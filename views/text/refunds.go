package text

// Refunds are the texts of the pages of refunds.
type Refunds struct {
	Title, Text, Search                                 string
	Status, Amount, Created, Merchant, Reason           string
	Payer, By                                           string
	EmptyTitle, EmptyText, ToCharges                    string
	Count, Succeeded, Pending, Failed                   string
	Shown                                               func(n int) string
	Statuses                                            map[string]string
	WaitsFor                                            string
	ByKey                                               func(name string) string
	InPortal, ByProgram                                 string
	Of                                                  func(payer, merchant string) string
	Details, ID, External, Note, Reference, SucceededAt string
	NoReason                                            string
	WaitsTitle, WaitsText                               string
	FailedTitle, FailedAt, MoneyBack                    string
	AskedTitle, AskedText, Disputed                     string
	Cancel, CancelText, CancelPress, Canceled, Kept     string
	NotCanceled                                         string
	Again                                               string
	StartedBy                                           string
	ChargeLink                                          func(amount string) string
}

var refundsEnglish = Refunds{
	Title: "Refunds", Text: "All refunds, newest first", Search: "Refund, charge, or external ID",
	Status: "Status", Amount: "Amount", Created: "Created", Merchant: "Merchant", Reason: "Reason",
	Payer: "Payer", By: "Started by",
	EmptyTitle: "No refunds yet", EmptyText: "Refunds appear here. To create one, open a charge or use the API.",
	ToCharges: "Go to charges",
	Count:     "Refunds", Succeeded: "Refunded", Pending: "Pending", Failed: "Failed or canceled",
	Shown: func(n int) string { return onPage(n, "refund", "refunds") },
	Statuses: map[string]string{"pending": "Pending", "succeeded": "Succeeded", "failed": "Failed",
		"canceled": "Canceled"},
	WaitsFor: "waits for the charge to settle",
	ByKey:    func(name string) string { return "Key “" + name + "”" },
	InPortal: "Portal", ByProgram: "API",
	Of:      func(payer, merchant string) string { return "To " + payer + ", from " + merchant },
	Details: "Details", ID: "Refund", External: "External ID", Note: "Note", Reference: "Our reference",
	SucceededAt: "Succeeded", NoReason: "None given",
	WaitsTitle:  "Waiting for the charge to settle",
	WaitsText:   "We’ll send this refund once the bank debit settles, or cancel it if the debit fails. You can cancel it until then.",
	FailedTitle: "This refund failed", FailedAt: "Failed", MoneyBack: "the money is back in the balance",
	Disputed: refundDisputed, AskedTitle: "Waiting for the processor",
	AskedText: "We’ll keep checking until we get a result. The refund won’t be sent twice.",
	Cancel:    "Cancel refund", CancelText: "No money has moved yet. You can refund this amount again later.",
	CancelPress: "Cancel refund", Canceled: "Refund canceled", Kept: "Keep refund", NotCanceled: "Refund not canceled",
	Again:      "Refund again",
	StartedBy:  "Started by",
	ChargeLink: func(amount string) string { return "Charge of " + amount },
}

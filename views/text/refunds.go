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
	FailedTitle                                         string
	AskedTitle, AskedText                               string
	Cancel, CancelText, CancelPress, Canceled, Kept     string
	NotCanceled                                         string
	Again                                               string
	StartedBy                                           string
	ChargeLink                                          func(amount string) string
}

var refundsEnglish = Refunds{
	Title: "Refunds", Text: "What was given back to payers, the newest first.", Search: "Id of a refund or a charge, or an external id",
	Status: "Status", Amount: "Amount", Created: "Created", Merchant: "Merchant", Reason: "Reason",
	Payer: "Payer", By: "Started by",
	EmptyTitle: "No refunds yet", EmptyText: "A refund is started on the page of its charge, or by an application through the API.", ToCharges: "Go to charges",
	Count: "Refunds", Succeeded: "Given back", Pending: "On their way", Failed: "Failed or canceled",
	Shown:    func(n int) string { return onPage(n, "refund", "refunds") },
	Statuses: map[string]string{"pending": "Pending", "succeeded": "Succeeded", "failed": "Failed", "canceled": "Canceled"},
	WaitsFor: "waits for the charge to settle",
	ByKey:    func(name string) string { return "Key “" + name + "”" },
	InPortal: "In the portal", ByProgram: "By the application",
	Of:      func(payer, merchant string) string { return "To " + payer + ", from " + merchant },
	Details: "Details", ID: "Refund", External: "External id", Note: "Note", Reference: "Reference at the processor", SucceededAt: "Succeeded",
	NoReason:   "None given",
	WaitsTitle: "This refund waits for its charge", WaitsText: "The bank debit has not settled. The refund is sent when it has, and canceled if it fails. Until then it can be taken back.",
	FailedTitle: "This refund failed",
	AskedTitle:  "The processor has not answered yet", AskedText: "It is asked again by itself until it is known what became of this refund. Nothing is sent twice.",
	Cancel: "Cancel refund", CancelText: "Nothing has been given back yet. The amount can be refunded again afterwards.", CancelPress: "Cancel the refund",
	Canceled: "The refund is canceled.", Kept: "Keep it", NotCanceled: "The refund was not canceled",
	Again:      "Refund again",
	StartedBy:  "Started by",
	ChargeLink: func(amount string) string { return "Charge of " + amount },
}

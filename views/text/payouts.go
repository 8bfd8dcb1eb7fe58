package text

// Payouts are the texts of the pages about payouts.
type Payouts struct {
	Title, Text                               string
	Statuses                                  map[string]string
	Merchant, Amount, Status, Arrives, Made   string
	Contents, Bank                            string
	Shown                                     func(n int) string
	MadeOf                                    func(charges, refunds int) string
	EmptyTitle, EmptyText                     string
	Row                                       func(amount, merchant string) string
	To                                        func(bank, last4 string) string
	Equation, EquationText, Paid              string
	Kinds                                     map[string]string // what moves money
	Entry                                     func(n int) string
	Entries, EntriesText, OnlyThese, AllThese string
	Kind, Charge, Posted                      string
	Reconcile                                 string
	Details, Timeline, JSON, JSONText, ID     string
	Period, Descriptor, Reference             string
	Started, Arrived, Failed, Returned        string
	Failures                                  map[string]string
	FailedText, PausedText                    string
	Code, Balances, Pause                     string
}

var payoutsEnglish = Payouts{
	Title: "Payouts", Text: "What merchants were owed, sent to their banks. Made by themselves, on each merchant's schedule.",
	Statuses: map[string]string{"processing": "On its way", "paid": "Paid", "failed": "Failed", "returned": "Returned"},
	Merchant: "Merchant", Amount: "Amount", Status: "Status", Arrives: "Arrives", Made: "Made",
	Contents: "Made of", Bank: "Bank account",
	Shown: func(n int) string { return onPage(n, "payout", "payouts") },
	MadeOf: func(charges, refunds int) string {
		if refunds == 0 {
			return plural(charges, "charge", "charges")
		}
		return plural(charges, "charge", "charges") + ", " + plural(refunds, "refund", "refunds")
	},
	EmptyTitle: "No payouts yet", EmptyText: "The first is made on the merchant's next payout day, once money is available and its bank account is verified.",
	Row:      func(amount, merchant string) string { return "the payout of " + amount + " to " + merchant },
	To:       func(bank, last4 string) string { return bank + " ···· " + last4 },
	Equation: "How it adds up", EquationText: "Every entry of the ledger that this payout took, to the cent.", Paid: "Payout",
	Kinds: map[string]string{"capture": "Card charges", "debit": "Bank debits", "debit_reversed": "Bank debits taken back", "return": "Bank debits returned",
		"refund": "Refunds", "chargeback": "Chargebacks, held", "chargeback_won": "Chargebacks won", "chargeback_lost": "Chargebacks lost",
		"payout": "Payouts", "payout_paid": "Payouts arrived", "payout_failed": "Payouts that failed", "payout_returned": "Payouts that came back",
		"payout_corrected": "Payouts corrected"},
	Entry:   func(n int) string { return plural(n, "entry", "entries") },
	Entries: "Entries", EntriesText: "What the ledger has of this payout, the latest first.", OnlyThese: "Show these entries", AllThese: "Show all entries",
	Kind: "Kind", Charge: "Charge", Posted: "Posted",
	Reconcile: "Reconciliation CSV",
	Details:   "Details", Timeline: "Timeline", JSON: "JSON", JSONText: "What the API says of this payout.", ID: "Payout",
	Period: "Entries posted", Descriptor: "On the bank statement", Reference: "Reference",
	Started: "Sent to the processor", Arrived: "Arrived", Failed: "Failed", Returned: "Came back",
	Failures: map[string]string{"payout_declined": "The processor did not accept it", "not_submitted": "It was never sent", "bank_refused": "The bank refused it",
		"bank_returned": "The bank sent it back"},
	FailedText: "The money is available again.", PausedText: "Payouts of this merchant are paused until they are resumed.", Code: "Return code",
	Balances: "Balances and statements", Pause: "Look at the merchant's payouts",
}

// Balances are the texts of the pages about what merchants are owed, month by month.
type Balances struct {
	Title, Text                             string
	Merchant, Total                         string
	Accounts, AccountTexts                  map[string]string
	EmptyTitle, EmptyText                   string
	Of                                      func(merchant string) string
	OfText                                  string
	Months, MonthsText, Month, Statement    string
	Invoice, SoFar, Complete                string
	StatementOf, InvoiceOf                  func(month string) string
	Opening, Closing, Groups                string
	GroupNames                              map[string]string
	CSV, PDF, NoLines, PayoutsIn            string
	Zone                                    func(zone string) string
	Donations, Fee, Rate, Donation          string
	Due, Credit, Corrections, NoDonations   string
	Kinds                                   map[string]string
	TrackingID, InvoiceText, When, Entry    string
	StatementSheet, InvoiceSheet, Completed string
}

var balancesEnglish = Balances{
	Title: "Balances", Text: "What each merchant is owed at this moment.",
	Merchant: "Merchant", Total: "Total",
	Accounts: map[string]string{"pending": "Pending", "available": "Available", "reserved": "Reserved", "in_transit": "In transit"},
	AccountTexts: map[string]string{"pending": "Paid, not yet settled", "available": "Goes out with the next payout", "reserved": "Held for disputes",
		"in_transit": "On its way to the bank"},
	EmptyTitle: "No merchants yet", EmptyText: "Every merchant has a balance from its first charge on.",
	Of:     func(merchant string) string { return merchant + ": balance" },
	OfText: "What the merchant is owed at this moment, and what each month brought.",
	Months: "Months", MonthsText: "By the merchant's time zone.", Month: "Month", Statement: "Statement",
	Invoice: "DAF invoice", SoFar: "So far", Complete: "Complete",
	StatementOf: func(month string) string { return "Statement of " + month }, InvoiceOf: func(month string) string { return "DAF invoice of " + month },
	Opening: "Opening balance", Closing: "Closing balance", Groups: "What happened",
	GroupNames: map[string]string{"charges": "Charges", "refunds": "Refunds", "fees": "Fees", "chargebacks": "Chargebacks", "returns": "Returns",
		"payouts": "Payouts", "adjustments": "Adjustments"},
	CSV: "CSV", PDF: "PDF", NoLines: "Nothing moved in this month.", PayoutsIn: "Payouts of this month",
	Zone:      func(zone string) string { return "Days by " + zone + "." },
	Donations: "Donations", Fee: "Fee", Rate: "Rate", Donation: "Donation",
	Due: "Due to the service", Credit: "Credited to the merchant", Corrections: "Taken back", NoDonations: "No donation was completed in this month.",
	Kinds:      map[string]string{"daf_percentage": "Completed", "daf_percentage_reversed": "Taken back"},
	TrackingID: "Tracking id", InvoiceText: "What the merchant owes the service for donations that were completed.", When: "Booked", Entry: "What",
	StatementSheet: "statement", InvoiceSheet: "daf-invoice", Completed: "Fees of completed donations",
}

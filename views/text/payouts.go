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
	Title: "Payouts", Text: "Transfers to merchants’ bank accounts, sent automatically on each merchant’s schedule",
	Statuses: map[string]string{"processing": "In transit", "paid": "Paid", "failed": "Failed", "returned": "Returned"},
	Merchant: "Merchant", Amount: "Amount", Status: "Status", Arrives: "Arrives", Made: "Created",
	Contents: "Includes", Bank: "Bank account",
	Shown: func(n int) string { return onPage(n, "payout", "payouts") },
	MadeOf: func(charges, refunds int) string {
		if refunds == 0 {
			return plural(charges, "charge", "charges")
		}
		return plural(charges, "charge", "charges") + ", " + plural(refunds, "refund", "refunds")
	},
	EmptyTitle: "No payouts yet",
	EmptyText:  "Payouts start on the merchant’s next payout day, once funds are available and its bank account is verified.",
	Row:        func(amount, merchant string) string { return "the payout of " + amount + " to " + merchant },
	To:         func(bank, last4 string) string { return bank + " ···· " + last4 },
	Equation:   "Payout breakdown", EquationText: "Every balance entry in this payout", Paid: "Payout",
	Kinds: map[string]string{"capture": "Card charges", "debit": "Bank debits",
		"debit_reversed": "Reversed bank debits", "return": "Returned bank debits",
		"refund": "Refunds", "refund_failed": "Failed refunds", "chargeback": "Held chargebacks",
		"chargeback_won": "Won chargebacks", "chargeback_lost": "Lost chargebacks",
		"payout": "Payouts", "payout_paid": "Arrived payouts", "payout_failed": "Failed payouts",
		"payout_returned":  "Returned payouts",
		"payout_corrected": "Corrected payouts"},
	Entry:   func(n int) string { return plural(n, "entry", "entries") },
	Entries: "Entries", EntriesText: "Balance entries, newest first", OnlyThese: "Show these entries",
	AllThese: "Show all entries", Kind: "Kind", Charge: "Charge", Posted: "Posted",
	Reconcile: "Reconciliation CSV",
	Details:   "Details", Timeline: "Timeline", JSON: "JSON", JSONText: "API object", ID: "Payout",
	Period: "Entries posted", Descriptor: "On the bank statement", Reference: "Our reference",
	Started: "Sent to the processor", Arrived: "Arrived", Failed: "Failed", Returned: "Returned",
	Failures: map[string]string{"payout_declined": "The processor declined it",
		"balance_too_low":       "The balance at the processor was too low",
		"bank_account_mismatch": "The processor has a different bank account", "not_submitted": "It was never sent",
		"bank_refused":  "The bank declined it",
		"bank_returned": "The bank returned it"},
	FailedText: "The funds are back in the available balance.",
	PausedText: "Payouts are paused. Resume them on the merchant’s payouts page.", Code: "Return code",
	Balances: "Balances and statements", Pause: "View merchant payouts",
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
	SeeStatement, SeeInvoice                string
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
	Title: "Balances", Text: "Current balance for each merchant",
	Merchant: "Merchant", Total: "Total",
	Accounts: map[string]string{"pending": "Pending", "available": "Available", "reserved": "Reserved",
		"in_transit": "In transit"},
	AccountTexts: map[string]string{"pending": "Captured, not settled yet", "available": "Included in the next payout",
		"reserved":   "Held for disputes",
		"in_transit": "In transit to bank"},
	EmptyTitle: "No merchants yet", EmptyText: "A merchant has a balance from its first charge.",
	Of:     func(merchant string) string { return merchant + " balance" },
	OfText: "Current balance and monthly statements",
	Months: "Monthly statements", MonthsText: "In the merchant’s time zone", Month: "Month", Statement: "Statement",
	SeeStatement: "View statement", SeeInvoice: "View invoice",
	Invoice: "DAF invoice", SoFar: "In progress", Complete: "Final",
	StatementOf: func(month string) string { return month + " statement" }, InvoiceOf: func(month string) string {
		return month + " DAF invoice"
	},
	Opening: "Opening balance", Closing: "Closing balance", Groups: "Activity",
	GroupNames: map[string]string{"charges": "Charges", "refunds": "Refunds", "fees": "Fees",
		"chargebacks": "Chargebacks", "returns": "Returns",
		"payouts": "Payouts", "adjustments": "Adjustments"},
	CSV: "CSV", PDF: "PDF", NoLines: "No activity this month", PayoutsIn: "Payouts this month",
	Zone:      func(zone string) string { return "Dates in " + zone },
	Donations: "Donations", Fee: "Fee", Rate: "Rate", Donation: "Donation",
	Due: "Due to SvcPay", Credit: "Credited to the merchant", Corrections: "Reversed",
	NoDonations: "No completed donations this month",
	Kinds:       map[string]string{"daf_percentage": "Completed", "daf_percentage_reversed": "Reversed"},
	TrackingID:  "Tracking ID", InvoiceText: "Service fees on completed donations", When: "Posted", Entry: "Type",
	StatementSheet: "statement", InvoiceSheet: "daf-invoice", Completed: "Fees for completed donations",
}

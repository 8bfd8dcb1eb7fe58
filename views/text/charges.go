package text

// Charges are the texts of the list of charges and of what is said of them elsewhere.
type Charges struct {
	Title, Text                                   string
	Search                                        string
	Status, Method, Amount, Created, Merchant     string
	Recurring, Once                               string
	Metadata, MetadataHint, Pair                  string
	Currency, Payer                               string
	EmptyTitle, EmptyText                         string
	Count, Captured, Refunded, Returned, Disputed string
	Fees, Net                                     string
	Over                                          string // more than are added up at once
	AddUp, TooMany                                string
	BadAmount                                     string
	Shown                                         func(n int) string
	NoName                                        string
	Statuses                                      map[string]string
	Types                                         map[string]string
	Brands                                        map[string]string
	Wallets                                       map[string]string
	Accounts                                      map[string]string
	Digits                                        func(name, last4 string) string
	RefundedSome, DisputedSome, RefundPending     func(amount string) string
	RefundedAll                                   string
}

var chargesEnglish = Charges{
	Title: "Charges", Text: "All payment attempts, newest first",
	Search: "Search by email, last 4 digits, or ID",
	Status: "Status", Method: "Method", Amount: "Amount", Created: "Created", Merchant: "Merchant",
	Recurring: "Recurring", Once: "Not recurring",
	Metadata: "Metadata", MetadataHint: "key: value, for example campaign: spring",
	Pair:     "Enter a name, a colon, and a value.",
	Currency: "Currency", Payer: "Payer",
	EmptyTitle: "No charges yet", EmptyText: "Charges created through the API show up here.",
	Count: "Charges", Captured: "Captured", Refunded: "Refunded", Returned: "Returned", Disputed: "Disputed",
	Fees: "Fees", Net: "Net",
	Over: "1,000+", AddUp: "Calculate totals", TooMany: "Too many charges to total. Narrow the date range.",
	BadAmount: "Enter an amount, such as 1,250.00.",
	Shown:     func(n int) string { return onPage(n, "charge", "charges") },
	NoName:    "No name",
	Statuses: map[string]string{"processing": "Processing", "authorized": "Authorized", "captured": "Captured",
		"pending": "Pending", "settled": "Settled",
		"voided": "Voided", "expired": "Expired", "failed": "Failed", "returned": "Returned"},
	Types: map[string]string{"cc": "Card or wallet", "ach": "US bank account", "acss": "Canadian bank account"},
	Brands: map[string]string{"visa": "Visa", "mastercard": "Mastercard", "amex": "Amex", "discover": "Discover",
		"jcb":         "JCB",
		"diners_club": "Diners Club", "none": "Card"},
	Wallets:       map[string]string{"wallet_a": "Wallet A", "wallet_b": "Wallet B"},
	Accounts:      map[string]string{"checking": "Checking account", "savings": "Savings account"},
	Digits:        func(name, last4 string) string { return name + " ···· " + last4 },
	RefundedSome:  func(amount string) string { return amount + " refunded" },
	DisputedSome:  func(amount string) string { return amount + " disputed" },
	RefundPending: func(amount string) string { return "refund of " + amount + " pending" },
	RefundedAll:   "refunded",
}

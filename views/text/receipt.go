package text

// Receipt are the texts of receipts: what payers read of a payment, and the dialog that sends one.
type Receipt struct {
	// what payers read
	Subject                     func(merchant string) string
	Thanks                      func(merchant, amount string) string
	Attached, Title             string
	Note                        func(merchant, descriptor string) string
	File                        func(charge string) string
	Paid, Refunded, Total       string
	Date, Method, Payer, Number string
	Statement                   func(descriptor string) string
	Nonprofit                   func(merchant, ein string) string
	Sandbox, Waits              string
	NoLetters                   func(mark string) string
	// the dialog
	Receipt, Send, SendText, Email     string
	Press, Open, Done, NotSent, NoMail string
	NoAddress, AddressHint             string
	SentTo                             func(email string) string
	SentTitle                          string
}

var receiptEnglish = Receipt{
	Subject: func(merchant string) string { return "Your receipt from " + merchant },
	Thanks: func(merchant, amount string) string {
		return "Thank you. " + merchant + " received your payment of " + amount + "."
	},
	Attached: "The receipt is attached as a PDF file.", Title: "Receipt",
	Note: func(merchant, descriptor string) string {
		return "You get this mail because somebody at " + merchant + " sent you the receipt of a payment. It is on your statement as " + descriptor + "."
	},
	File: func(charge string) string { return "receipt-" + charge + ".pdf" },
	Paid: "Paid", Refunded: "Refunded", Total: "Total",
	Date: "Date", Method: "Paid with", Payer: "Paid by", Number: "Receipt number",
	Statement: func(descriptor string) string { return "On your statement: " + descriptor },
	Nonprofit: func(merchant, ein string) string { return merchant + " is a nonprofit organization, EIN " + ein + "." },
	Sandbox:   "Sandbox: no money was moved.", Waits: "The bank debit has been handed in and is not settled yet.",
	NoLetters: func(mark string) string {
		return "“" + mark + "” replaces a character that this document cannot display."
	},
	Receipt: "Receipt", Send: "Send a receipt", SendText: "The payer gets a mail in the merchant’s name, with the receipt as a PDF file.",
	Email: "E-mail address of the payer",
	Press: "Send receipt", Open: "Open the PDF", Done: "The receipt is on its way.", NotSent: "The receipt was not sent",
	NoMail:    "This deployment sends no mails. The PDF can be given to the payer.",
	NoAddress: "The payer gave no address: enter where it goes.", AddressHint: "The one that the payer told you.",
	SentTo: func(email string) string { return "To " + email }, SentTitle: "Receipt sent",
}

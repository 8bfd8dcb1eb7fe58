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
		return "Thank you! " + merchant + " received your " + amount + " payment."
	},
	Attached: "Your receipt is attached as a PDF.", Title: "Receipt",
	Note: func(merchant, descriptor string) string {
		return "You’re receiving this email because " + merchant +
			" sent you a receipt. The payment appears on your statement as " + descriptor + "."
	},
	File: func(charge string) string { return "receipt-" + charge + ".pdf" },
	Paid: "Paid", Refunded: "Refunded", Total: "Total",
	Date: "Date", Method: "Paid with", Payer: "Paid by", Number: "Receipt number",
	Statement: func(descriptor string) string { return "On your statement: " + descriptor },
	Nonprofit: func(merchant, ein string) string { return merchant + " is a nonprofit organization, EIN " + ein + "." },
	Sandbox:   "Sandbox receipt: no money was moved.", Waits: "Your bank payment is processing and hasn’t cleared yet.",
	NoLetters: func(mark string) string {
		return "“" + mark + "” replaces a character that this document cannot display."
	},
	Receipt: "Receipt", Send: "Send receipt",
	SendText: "We’ll email the receipt PDF to the payer on the merchant’s behalf.",
	Email:    "Payer’s email address",
	Press:    "Send receipt", Open: "Open PDF", Done: "Receipt sent", NotSent: "Receipt not sent",
	NoMail:    "Email isn’t set up. Download the PDF and share it with the payer.",
	NoAddress: "No email on file. Enter an address.", AddressHint: "The address the payer gave you",
	SentTo: func(email string) string { return "To " + email }, SentTitle: "Receipt sent",
}

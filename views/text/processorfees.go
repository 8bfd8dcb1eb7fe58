package text

// ProcessorFees are the texts of the table of what processor accounts cost.
type ProcessorFees struct {
	Title, Text                              string
	Month, Account, Charged, Refunded, Total string
}

var processorFeesEnglish = ProcessorFees{
	Title: "Processor fees",
	Text:  "What processors charged for all accounts of this application in the last 12 months, by month in UTC. Updated daily.",
	Month: "Month", Account: "Account", Charged: "Charged", Refunded: "Refunded", Total: "Total",
}

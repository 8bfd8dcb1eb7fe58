package text

// Inbound are the texts of the page of what counterparties report.
type Inbound struct {
	Title, Text                    string
	Sources, SourcesText           string
	Source, Read, Noticed, Refused string
	Waiting, Oldest, State         string
	Never, Nothing                 string
	OnTime, Behind, NotRead        string
	Retrying                       func(n int) string
	Unread                         func(name string) string
	NoSources, NoSourcesText       string
	Failed, FailedText             string
	Message, Account, Failure      string
	Attempts, Received             string
	NoneFailed, NoneFailedText     string
	Kinds                          map[string]string // of counterparties, by the first word of the inbox's name
}

var inboundEnglish = Inbound{
	Title: "Inbound messages", Text: "Messages from processors and fund providers",
	Sources: "Sources", SourcesText: "Feeds are read every second. Times are up to 30 seconds old.",
	Source: "Source", Read: "Feed last read", Noticed: "Last webhook", Refused: "Last rejected", Waiting: "Waiting",
	Oldest: "Oldest since", State: "State", Never: "Never", Nothing: "–",
	OnTime: "On time", Behind: "Behind", NotRead: "Can’t read feed",
	Retrying:  func(n int) string { return plural(n, "message", "messages") + " failing" },
	Unread:    func(name string) string { return "We can’t read the feed of " + name },
	NoSources: "No sources yet", NoSourcesText: "No server has read a feed on this database yet.",
	Failed: "Failed messages", FailedText: "Retried every few minutes until they succeed",
	Message: "Message", Account: "Account", Failure: "Error", Attempts: "Attempts", Received: "Received",
	NoneFailed: "No failed messages", NoneFailedText: "Messages that can’t be processed appear here with the reason.",
	Kinds: map[string]string{"processor": "Processor", "daf": "DAF provider"},
}

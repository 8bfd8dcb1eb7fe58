package text

// System are the texts of the page for those who run the service.
type System struct {
	Title, Text                                string
	Well, WellText, Late, LateText             string
	Differences                                func(n int) string
	DifferencesText                            string
	Queues, QueuesText, Queue, Waiting, Oldest string
	Names, Notes                               map[string]string // of the queues
	Nothing                                    string
	Jobs, JobsText, Job, Runs, Failed, Last    string
	NoJobs, NoJobsText, Never                  string
	OnTime, Behind                             string
	Applications, ApplicationsText             string
	Application, ID, Merchants, Keys, Since    string
	Here, Work                                 string
	Rates, SeeRates                            string
	Add, AddText, Name, NameHint               string
	Added                                      func(name string) string
	File, FileText, NoFile, NoFileText         string
	Install, InstallText, Content, ContentHint string
}

var systemEnglish = System{
	Title: "System", Text: "How the service does, and what runs on it.",
	Well: "Everything is on time", WellText: "No queue is behind, and the books agree.",
	Late: "Something is behind", LateText: "Look at the queues and jobs below that are marked, then at the log of the service.",
	Differences:     func(n int) string { return plural(n, "difference", "differences") + " between the books" },
	DifferencesText: "The reconciliation found them and nobody has cleared them up.",
	Queues:          "Queues", QueuesText: "Work that waits now.", Queue: "Queue", Waiting: "Waiting", Oldest: "First since",
	Names: map[string]string{"operations": "Outcomes to find out", "inbound": "Events of counterparties", "events": "Events without a number",
		"deliveries": "Webhooks that are due", "exports": "Exports", "mails": "Mails"},
	Notes: map[string]string{"operations": "Calls to processors and funds whose answer was lost", "inbound": "What they told and is not taken in yet",
		"events": "They go to applications once they have one", "deliveries": "First attempts and repetitions", "exports": "Files that are being written", "mails": "On their way to the mail server"},
	Nothing: "–",
	Jobs:    "Jobs", JobsText: "Runs of the last ten minutes, by all servers.", Job: "Job", Runs: "Runs", Failed: "Failed", Last: "Last done",
	NoJobs: "No job has run", NoJobsText: "No server works on this database, or it has just started.", Never: "Not yet",
	OnTime: "On time", Behind: "Behind",
	Applications: "Applications", ApplicationsText: "Programs that use the service. Choose one to work in it.",
	Application: "Application", ID: "X-App-ID", Merchants: "Merchants", Keys: "Secret keys", Since: "Since",
	Here: "You work here", Work: "Work here", Rates: "Service rates", SeeRates: "See rates",
	Add: "Add an application", AddText: "It begins without keys and merchants: invite its administrator, who makes both.",
	Name: "Name", NameHint: "As its people know it.",
	Added: func(name string) string { return name + " is there. Choose it to make its keys." },
	File:  "Association file of wallet A", FileText: "Every website that shows wallet A hosts this very text.",
	NoFile: "No file yet", NoFileText: "Without it no domain can be verified.",
	Install: "Replace file", InstallText: "Websites that serve the current file have to replace it, too. You can compare both files before anything changes.",
	Content: "Content", ContentHint: "Exactly as the wallet provider supplied it: a JSON object, or its hexadecimal digits.",
}

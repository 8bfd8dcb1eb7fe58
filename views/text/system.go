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
	Inbound                                    string
}

var systemEnglish = System{
	Title: "System", Text: "Service health, jobs, and applications",
	Well: "All systems operational", WellText: "Queues are current and the ledger is balanced.",
	Late: "Some work is delayed", LateText: "Check the flagged queues and jobs below, then the service logs.",
	Differences:     func(n int) string { return plural(n, "mismatch", "mismatches") + " in reconciliation" },
	DifferencesText: "Found during reconciliation and not resolved yet.",
	Queues:          "Queues", QueuesText: "Pending work", Queue: "Queue", Waiting: "Waiting", Oldest: "Oldest since",
	Names: map[string]string{"operations": "Unknown outcomes", "inbound": "Inbound messages",
		"events":     "Unsequenced events",
		"deliveries": "Webhook deliveries", "exports": "Exports", "mails": "Emails"},
	Notes: map[string]string{"operations": "Calls to processors and funds without a known result",
		"inbound": "Reported by processors and fund providers, not processed yet",
		"events":  "Sent to applications once sequenced", "deliveries": "First attempts and retries",
		"exports": "Files being created", "mails": "Waiting for the mail server"},
	Nothing: "–",
	Jobs:    "Jobs", JobsText: "Last 10 minutes, all servers", Job: "Job", Runs: "Runs", Failed: "Failed",
	Last:   "Last run",
	NoJobs: "No jobs yet", NoJobsText: "No server is running on this database, or it just started.",
	Never: "Not yet", OnTime: "On time", Behind: "Behind",
	Applications: "Applications", ApplicationsText: "Platforms that use SvcPay. Switch to one to work in it.",
	Application: "Application", ID: "X-App-ID", Merchants: "Merchants", Keys: "Secret keys", Since: "Since",
	Here: "Current", Work: "Switch", Rates: "Service rates", SeeRates: "See rates",
	Add: "Add an application", AddText: "It starts empty. Invite an administrator to create keys and merchants.",
	Name: "Name", NameHint: "The name its team will see",
	Added: func(name string) string { return name + " added. Switch to it to create API keys." },
	File:  "Wallet A association file", FileText: "Every site that shows Wallet A must host this file.",
	NoFile: "No file yet", NoFileText: "Domains can’t be verified without it.",
	Install:     "Replace file",
	InstallText: "Sites that host the current file must update it. You can compare both files before anything changes.",
	Inbound:     "Inbound messages", Content: "Content",
	ContentHint: "Paste the file exactly as Wallet A provided it: a JSON object or its hexadecimal digits.",
}

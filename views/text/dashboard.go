package text

// Dashboard are the texts of the home page of whoever works with an application.
type Dashboard struct {
	Text                                    func(place string) string
	Show                                    func(currency string) string
	Attention, Nothing, NothingText         string
	AnswerDispute                           func(amount string) string
	DisputeWaits                            func(amount, organization string) string
	MoreDisputes                            func(n int) string
	WebhookFails, WebhookPaused             func(host string) string
	FailsSince                              func(day string) string
	PayoutsPaused                           func(merchant string) string
	MorePaused                              string
	PausedReasons                           map[string]string
	Resume                                  string
	ResumeWaits                             func(organization string) string
	RefundFailed                            func(amount string) string
	Volume, SuccessRate, Net, Refunds       string
	Disputes, NextPayout                    string
	Than, NoThan, Over                      string
	OfCharges                               func(failed, decided int64) string
	RefundCount, DisputeCount               func(n int64) string
	AfterAll, NoneOpen, NoPayout            string
	OnDay                                   func(day string) string
	VolumeChart, VolumeText, Last, Before   string
	CountChart, CountText, Captured, Failed string
	Day                                     string
	Checklist                               string
	Done                                    func(done, all int) string
	MakeKey, MakeCharge, AddEndpoint        string
	InviteColleague, AddBank                string
	MakeChargeNote, AddBankNote             string
	SeeCharge, SeeChargeNote                string
	EnrollDAF, EnrollDAFNote                string
	NoFees                                  func(n int) string
	NoFeesNote                              string
}

var dashboardEnglish = Dashboard{
	Text:      func(place string) string { return place + ", the last 30 days." },
	Show:      func(currency string) string { return "Show " + currency },
	Attention: "Needs attention", Nothing: "Nothing waits for you", NothingText: "Open disputes, failing webhooks, paused payouts and failed refunds appear here.",
	AnswerDispute: func(amount string) string { return "Respond to the dispute of " + amount },
	DisputeWaits: func(amount, organization string) string {
		return "Dispute of " + amount + " is waiting for " + organization
	},
	MoreDisputes:  func(n int) string { return plural(n, "more dispute needs", "more disputes need") + " a response" },
	WebhookFails:  func(host string) string { return "Webhook to " + host + " is failing" },
	WebhookPaused: func(host string) string { return "Webhook to " + host + " is paused" },
	FailsSince:    func(day string) string { return "Since " + day },
	MorePaused:    "More merchants whose payouts are paused",
	PayoutsPaused: func(merchant string) string { return "Payouts of " + merchant + " are paused" },
	PausedReasons: map[string]string{"payout_failed": "A payout failed.", "payout_returned": "The bank returned a payout."},
	Resume:        "Check the bank account, then resume payouts.",
	ResumeWaits: func(organization string) string {
		return "Waiting for an administrator of " + organization + " to resume payouts."
	},
	NoFees:       func(n int) string { return plural(n, "merchant pays no fees", "merchants pay no fees") },
	NoFeesNote:   "The application has no fee defaults. Set them, then the fees of these merchants.",
	RefundFailed: func(amount string) string { return "A refund of " + amount + " failed" },
	Volume:       "Volume", SuccessRate: "Success rate", Net: "Net", Refunds: "Refunds", Disputes: "Open disputes", NextPayout: "Next payout",
	Than: "vs. previous 30 days", NoThan: "Not enough earlier data to compare", Over: "> ",
	OfCharges: func(failed, decided int64) string {
		return group(failed, ",") + " of " + group(decided, ",") + " failed"
	},
	RefundCount:  func(n int64) string { return plural(int(n), "refund", "refunds") },
	DisputeCount: func(n int64) string { return plural(int(n), "dispute needs", "disputes need") + " a response" },
	AfterAll:     "After refunds, disputes and fees", NoneOpen: "None need a response", NoPayout: "Nothing is available yet",
	OnDay:       func(day string) string { return "On " + day },
	VolumeChart: "Volume a day", VolumeText: "What was captured each day.", Last: "Last 30 days", Before: "30 days before",
	CountChart: "Charges a day", CountText: "How many a day, and how many of them failed.", Captured: "Approved", Failed: "Failed",
	Day:       "Day",
	Checklist: "Getting started",
	Done: func(done, all int) string {
		return group(int64(done), ",") + " of " + group(int64(all), ",") + " steps are done."
	},
	MakeKey: "Make a secret key for your server", MakeCharge: "Take a first payment", AddEndpoint: "Add a webhook endpoint",
	InviteColleague: "Invite a colleague", AddBank: "Add a bank account for payouts",
	MakeChargeNote: "Applications create charges through the API.", AddBankNote: "Money that is available waits until there is one.",
	SeeCharge: "See a first payment", SeeChargeNote: "Your application takes payments; they appear among the charges.",
	EnrollDAF: "Enroll in DAF Pay", EnrollDAFNote: "Then donors can give from their donor-advised funds.",
}

package text

// Dashboard are the texts of the home page of anyone who works with an application.
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
	Text:      func(place string) string { return place + " · Last 30 days" },
	Show:      func(currency string) string { return "Show " + currency },
	Attention: "Needs attention", Nothing: "You’re all caught up",
	NothingText:   "Disputes, failing webhooks, paused payouts, and failed refunds that need you will show up here.",
	AnswerDispute: func(amount string) string { return "Respond to " + amount + " dispute" },
	DisputeWaits: func(amount, organization string) string {
		return amount + " dispute is waiting for " + organization
	},
	MoreDisputes:  func(n int) string { return plural(n, "more dispute needs", "more disputes need") + " a response" },
	WebhookFails:  func(host string) string { return "Webhook to " + host + " is failing" },
	WebhookPaused: func(host string) string { return "Webhook to " + host + " is paused" },
	FailsSince:    func(day string) string { return "Since " + day },
	MorePaused:    "More merchants with paused payouts",
	PayoutsPaused: func(merchant string) string { return "Payouts to " + merchant + " are paused" },
	PausedReasons: map[string]string{"payout_failed": "A payout failed.",
		"payout_returned": "The bank returned a payout."},
	Resume: "Check the bank account, then resume payouts.",
	ResumeWaits: func(organization string) string {
		return "Waiting for an administrator of " + organization + " to resume payouts."
	},
	NoFees:       func(n int) string { return plural(n, "merchant pays no fees", "merchants pay no fees") },
	NoFeesNote:   "Set your default fees, then the fees of these merchants.",
	RefundFailed: func(amount string) string { return amount + " refund failed" },
	Volume:       "Volume", SuccessRate: "Success rate", Net: "Net", Refunds: "Refunds", Disputes: "Open disputes",
	NextPayout: "Next payout", Than: "vs. previous 30 days", NoThan: "Not enough earlier data to compare", Over: "> ",
	OfCharges: func(failed, decided int64) string {
		if decided == 0 {
			return "No charges yet"
		}
		return group(failed, ",") + " of " + group(decided, ",") + " failed"
	},
	RefundCount:  func(n int64) string { return plural(int(n), "refund", "refunds") },
	DisputeCount: func(n int64) string { return plural(int(n), "dispute needs", "disputes need") + " a response" },
	AfterAll:     "After refunds, disputes, and fees", NoneOpen: "None need a response",
	NoPayout:    "No funds available yet",
	OnDay:       func(day string) string { return "On " + day },
	VolumeChart: "Daily volume", VolumeText: "Amount captured per day", Last: "Last 30 days",
	Before:     "Previous 30 days",
	CountChart: "Charges per day", CountText: "Approved and failed charges per day", Captured: "Approved",
	Failed: "Failed", Day: "Day", Checklist: "Getting started",
	Done: func(done, all int) string {
		return group(int64(done), ",") + " of " + group(int64(all), ",") + " steps complete"
	},
	MakeKey: "Create a secret key for your server", MakeCharge: "Take your first payment",
	AddEndpoint:     "Add a webhook endpoint",
	InviteColleague: "Invite a colleague", AddBank: "Add a bank account for payouts",
	MakeChargeNote: "Applications create charges through the API.",
	AddBankNote:    "Payouts start once a bank account is verified.",
	SeeCharge:      "See your first payment", SeeChargeNote: "Payments from your application show up under Charges.",
	EnrollDAF: "Enroll in DAF Pay", EnrollDAFNote: "Let donors give from their donor-advised funds.",
}

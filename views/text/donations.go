package text

import "strconv"

// Donations are the texts of the pages about donations from donor-advised funds.
type Donations struct {
	Title, Text                            string
	Statuses, Kinds, KindTexts             map[string]string
	Donor, Amount, Status, Fund, Merchant  string
	Created, Kind, Tracking, Search        string
	NoTracking, Nobody, Anonymous          string
	Shown                                  func(n int) string
	EmptyTitle, EmptyText, EmptyLink       string
	Set, SetMany, SetText, Change          string
	SetOf                                  func(amount, donor string) string
	SetTitle                               func(n int) string
	Picked, Skipped                        func(n int, sum string) string
	SkippedText, OffOne                    string
	ChooseRows                             func(most int) string
	Unconfirmed, Confirmed                 string
	ReceivedOn, ReceivedOnHint             string
	CheckNumber, CheckNumberHint           string
	Note, NoteHint                         string
	Save                                   string
	Problems, Changed, ChangedText         string
	Choose, NotADay, NoneChosen            string
	Done                                   func(n int, status string) string
	Stayed                                 func(n int, status string) string
	Refused                                func(n int) string
	RefusedOne                             func(amount, donor, why string) string
	Undone                                 func(n int) string
	NotUndone                              func(n int) string
	OffUnknown, OffSettled, OffRight, Gone string
	Row                                    func(amount, donor string) string
	Amounts, Given, Fees, Net              string
	FeeNames                               map[string]string
	Rule                                   func(rate string) string
	Fee, RuleTitle, Base, AllFees          string
	FeesText, NoFees                       string
	Timeline, Details, JSON, JSONText      string
	By                                     map[string]string // who changed a status, if no person and no key did
	Sent, SentWaits, Noted                 string
	Taken                                  string
	ID, ExternalID, Grant, Provider, Email string
	FromDonor, Request                     string
	MadeBy                                 string
}

var donationsEnglish = Donations{
	Title: "Donations", Text: "Grants from donor-advised funds, paid to the merchant by check or transfer",
	Statuses: map[string]string{"unknown": "Unknown", "initiated": "Initiated", "canceled": "Canceled",
		"completed": "Completed"},
	Kinds: map[string]string{"integrated": "Integrated", "nonintegrated": "Not integrated"},
	KindTexts: map[string]string{"integrated": "Status updates automatically",
		"nonintegrated": "Update the status manually"},
	Donor: "Donor", Amount: "Amount", Status: "Status", Fund: "Fund", Merchant: "Merchant",
	Created: "Created", Kind: "Kind", Tracking: "Tracking ID", Search: "Tracking ID, email, or donation ID",
	NoTracking: "No tracking ID", Nobody: "Unnamed donor", Anonymous: "Anonymous",
	Shown:      func(n int) string { return onPage(n, "donation", "donations") },
	EmptyTitle: "No donations yet", EmptyText: "Donations show up here once a donor gives through DAF Pay.",
	EmptyLink: "How DAF Pay works",
	Set:       "Set status", SetMany: "Set status",
	SetText: "Your name and what you enter are shown in the history of each donation.", Change: "Change",
	SetOf: func(amount, donor string) string { return amount + " from " + donor },
	SetTitle: func(n int) string {
		return "Set the status of " + plural(n, "donation", "donations")
	},
	Picked: func(n int, sum string) string { return plural(n, "donation", "donations") + " · " + sum },
	Skipped: func(n int, sum string) string {
		verb := " are skipped"
		if n == 1 {
			verb = " is skipped"
		}
		return plural(n, "integrated donation", "integrated donations") + verb + " · " + sum
	},
	SkippedText: "Their provider reports when they are completed. Select one only if you know its status better than the provider.",
	OffOne:      "The provider hasn’t accepted this grant yet or has canceled it, so its status can’t be changed.",
	ChooseRows:  func(most int) string { return "Select 1 to " + strconv.Itoa(most) + " donations." },
	Unconfirmed: "This fund isn’t integrated, so update the status yourself.",
	Confirmed:   "The provider updates this automatically. Only override it if you’re sure.",
	ReceivedOn:  "Date received", ReceivedOnHint: "Date the check or transfer arrived",
	CheckNumber: "Check number", CheckNumberHint: "Or the transfer reference",
	Note: "Note", NoteHint: "Internal only. The donor won’t see this.",
	Save:     "Save status",
	Problems: "Status not changed", Changed: "Someone else just updated this donation",
	ChangedText: "Here’s the latest version. Your changes are below; save again to apply them.",
	Choose:      "Choose a status.", NotADay: "Enter a day, such as 2026-03-02.",
	NoneChosen: "Select donations in the list first.",
	Done: func(n int, status string) string {
		if n == 1 {
			return "The donation is marked as " + status + "."
		}
		return group(int64(n), ",") + " donations are marked as " + status + "."
	},
	Stayed: func(n int, status string) string {
		return plural(n, "donation was already", "donations were already") + " marked as " + status + "."
	},
	Refused: func(n int) string { return plural(n, "donation wasn’t changed", "donations weren’t changed") },
	RefusedOne: func(amount, donor, why string) string {
		return amount + " from " + donor + ": " + why
	},
	Undone: func(n int) string { return plural(n, "donation restored", "donations restored") },
	NotUndone: func(n int) string {
		return plural(n, "donation has newer changes and wasn’t restored.",
			"donations have newer changes and weren’t restored.")
	},
	Gone:       "One of these donations no longer exists.",
	OffUnknown: "We don’t know yet whether the provider accepted this grant. You can set the status once we do.",
	OffSettled: "The provider canceled this grant. Only the provider can change that.",
	OffRight:   "You can view the status but not change it.",
	Row:        func(amount, donor string) string { return "the donation of " + amount + " from " + donor },
	Amounts:    "Amounts", Given: "Donation", Fees: "Fees", Net: "Net",
	FeeNames: map[string]string{"daf_percentage": "Service", "daf_provider_percentage": "Provider"},
	Rule:     func(rate string) string { return rate + " of the donation" },
	Fee:      "Fee", RuleTitle: "Rule", Base: "Base", AllFees: "All fees",
	FeesText: "Set when the donation was created and due when it completes. The provider deducts its fee; ours is invoiced monthly.",
	NoFees:   "No fees for funds that aren’t integrated",
	Timeline: "Timeline", Details: "Details", JSON: "JSON", JSONText: "API object",
	By:   map[string]string{"api": "API", "portal": "Portal", "provider": "Provider"},
	Sent: "Sent to the provider", SentWaits: "Sent to the provider; no response yet",
	Noted: "Details changed", Taken: "Accepted by provider",
	ID: "Donation", ExternalID: "External ID", Grant: "Grant ID", Provider: "Provider", Email: "Email",
	FromDonor: "Donor note", Request: "Request", MadeBy: "Created by",
}

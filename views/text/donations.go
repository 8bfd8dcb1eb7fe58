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
	Title: "Donations", Text: "Grants from donor-advised funds. The money comes to the merchant by check or transfer, not by payout.",
	Statuses:  map[string]string{"unknown": "Unknown", "initiated": "Initiated", "canceled": "Canceled", "completed": "Completed"},
	Kinds:     map[string]string{"integrated": "Integrated", "nonintegrated": "Not integrated"},
	KindTexts: map[string]string{"integrated": "The fund tells what becomes of it", "nonintegrated": "Nobody tells; set the status by hand"},
	Donor:     "Donor", Amount: "Amount", Status: "Status", Fund: "Fund", Merchant: "Merchant",
	Created: "Created", Kind: "Kind", Tracking: "Tracking id", Search: "Tracking id, e-mail or id",
	NoTracking: "No tracking id", Nobody: "A donor without a name", Anonymous: "Asks not to be named",
	Shown:      func(n int) string { return onPage(n, "donation", "donations") },
	EmptyTitle: "No donations yet", EmptyText: "A donation appears here when a donor has chosen a fund in DAF Pay and your application has recorded it.",
	EmptyLink: "How DAF Pay works",
	Set:       "Set status", SetMany: "Set status", SetText: "Your name and what you enter are shown in the history of each donation.", Change: "Change",
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
	OffOne:      "The provider has not decided on this grant, or has canceled it. Its status can't be set.",
	ChooseRows:  func(most int) string { return "Select 1 to " + strconv.Itoa(most) + " donations." },
	Unconfirmed: "Nobody confirms this one: the fund is not integrated. Set it when you know.",
	Confirmed:   "The provider tells when it is completed. Set it by hand only if you know better.",
	ReceivedOn:  "Date received", ReceivedOnHint: "When the check or transfer came.",
	CheckNumber: "Check number", CheckNumberHint: "Or the reference of the transfer.",
	Note: "Note", NoteHint: "For your colleagues and your application; the donor does not see it.",
	Save:     "Save status",
	Problems: "Nothing was changed", Changed: "Somebody changed this donation meanwhile",
	ChangedText: "It is shown as it is now. What you entered is kept below: save it again if it still holds.",
	Choose:      "Choose a status.", NotADay: "Enter a day, such as 2026-03-02.", NoneChosen: "Select donations in the list first.",
	Done: func(n int, status string) string {
		if n == 1 {
			return "The donation is marked as " + status + "."
		}
		return group(int64(n), ",") + " donations are marked as " + status + "."
	},
	Stayed: func(n int, status string) string {
		return plural(n, "was", "were") + " marked as " + status + " already."
	},
	Refused: func(n int) string { return plural(n, "donation stays as it was", "donations stay as they were") },
	RefusedOne: func(amount, donor, why string) string {
		return amount + " from " + donor + ": " + why
	},
	Undone:     func(n int) string { return plural(n, "donation is", "donations are") + " as before." },
	NotUndone:  func(n int) string { return plural(n, "was", "were") + " changed since and stays so." },
	Gone:       "One of them is not there any more.",
	OffUnknown: "It is not known yet whether the provider took this grant. The status can be set when it is.",
	OffSettled: "The provider canceled this grant. Only the provider can change that.",
	OffRight:   "Your role may see the status, not set it.",
	Row:        func(amount, donor string) string { return "the donation of " + amount + " from " + donor },
	Amounts:    "Amounts", Given: "Donation", Fees: "Fees", Net: "Net",
	FeeNames: map[string]string{"daf_percentage": "Service", "daf_provider_percentage": "Provider"},
	Rule:     func(rate string) string { return rate + " of the donation" },
	Fee:      "Fee", RuleTitle: "Rule", Base: "Base", AllFees: "All fees",
	FeesText: "Fixed when the donation was made; owed once it is completed. The provider keeps its own, the service's is invoiced each month.",
	NoFees:   "A donation of a fund that is not integrated costs nothing.",
	Timeline: "Timeline", Details: "Details", JSON: "JSON", JSONText: "What the API says of this donation.",
	By:   map[string]string{"api": "API", "portal": "Portal", "provider": "Provider"},
	Sent: "Sent to the provider", SentWaits: "Sent to the provider; no answer yet",
	Noted: "Details changed", Taken: "Taken by the provider",
	ID: "Donation", ExternalID: "Your id", Grant: "Grant of the fund", Provider: "Provider", Email: "E-mail",
	FromDonor: "The donor's words", Request: "Request", MadeBy: "Made by",
}

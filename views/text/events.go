package text

// Events are the texts of the pages about events.
type Events struct {
	Title, Text, EmptyTitle, EmptyText string
	Event, About, Sequence, Source     string
	When, Merchant, Search             string
	Sources                            map[string]string
	Shown                              func(n int) string
	Changed, ChangedText, Object       string
	Deliveries, DeliveriesText         string
	NoDeliveries, Details, ID          string
	Resend                             string
	ResentTo                           func(n int) string
	ResentNone                         string
	Test                               string
}

var eventsEnglish = Events{
	Title: "Events", Text: "A log of every change in your account",
	EmptyTitle: "No events yet", EmptyText: "Events appear when you create a charge, refund, or merchant.",
	Event: "Event", About: "Object", Sequence: "Sequence", Source: "Source", When: "When", Merchant: "Merchant",
	Search: "Object or event ID", Sources: map[string]string{"api": "API", "portal": "Portal", "job": "Automatic"},
	Shown:   func(n int) string { return onPage(n, "event", "events") },
	Changed: "What changed", ChangedText: "Previous and new values", Object: "Event",
	Deliveries: "Deliveries", DeliveriesText: "To your endpoints", NoDeliveries: "Not sent to any endpoint",
	Details: "Details", ID: "ID",
	Resend:     "Resend",
	ResentTo:   func(n int) string { return "Resending to " + plural(n, "endpoint", "endpoints") },
	ResentNone: "No enabled endpoint is subscribed to this event.", Test: "Test",
}

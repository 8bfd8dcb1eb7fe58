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
	Title: "Events", Text: "Every change of an object, in order. Endpoints hear of them as they happen.",
	EmptyTitle: "No events yet", EmptyText: "The first charge, merchant or refund makes some.",
	Event: "Event", About: "About", Sequence: "Number", Source: "Came from", When: "When", Merchant: "Merchant", Search: "Id of an object or an event",
	Sources: map[string]string{"api": "A request", "portal": "The portal", "job": "It happened by itself"},
	Shown:   func(n int) string { return onPage(n, "event", "events") },
	Changed: "What changed", ChangedText: "Former values beside those of now.", Object: "The event",
	Deliveries: "Deliveries", DeliveriesText: "To your endpoints.", NoDeliveries: "No endpoint wanted it.",
	Details: "Details", ID: "Id",
	Resend:     "Send again",
	ResentTo:   func(n int) string { return "The event is on its way to " + plural(n, "endpoint", "endpoints") + "." },
	ResentNone: "No enabled endpoint wants this event.", Test: "A test",
}

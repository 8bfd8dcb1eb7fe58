package api

import (
	"slices"

	"svcpay/internal/event"
)

// docsEvents is the types of events about one kind of object.
type docsEvents struct {
	Object string
	Types  []event.Type
}

// eventsPage is made of the catalogue of events.
func eventsPage() docsContent {
	return docsContent{path: "/docs/events", title: "Events", section: "events", content: "docs_events.html",
		what: eventGroups()}
}

// eventGroups has the types by their objects; ping, which is of no event's kind, comes last on its own.
func eventGroups() []docsEvents {
	var out []docsEvents
	for _, t := range event.Types() {
		object := t.Object
		if t.Name == "ping" {
			object = t.Name
		}
		at := slices.IndexFunc(out, func(g docsEvents) bool { return g.Object == object })
		if at < 0 {
			at, out = len(out), append(out, docsEvents{Object: object})
		}
		out[at].Types = append(out[at].Types, t)
	}
	return out
}

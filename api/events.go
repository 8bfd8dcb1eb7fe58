package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/merchant"
)

func (a *API) eventRoutes() []route {
	return []route{
		{http.MethodGet, "/api/events", "", authz.EventRead, streams, lists(eventList, a.Events.List)},
		{http.MethodGet, "/api/events/:id", "", authz.EventRead, constant, get(a.Events.Get)},
		{http.MethodPost, "/api/events/:id/redeliver", "", authz.EventRedeliver, constant, act(a.Webhooks.Redeliver)},
	}
}

// afterSequence reads events on from a sequence that the caller keeps: 0 is the beginning.
const afterSequence = "after_sequence"

func eventList(q *query) event.ListInput {
	in := event.ListInput{Page: pageOf(q, parseSequence), Created: q.times("created_at"), Types: q.eventTypes("type"),
		Merchants: q.integers("merchant_id"), ObjectID: idIn(q, "object_id", parseAny), Wait: q.wait()}
	text, ok := q.value(afterSequence)
	if !ok {
		return in
	}
	if q.values.Has(endingBefore) || q.values.Has("order") {
		q.fs.Add(afterSequence, "parameters_exclusive",
			"Give after_sequence, which lists events in the order in which they were numbered, or order and ending_before, not both.")
	}
	n, err := parseSequence(text)
	if err != nil && text != "0" {
		q.refuse(afterSequence, "The sequence of an event, or 0.")
	}
	in.Page.After, in.Page.Ascending = max(n, in.Page.After), true // starting_after is where a page before has ended
	return in
}

func parseSequence(text string) (int64, error) {
	if n := positive(text); n > 0 {
		return n, nil
	}
	return 0, strconv.ErrSyntax
}

// eventTypes reads a comma-separated list of names of events and filters that cover some; nil when the
// parameter is absent.
func (q *query) eventTypes(name string) []string {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	filters := strings.Split(text, ",")
	if slices.ContainsFunc(filters, func(f string) bool { return !event.IsFilter(f) }) {
		q.refuse(name, "Names of events, or groups such as charge.*, separated by commas.")
	}
	return filters
}

// wait reads for how many seconds the caller waits for events that are to come.
func (q *query) wait() time.Duration {
	text, ok := q.value("wait")
	if !ok || text == "0" {
		return 0
	}
	n := positive(text)
	if n == 0 || n > int64(event.MaxWait/time.Second) {
		q.refuse("wait", "An integer of seconds from 0 to 20.")
		return 0
	}
	return time.Duration(n) * time.Second
}

// parseAny reads the id of any object that events are about; a merchant's is an integer.
func parseAny(text string) ([16]byte, error) {
	if n := positive(text); n > 0 {
		return merchant.ObjectID(n), nil
	}
	return event.ObjectID(text)
}

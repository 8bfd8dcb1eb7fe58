package event_test

import (
	"regexp"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/event"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

// A list of a span of time reads the events of the span: their numbers are between those of the nearest others, which
// are found by their ids.
func TestASpanOfEventsIsFoundByTheIndexes(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	var sent *pgtest.Sent
	w := fixture.New(t, func(d *assembly.Deps) { d.Pool, sent = pgtest.Watched(t, d.Pool) })
	until := from.AddDate(0, 0, 1)
	if _, err := w.Events.List(t.Context(), w.Actor(), event.ListInput{Page: page.Input[int64]{Limit: 50},
		Created: page.Times{From: &from, Until: &until}}); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.PlanOf(t, w.Pool, sent.Only(t, "FROM events"))
	for _, want := range []string{
		`events_pkey on events [^\n]*\n *Index Cond: \(\(application_id = '1'::bigint\) AND \(id < `,
		`events_pkey on events [^\n]*\n *Index Cond: \(\(application_id = '1'::bigint\) AND \(id >= `,
		`application_id_sequence_key on events [^\n]*\n *Index Cond: \(\(application_id = '1'::bigint\) AND [^\n]*\(sequence > [^\n]*\(sequence < `,
	} {
		if !regexp.MustCompile(want).MatchString(plan) {
			t.Errorf("nothing is as %s in\n%s", want, plan)
		}
	}
}

package event_test

import (
	"regexp"
	"testing"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// A list of a span of time reads the events of the span: their numbers are between those of the nearest others, which
// are found by their ids.
func TestASpanOfEventsIsFoundByTheIndexes(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	plan := pgtest.Plan(t, pgtest.New(t), event.SelectPage+` ORDER BY id DESC LIMIT 51`,
		pg.Args{"application_id": 1, "types": []string(nil),
			"merchants": []int64(nil), "object": nil, "from": from, "until": from.AddDate(0, 0, 1),
			"oldest": ids.FirstEvent(from), "newest": ids.FirstEvent(from.AddDate(0, 0, 1))})
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

package ledger_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

// A list of a span of time reads the entries of the span.
func TestASpanOfEntriesIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	var sent *pgtest.Sent
	w := fixture.New(t, func(d *assembly.Deps) { d.Pool, sent = pgtest.Watched(t, d.Pool) })
	until := from.AddDate(0, 0, 1)
	if _, err := w.Ledger.List(t.Context(), w.Actor(), ledger.ListInput{Page: page.Input[ids.Entry]{Limit: 50},
		Created: page.Times{From: &from, Until: &until}}); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.PlanOf(t, w.Pool, sent.Only(t, "FROM ledger_entries"))
	if !strings.Contains(plan, "Index Cond: ((application_id = '1'::bigint) AND (id >= ") ||
		!strings.Contains(plan, ") AND (id < ") {
		t.Error(plan)
	}
}

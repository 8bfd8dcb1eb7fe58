package token_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/token"
)

// A list of a span of time reads the tokens of the span.
func TestASpanOfTokensIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	var sent *pgtest.Sent
	w := fixture.New(t, func(d *assembly.Deps) { d.Pool, sent = pgtest.Watched(t, d.Pool) })
	until := from.AddDate(0, 0, 1)
	if _, err := w.Tokens.List(t.Context(), w.Actor(), token.ListInput{Page: page.Input[ids.Token]{Limit: 50},
		Created: page.Times{From: &from, Until: &until}}); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.PlanOf(t, w.Pool, sent.Only(t, "FROM tokens"))
	if !strings.Contains(plan, "Index Cond: ((application_id = '1'::bigint) AND (id >= ") ||
		!strings.Contains(plan, ") AND (id < ") {
		t.Error(plan)
	}
}

package token_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/token"
)

// A list of a span of time reads the tokens of the span.
func TestASpanOfTokensIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	none := []string(nil)
	plan := pgtest.Plan(t, pgtest.New(t), token.SelectPage+` ORDER BY id DESC LIMIT 51`,
		pg.Args{"application_id": 1, "statuses": none, "kinds": none,
			"brands": none, "merchants": []int64(nil), "last4": nil, "email": nil, "from": from,
			"until":  from.AddDate(0, 0, 1),
			"oldest": ids.FirstToken(from), "newest": ids.FirstToken(from.AddDate(0, 0, 1))})
	if !strings.Contains(plan, "Index Cond: ((application_id = '1'::bigint) AND (id >= ") ||
		!strings.Contains(plan, ") AND (id < ") {
		t.Error(plan)
	}
}

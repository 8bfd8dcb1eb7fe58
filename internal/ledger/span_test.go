package ledger_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// A list of a span of time reads the entries of the span.
func TestASpanOfEntriesIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	plan := pgtest.Plan(t, pgtest.New(t), ledger.SelectPage+` ORDER BY id DESC LIMIT 51`,
		pg.Args{"application_id": 1, "accounts": ledger.MerchantAccounts(),
			"merchants": []int64(nil), "kinds": []string(nil), "charge": nil, "source": nil, "from": from,
			"until":  from.AddDate(0, 0, 1),
			"oldest": ids.FirstEntry(from), "newest": ids.FirstEntry(from.AddDate(0, 0, 1))})
	if !strings.Contains(plan, "Index Cond: ((application_id = '1'::bigint) AND (id >= ") ||
		!strings.Contains(plan, ") AND (id < ") {
		t.Error(plan)
	}
}

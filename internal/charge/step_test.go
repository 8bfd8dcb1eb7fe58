package charge_test

import (
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// A batch of the sweep reads its charges, and no others of the tables.
func TestASweepFindsItsChargesByTheirKeys(t *testing.T) {
	t.Parallel()
	plan := pgtest.Plan(t, pgtest.New(t), charge.SelectFree,
		pg.Args{"applications": []int64{1, 2}, "charges": []ids.Charge{{}, {}}})
	if !strings.Contains(plan, "Index Cond: ((application_id = unnest.unnest) AND (id = unnest.unnest_1))") ||
		strings.Contains(plan, "Seq Scan") {
		t.Error(plan)
	}
}

package audit_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/pgtest"
)

// What a request did is found by its id, in whichever chains.
func TestEntriesOfARequestAreFoundByTheIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pool, sent := pgtest.Watched(t, w.pool)
	request := ids.NewRequest(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC))
	in := audit.ListInput{Page: page.Input[ids.AuditEntry]{Limit: 8}, RequestID: &request, Chains: []int64{1}}
	if _, err := audit.New(pool, rules(t), w.clock.Now).List(t.Context(), person(1, 1), in); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.PlanOf(t, w.pool, sent.Only(t, "FROM audit_entries"))
	if !strings.Contains(plan, "audit_entries_by_request") || !strings.Contains(plan, "Index Cond: (request_id = ") {
		t.Error(plan)
	}
}

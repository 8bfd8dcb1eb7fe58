package audit_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// What a request did is found by its id, in whichever chains.
func TestEntriesOfARequestAreFoundByTheIndex(t *testing.T) {
	t.Parallel()
	none := []string(nil)
	plan := pgtest.Plan(t, pgtest.New(t), audit.SelectPage+` ORDER BY id DESC LIMIT 9`,
		pg.Args{"chains": []int64{1}, "organization": nil,
			"mine": []int64(nil), "people": []int64(nil), "who": nil, "permissions": none, "outcomes": none,
			"subject": nil, "merchant": nil,
			"request": ids.NewRequest(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)), "from": nil, "until": nil})
	if !strings.Contains(plan, "audit_entries_by_request") || !strings.Contains(plan, "Index Cond: (request_id = ") {
		t.Error(plan)
	}
}

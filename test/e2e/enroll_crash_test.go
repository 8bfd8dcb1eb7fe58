package e2e

import (
	"fmt"
	"strings"
	"testing"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/platform/pg"
)

// enrollmentCrashes are where one run of the command after the other dies.
var enrollmentCrashes = []string{"enrollment.begun:3", "enrollment.called:1", "enrollment.called:5",
	"enrollment.begun:1"}

func enrollmentPoints() (points []string) {
	for _, arm := range enrollmentCrashes {
		point, _, _ := strings.Cut(arm, ":")
		points = append(points, point)
	}
	return points
}

// TestEnrollmentOfEligibleMerchantsSurvivesKills: whatever kills the runs of the command, the last one
// leaves every eligible merchant enrolled, once, with one event.
func TestEnrollmentOfEligibleMerchantsSurvivesKills(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	for i := range 30 {
		a, err := s.api("POST", "/api/merchants",
			map[string]any{"name": fmt.Sprint("Fund ", i), "country": "US", "nonprofit": true,
				"organization_id": p.app.OrganizationID, "ein": fmt.Sprintf("%s%02d", dafsandbox.GoodBlock, i)}, nil)
		if err != nil || a.status != 201 {
			t.Fatalf("%v, %s", err, a)
		}
	}
	s.kill(t)
	env := []string{"DATABASE_URL=" + p.url, "SVCPAY_ENVIRONMENT=sandbox"}
	status, text := launch(t, program, env, "daf", "enroll-eligible").exits(t)
	if status != 0 || !strings.Contains(text, "34         eligible") ||
		value[int64](t, p, `SELECT count(*) FROM daf_enrollments`, pg.Args{}) != 0 {
		t.Fatalf("the dry run: %d\n%s", status, text)
	}
	done := int64(0)
	for _, arm := range enrollmentCrashes {
		if state := launch(t, chaosProgram, append(env, "SVCPAY_CRASH_POINT="+arm), "daf", "enroll-eligible",
			"--apply").ended(t, patience); !killed(state) {
			t.Fatalf("%s: not a kill: %s", arm, state)
		}
		now := value[int64](t, p, `SELECT count(*) FROM merchants WHERE daf_provider_connect_id IS NOT NULL`, pg.Args{})
		t.Logf("%s: %d are enrolled, %d wait", arm, now, value[int64](t, p, `SELECT count(*) FROM daf_enrollments
			WHERE state = 'processing'`, pg.Args{}))
		if now < done || now == 34 {
			t.Errorf("%s: %d are enrolled after %d", arm, now, done)
		}
		done = now
	}
	if status, text = launch(t, program, env, "daf", "enroll-eligible", "--apply").exits(t); status != 0 {
		t.Fatalf("the last run: %d\n%s", status, text)
	}
	for what, sql := range map[string]string{
		"enrolled merchants": `SELECT count(*) FROM merchants WHERE daf_provider_connect_id IS NOT NULL
			AND version = 2`,
		"attempts":     `SELECT count(*) FROM daf_enrollments WHERE state = 'enrolled'`,
		"all attempts": `SELECT count(*) FROM daf_enrollments`,
		"connections":  `SELECT count(*) FROM sandbox_daf_enrollments`,
		"events": `SELECT count(*) FROM events WHERE type = 'merchant.updated'
			AND previous_attributes::jsonb ? 'daf_provider_connect_id'`,
		"references": `SELECT count(*) FROM daf_enrollments e JOIN merchants m ON m.id = e.merchant_id
			JOIN sandbox_daf_enrollments p ON p.connect_id = m.daf_provider_connect_id AND p.ein = e.ein`,
	} {
		if n := value[int64](t, p, sql, pg.Args{}); n != 34 {
			t.Errorf("%d %s, want 34", n, what)
		}
	}
}

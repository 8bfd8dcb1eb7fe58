package e2e

import (
	"net/http"
	"testing"

	"svcpay/internal/platform/pg"
)

func verificationPoints() []string { return []string{"verification.claimed", "verification.called"} }

// TestKillAtEveryPointOfAVerification: whatever point the server dies at, the processor is asked for the deposits of a
// bank account once, and they verify it.
func TestKillAtEveryPointOfAVerification(t *testing.T) {
	t.Parallel()
	for _, point := range verificationPoints() {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+point+":1")
			made, err := s.api("POST", "/api/sandbox/tokens", map[string]any{"test_case": "ach_settles",
				"merchant_id": s.app.Merchants.USQ, "verified": false}, nil)
			if err != nil || made.status != http.StatusCreated {
				t.Fatalf("the token: %v, %s", err, made)
			}
			if state := s.ended(t, patience); !killed(state) {
				t.Fatalf("not a kill: %s", state)
			}
			count := func(from string) int64 { return value[int64](t, p, `SELECT count(*) FROM `+from, pg.Args{}) }
			if n := count(`bank_verifications WHERE status = 'requested'`); n != 1 {
				t.Fatalf("%d verifications are requested", n)
			}
			// Its next try is a minute later.
			value[int64](t, p, `WITH hurried AS (UPDATE bank_verifications SET next_try_at = now() RETURNING 1)
				SELECT count(*) FROM hurried`, pg.Args{})
			s = p.serve(t, program)
			eventually(t, patience, "the deposits",
				func() bool { return count(`bank_verifications WHERE status = 'sent'`) == 1 })
			if n := count(`sandbox_processor_verifications s
				JOIN bank_verifications v USING (processor, reference)`); n != 1 ||
				count(`sandbox_processor_verifications`) != 1 {
				t.Errorf("the processor has %d of %d verifications", n, count(`sandbox_processor_verifications`))
			}
			told, err := s.api("POST", "/api/tokens/"+made.text("id")+"/verify",
				map[string]any{"amounts": []int{32, 45}}, nil)
			if err != nil || told.text("status") != "active" {
				t.Errorf("%v, %s", err, told)
			}
		})
	}
}

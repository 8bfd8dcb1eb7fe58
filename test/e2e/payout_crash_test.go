package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// payoutCrash is one way to die while a merchant is paid out.
type payoutCrash struct {
	arm string // point:hit
	// failed is how many payouts never reached the processor, before one did.
	failed int64
}

var payoutCrashes = []payoutCrash{
	{arm: "payout.claimed:1", failed: 1},
	{arm: "payout.called:1"},
}

// payoutPoints are the points that the rows above crash at.
func payoutPoints() (points []string) {
	for _, c := range payoutCrashes {
		point, _, _ := strings.Cut(c.arm, ":")
		points = append(points, point)
	}
	return points
}

// TestKillAtEveryPointOfAPayout: whatever point the server dies at, the merchant gets its money once.
func TestKillAtEveryPointOfAPayout(t *testing.T) {
	t.Parallel()
	for _, c := range payoutCrashes {
		t.Run(c.arm, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c payoutCrash) run(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+c.arm)
	made, err := s.charge("charge", s.order(s.token(t, approvedCard), 12500))
	if err != nil || made.status != http.StatusCreated {
		t.Fatalf("the charge: %v, %s", err, made)
	}
	count := func(where string) int64 {
		t.Helper()
		return value[int64](t, p, `SELECT count(*) FROM `+where, pg.Args{})
	}
	const week = 7 * 24 * time.Hour // has a business day, whenever it begins
	p.forward(t, week)
	eventually(t, patience, "the settlement", func() bool { return count(`charges WHERE status = 'settled'`) == 1 })
	p.forward(t, week)
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	if n := count(`payouts WHERE status = 'processing'`); n != 1 {
		t.Fatalf("%d payouts are on their way", n)
	}
	_, died := p.serve(t, program), time.Now()
	eventually(t, 90*time.Second, "what became of the payout", func() bool {
		return count(`processor_operations WHERE kind = 'payout' AND state <> 'open'`) == 1
	})
	p.forward(t, week) // to the next run
	eventually(t, patience, "the payout that is sent", func() bool {
		return count(`processor_operations WHERE kind = 'payout' AND state = 'approved'`) == 1
	})
	p.forward(t, week)
	eventually(t, patience, "its arrival", func() bool { return count(`payouts WHERE status = 'paid'`) == 1 })
	t.Logf("%s: paid after %s", c.arm, time.Since(died).Round(time.Millisecond))
	if n := count(`payouts WHERE status = 'failed'`); n != c.failed {
		t.Errorf("%d payouts failed, want %d", n, c.failed)
	}
	for what, from := range payoutInvariants {
		if n := count(from); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
}

// payoutInvariants are what must not be, with one charge that was paid out.
var payoutInvariants = map[string]string{
	"payouts that are not the sum of their entries": `payouts p WHERE p.amount <> (SELECT sum(amount)
		FROM payout_entries e WHERE e.payout_id = p.id)`,
	"payouts that are not the charge less its fees": `payouts p WHERE p.amount <>
		(SELECT amount_captured - fee_total FROM charges)`,
	"entries in two payouts": `(SELECT FROM payout_entries WHERE active
		GROUP BY entry_id HAVING count(*) > 1) twice`,
	"submissions too many": `(SELECT FROM sandbox_processor_book
		WHERE kind = 'payout' OFFSET 1) more`,
	"payouts without one event a version": `payouts p WHERE p.version <> (SELECT count(*) FROM events e
		WHERE e.object_id = p.id)`,
	"merchants whose payouts are paused for our own fall": `merchants WHERE payouts_paused_reason IS NOT NULL`,
	"merchants who are owed or owe": `ledger_balances WHERE account LIKE 'merchant%'
		AND balance <> 0`,
}

// forward moves the application's clock ahead.
func (p *place) forward(t *testing.T, by time.Duration) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), p.pool, `
		INSERT INTO application_clocks AS k (application_id, ahead) VALUES (@application_id, @ahead)
		ON CONFLICT (application_id) DO UPDATE SET ahead = k.ahead + excluded.ahead`,
		pg.Args{"application_id": p.app.AppID, "ahead": by.Microseconds()}); err != nil {
		t.Fatal(err)
	}
}

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// inboundCrashes are ways to die while the processor's feed is read. The feed reports a dispute, and
// two weeks later of its loss.
var inboundCrashes = []string{"inbound.pulled:1", "inbound.pulled:2", "inbound.handled:1", "inbound.handled:2"}

// inboundPoints are the points that these rows crash at.
func inboundPoints() (points []string) {
	for _, arm := range inboundCrashes {
		point, _, _ := strings.Cut(arm, ":")
		points = append(points, point)
	}
	return points
}

// TestKillAtEveryPointOfTheFeed: whatever point the server dies at while it reads what the processor
// tells, each event counts exactly once.
func TestKillAtEveryPointOfTheFeed(t *testing.T) {
	t.Parallel()
	for _, arm := range inboundCrashes {
		t.Run(arm, func(t *testing.T) {
			t.Parallel()
			killAtFeed(t, arm)
		})
	}
}

func killAtFeed(t *testing.T, arm string) {
	p := newPlace(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+arm)
	paid, err := s.charge("charge", s.order(s.token(t, disputedCard), 12500))
	if err != nil || paid.status != http.StatusCreated {
		t.Fatalf("the charge: %v, %s", err, paid)
	}
	p.ahead(t, 2*time.Hour)
	if strings.HasSuffix(arm, ":2") {
		eventually(t, patience, "the dispute", func() bool {
			return value[int64](t, p, `SELECT count(*) FROM inbound_events WHERE handled_at IS NOT NULL`,
				pg.Args{}) == 1
		})
		p.ahead(t, 20*24*time.Hour)
	}
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	p.serve(t, program)
	died := time.Now()
	p.ahead(t, 20*24*time.Hour)
	eventually(t, patience, "the end of the dispute", func() bool {
		return value[int64](t, p, `
			SELECT (SELECT count(*) FROM disputes WHERE status = 'lost') + (SELECT count(*) FROM charges
				WHERE status = 'settled')
				+ (SELECT count(*) FROM inbound_events WHERE handled_at IS NOT NULL)`, pg.Args{}) == 4
	})
	t.Logf("%s: all told after %s", arm, time.Since(died).Round(time.Millisecond))
	for what, sql := range inboundInvariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
}

// inboundInvariants are counts of what must not be, with one charge of 125.00 that was disputed and lost.
var inboundInvariants = map[string]string{
	"disputes too many or too few":    `SELECT count(*) - 1 FROM disputes`,
	"events that were not told twice": `SELECT count(*) - 2 FROM inbound_events`,
	"postings of the dispute too many or too few": `SELECT count(*) - 3 FROM ledger_entries l
		JOIN disputes d ON d.id = l.source_id
		WHERE l.business_key LIKE '%:chargeback' AND l.amount = 12500 OR l.business_key LIKE '%:lost'
			AND l.amount = 12500
			OR l.business_key LIKE '%:fee:chargeback_fee'`,
	"disputes without one event a version": `SELECT count(*) FROM disputes d
		WHERE d.version <> (SELECT count(*) FROM events e WHERE e.object_id = d.id)`,
	"charges without one event a version": `SELECT count(*) FROM charges c
		WHERE c.version <> (SELECT count(*) FROM events e WHERE e.object_id = c.id)`,
	"charges of which another amount is disputed": `SELECT count(*) FROM charges WHERE amount_disputed <> 12500`,
	"fee records too many or too few": `SELECT count(*) - 1 FROM fee_events f
		JOIN disputes d ON d.id = f.source_id WHERE f.kind = 'chargeback'`,
	"money that is still reserved": `SELECT coalesce(sum(abs(balance)), 0)::bigint FROM ledger_balances
		WHERE account = 'merchant_reserved'`,
	"ledgers that do not sum to zero": `SELECT count(*)
		FROM (SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

// ahead sets how far the application's clock stands ahead of the machine's.
func (p *place) ahead(t *testing.T, by time.Duration) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), p.pool, `
		INSERT INTO application_clocks (application_id, ahead) VALUES (@application_id, @ahead)
		ON CONFLICT (application_id) DO UPDATE SET ahead = excluded.ahead`,
		pg.Args{"application_id": p.app.AppID, "ahead": by.Microseconds()}); err != nil {
		t.Fatal(err)
	}
}

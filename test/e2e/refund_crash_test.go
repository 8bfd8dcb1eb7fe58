package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// refundCrash is one way to die while a charge is refunded.
type refundCrash struct {
	arm string // point:hit
	// What must be true in the end.
	status      string
	submissions int64
}

var refundCrashes = []refundCrash{
	{arm: "refund.claimed:1", status: "failed"},
	{arm: "refund.called:1", status: "succeeded", submissions: 1},
	{arm: "refund.finished:1", status: "succeeded", submissions: 1},
}

// TestKillAtEveryPointOfARefund: whatever point the server dies at, the same request with the same
// key finds one refund, submitted at most once, and the charge's amounts are those of its refund.
func TestKillAtEveryPointOfARefund(t *testing.T) {
	t.Parallel()
	for _, c := range refundCrashes {
		t.Run(c.arm, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c refundCrash) run(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+c.arm)
	paid, err := s.charge("charge", s.order(s.token(t, approvedCard), 12500))
	if err != nil || paid.status != http.StatusCreated {
		t.Fatalf("the charge: %v, %s", err, paid)
	}
	body := map[string]any{"charge_id": paid.text("id"), "amount": 4000}
	if a, err := s.refund("key", body); err == nil {
		t.Fatalf("before the crash: %s", a)
	}
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	s, died := p.serve(t, program), time.Now()
	var final answer
	eventually(t, 90*time.Second, "a final answer", func() bool {
		final, err = s.refund("key", body)
		return err == nil && final.status == http.StatusCreated
	})
	t.Logf("%s: final answer %s after %s", c.arm, final.text("status"), time.Since(died).Round(time.Millisecond))
	if final.text("status") != c.status || !final.replayed() {
		t.Errorf("the final answer: %s, replayed %v", final, final.replayed())
	}
	if again, err := s.refund("key", body); err != nil || !bytes.Equal(again.body, final.body) {
		t.Errorf("asked again: %v, %s", err, again)
	}
	shown, err := s.api("GET", "/api/refunds/"+final.text("id"), nil, nil)
	if err != nil || !bytes.Equal(shown.body, final.body) {
		t.Errorf("the refund is %v, %s", err, shown)
	}
	c.audit(t, p)
}

// refundInvariants are counts of what must not be.
var refundInvariants = map[string]string{
	"refunds that are not final, or more than one": `SELECT count(*) - count(*) FILTER (WHERE status IN ('succeeded',
		'failed')) + greatest(count(*) - 1, 0) FROM refunds`,
	"charges whose amounts are not their refunds'": `SELECT count(*) FROM charges c WHERE c.amount_refund_pending <> 0
		OR c.amount_refunded <> (SELECT coalesce(sum(amount), 0) FROM refunds r
			WHERE r.charge_id = c.id AND r.status = 'succeeded')`,
	"refunds that are not posted exactly when they succeeded": `SELECT count(*) FROM refunds r
		WHERE (r.status = 'succeeded')
		<> (1 = (SELECT count(*) FROM ledger_entries l WHERE l.source_id = r.id AND l.kind = 'refund'
			AND l.amount = r.amount))`,
	"refunds without one event a version": `SELECT count(*) FROM refunds r
		WHERE r.version <> (SELECT count(*) FROM events e WHERE e.object_id = r.id)`,
	"open operations": `SELECT count(*) FROM processor_operations WHERE state = 'open'`,
	"ledgers that do not sum to zero": `SELECT count(*)
		FROM (SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

func (c refundCrash) audit(t *testing.T, p *place) {
	t.Helper()
	for what, sql := range refundInvariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
	if n := value[int64](t, p, `SELECT count(*) FROM sandbox_processor_book
		WHERE kind = 'refund'`, pg.Args{}); n != c.submissions {
		t.Errorf("the refund was submitted %d times", n)
	}
}

// refund asks once for a refund.
func (s *site) refund(key string, body map[string]any) (answer, error) {
	return s.api("POST", "/api/refunds", body, map[string]string{"Idempotency-Key": key})
}

// refundPoints are the points that the rows above crash at.
func refundPoints() (points []string) {
	for _, c := range refundCrashes {
		point, _, _ := strings.Cut(c.arm, ":")
		points = append(points, point)
	}
	return points
}

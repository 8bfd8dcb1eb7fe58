package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// disputedCard is the sandbox's card whose payments are disputed an hour after their capture.
const disputedCard = "4000000000000259"

// disputeCrash is one way to die while a dispute is answered.
type disputeCrash struct {
	arm string // point:hit
	how string // evidence or accept
	// What must be true in the end.
	answer      int
	status      string // of the dispute
	submissions int64
}

var disputeCrashes = []disputeCrash{
	{arm: "dispute.claimed:1", how: "evidence", answer: http.StatusBadGateway, status: "needs_response"},
	{arm: "dispute.called:1", how: "evidence", answer: http.StatusOK, status: "under_review", submissions: 1},
	{arm: "dispute.finished:1", how: "evidence", answer: http.StatusOK, status: "under_review", submissions: 1},
	{arm: "dispute.claimed:1", how: "accept", answer: http.StatusBadGateway, status: "needs_response"},
	{arm: "dispute.called:1", how: "accept", answer: http.StatusOK, status: "accepted", submissions: 1},
	{arm: "dispute.finished:1", how: "accept", answer: http.StatusOK, status: "accepted", submissions: 1},
}

// TestKillAtEveryPointOfAnAnswer: whatever point the server dies at while a dispute is answered, the
// same request with the same key finds out the outcome of it, and the processor gets it once at most.
func TestKillAtEveryPointOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range disputeCrashes {
		t.Run(c.arm+"/"+c.how, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c disputeCrash) run(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+c.arm)
	path := "/api/disputes/" + s.disputed(t, p)
	var body any
	if c.how == "evidence" {
		body = map[string]any{"evidence": map[string]any{"uncategorized_text": "The donor confirmed the gift."}}
	}
	key := map[string]string{"Idempotency-Key": "key"}
	if a, err := s.api("POST", path+"/"+c.how, body, key); err == nil {
		t.Fatalf("before the crash: %s", a)
	}
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	s = p.serve(t, program)
	var final answer
	var err error
	eventually(t, 90*time.Second, "a final answer", func() bool {
		final, err = s.api("POST", path+"/"+c.how, body, key)
		return err == nil && final.status != http.StatusAccepted && final.status != http.StatusConflict
	})
	if final.status != c.answer || !final.replayed() {
		t.Errorf("the final answer: %s, replayed %v", final, final.replayed())
	}
	if again, err := s.api("POST", path+"/"+c.how, body, key); err != nil || !bytes.Equal(again.body, final.body) {
		t.Errorf("asked again: %v, %s", err, again)
	}
	shown, err := s.api("GET", path, nil, nil)
	if err != nil || shown.text("status") != c.status || final.status == http.StatusOK &&
		!bytes.Equal(shown.body, final.body) {
		t.Errorf("the dispute is %v, %s", err, shown)
	}
	c.audit(t, p)
}

// disputed makes a charge that is disputed, lets an hour pass on the application's clock and gives the
// id of the dispute.
func (s *server) disputed(t *testing.T, p *place) (id string) {
	t.Helper()
	if paid, err := s.charge("charge", s.order(s.token(t, disputedCard), 12500)); err != nil ||
		paid.status != http.StatusCreated {
		t.Fatalf("the charge: %v, %s", err, paid)
	}
	if _, err := pg.Exec(t.Context(), p.pool, `INSERT INTO application_clocks (application_id, ahead)
		VALUES (@id, @ahead)`, pg.Args{"id": p.app.AppID, "ahead": (2 * time.Hour).Microseconds()}); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "a dispute", func() bool {
		a, err := s.api("GET", "/api/disputes", nil, nil)
		list, _ := a.get("data").([]any)
		if err != nil || len(list) == 0 {
			return false
		}
		id = list[0].(map[string]any)["id"].(string)
		return true
	})
	return id
}

// disputeInvariants are counts of what must not be.
var disputeInvariants = map[string]string{
	"disputes beside the one": `SELECT abs(count(*) - 1) FROM disputes`,
	"chargebacks that are not reserved, and taken exactly when they are accepted": `SELECT count(*) FROM disputes d
		WHERE (SELECT array_agg(l.kind || ' ' || l.amount ORDER BY l.id) FROM ledger_entries l
			WHERE l.source_id = d.id AND l.credit <> 'application_fees')
			IS DISTINCT FROM CASE d.status WHEN 'accepted' THEN ARRAY['chargeback 12500', 'chargeback_lost 12500']
				ELSE ARRAY['chargeback 12500'] END`,
	"disputes without one event a version": `SELECT count(*) FROM disputes d
		WHERE d.version <> (SELECT count(*) FROM events e WHERE e.object_id = d.id)`,
	"answers that are on their way": `SELECT count(*) FROM disputes WHERE operation_id IS NOT NULL`,
	"open operations":               `SELECT count(*) FROM processor_operations WHERE state = 'open'`,
	"ledgers that do not sum to zero": `SELECT count(*)
		FROM (SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

func (c disputeCrash) audit(t *testing.T, p *place) {
	t.Helper()
	for what, sql := range disputeInvariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
	if n := value[int64](t, p, `SELECT count(*) FROM sandbox_processor_book WHERE kind = 'respond'`,
		pg.Args{}); n != c.submissions {
		t.Errorf("the answer was submitted %d times", n)
	}
}

// disputePoints are the points that the rows above crash at.
func disputePoints() (points []string) {
	for _, c := range disputeCrashes {
		point, _, _ := strings.Cut(c.arm, ":")
		points = append(points, point)
	}
	return points
}

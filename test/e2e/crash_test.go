package e2e

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// Cards of the sandbox processor.
const (
	approvedCard = "4242424242424242"
	declinedCard = "4000000000009995"
	timeoutCard  = "4000000000005423"

	wrongCodeCard = "4000000000000101" // approved; the check of its security code fails
)

// crash is one way to die: at arms[0], then, restarted, at arms[1], and so on.
type crash struct {
	arms []string // point:hit
	card string
	// status of the answer before the crash, unless a slow answer is later than that; 0: the connection breaks
	first  int
	before int  // charges made before the one in question
	rules  bool // the merchant has a rule about the security code
	swept  bool // the resolver must be at its regular work before, so that it asks twice
	// What must be true in the end.
	answer      int
	code        string // of the error, if the answer is one
	status      string
	submissions int64
}

var crashes = []crash{
	{arms: []string{"charge.claimed:1"}, card: approvedCard, answer: 502, code: "processor_error", status: "failed"},
	{arms: []string{"charge.claimed:2"}, card: approvedCard, before: 1, answer: 502, code: "processor_error", status: "failed"},
	{arms: []string{"charge.called:1"}, card: approvedCard, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.called:2"}, card: approvedCard, before: 1, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.called:1"}, card: declinedCard, answer: 402, code: "card_declined", status: "failed", submissions: 1},
	{arms: []string{"charge.called:1"}, card: timeoutCard, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.finished:1"}, card: approvedCard, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.finished:1"}, card: declinedCard, answer: 402, code: "card_declined", status: "failed", submissions: 1},
	{arms: []string{"charge.finished:2"}, card: approvedCard, before: 1, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"resolve.asked:1"}, card: timeoutCard, first: 202, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"resolve.asked:2"}, card: timeoutCard, first: 202, swept: true, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.proceeds:1"}, card: approvedCard, rules: true, answer: 502, code: "processor_error", status: "failed", submissions: 1},
	{arms: []string{"charge.proceeds:1"}, card: wrongCodeCard, rules: true, answer: 402, code: "blocked_by_rule", status: "failed", submissions: 1},
	{arms: []string{"charge.called:2"}, card: approvedCard, rules: true, answer: 201, status: "captured", submissions: 1},
	{arms: []string{"charge.finished:1"}, card: approvedCard, rules: true, answer: 502, code: "processor_error", status: "failed", submissions: 1},
	{arms: []string{"charge.called:1", "resolve.asked:1"}, card: approvedCard, answer: 201, status: "captured", submissions: 1},
}

func (c crash) name() string {
	name := strings.Join(c.arms, ",") + "/" + c.card[12:]
	if c.rules {
		name += "/rules"
	}
	return name
}

// TestKillAtEveryPoint: whatever point the server dies at, the same request with the same key
// finds one charge, submitted at most once, in the right state.
func TestKillAtEveryPoint(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, c := range crashes {
		for _, arm := range c.arms {
			point, _, _ := strings.Cut(arm, ":")
			rows[point] = true
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
	for _, point := range slices.Concat(refundPoints(), payoutPoints(), disputePoints(), inboundPoints(),
		webhookPoints(), enrollmentPoints(), donationPoints(), rotationPoints(), verificationPoints()) {
		rows[point] = true
	}
	for point := range crashPoints {
		if !rows[point] {
			t.Errorf("no row crashes at %s", point)
		}
	}
	for point := range rows {
		if !crashPoints[point] {
			t.Errorf("the source has no crash point %s", point)
		}
	}
}

func (c crash) run(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+c.arms[0])
	for range c.before {
		if a, err := s.charge("before", s.order(s.token(t, approvedCard), 500)); err != nil || a.status != 201 {
			t.Fatalf("the charge before: %v, %s", err, a)
		}
	}
	if c.swept {
		p.awaitSweeps(t)
	}
	if c.rules {
		s.blockWrongCodes(t, p)
	}
	body := s.order(s.token(t, c.card), 12500)
	a, err := s.charge("key", body)
	if err == nil && (c.first == 0 || a.status != c.first) {
		t.Fatalf("before the crash: %v, %s", err, a)
	}
	for i, arm := range c.arms {
		if i > 0 {
			s = c.again(t, p, arm, body)
		}
		if state := s.ended(t, patience); !killed(state) {
			t.Fatalf("%s: not a kill: %s", arm, state)
		}
	}
	s, died := p.serve(t, program), time.Now()
	final := s.insist(t, "key", body)
	t.Logf("%s: final answer %d after %s", c.name(), final.status, time.Since(died).Round(time.Millisecond))
	c.check(t, p, &s.site, body, final)
}

// blockWrongCodes gives the merchant a rule: the amount of a card is held before it is captured.
func (s *site) blockWrongCodes(t *testing.T, p *place) {
	t.Helper()
	value[int64](t, p, `INSERT INTO card_rules (application_id, merchant_id, block_cvc_mismatch, updated_at)
		VALUES (@application_id, @merchant_id, true, now()) RETURNING merchant_id`,
		pg.Args{"application_id": s.app.AppID, "merchant_id": s.app.Merchants.US})
}

// again starts a server that is to die, and asks it until it has. On a slow machine the resolver, which works from the
// start, comes to the point before the server says that it serves.
func (c crash) again(t *testing.T, p *place, arm string, body map[string]any) *server {
	s := &server{process: launch(t, chaosProgram, append(p.settings(), "SVCPAY_CRASH_POINT="+arm), "serve")}
	if addr := s.saysUnlessEnded(t, serving); addr != "" {
		s.site = p.siteAt(addr)
		s.provoke("key", body)
	}
	return s
}

// awaitSweeps waits until a server leads and the resolver runs every second: an outcome that takes
// 3 s to show is then asked for in vain before it is found.
func (p *place) awaitSweeps(t *testing.T) {
	t.Helper()
	eventually(t, patience, "the resolver's regular runs", func() bool {
		return value[int64](t, p, `SELECT count(*) FROM river.river_job
			WHERE state = 'completed' AND args->>'name' = 'resolve_operations'`, pg.Args{}) >= 3
	})
}

// provoke repeats the request until the server is dead.
func (s *server) provoke(key string, body map[string]any) {
	for {
		if _, err := s.charge(key, body); err != nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (c crash) check(t *testing.T, p *place, s *site, body map[string]any, final answer) {
	if final.status != c.answer || final.text("error", "code") != c.code || !final.replayed() {
		t.Errorf("the final answer: %s, replayed %v", final, final.replayed())
	}
	if again, err := s.charge("key", body); err != nil || again.status != final.status ||
		!bytes.Equal(again.body, final.body) {
		t.Errorf("asked again: %v, %s", err, again)
	}
	if c.rules && c.status == "failed" { // and the payer has the hold back
		eventually(t, patience, "the void of the hold", func() bool {
			return value[int64](t, p, `SELECT count(*) FROM processor_operations
				WHERE kind = 'reverse' AND state = 'approved'`, pg.Args{}) == 1
		})
	}
	all := audit(t, p)
	if len(all) != c.before+1 {
		t.Fatalf("there are %d charges instead of %d", len(all), c.before+1)
	}
	last := all[len(all)-1]
	if last.Status != c.status || last.Submissions != c.submissions {
		t.Errorf("the charge is %s, submitted %d times", last.Status, last.Submissions)
	}
	told := final.text("id")
	if final.status >= http.StatusBadRequest {
		told = final.text("error", "charge_id")
	}
	if told != last.ID.String() {
		t.Errorf("the answer names the charge %q instead of %s", told, last.ID)
	}
	for _, r := range all {
		sameOutcome(t, s, r)
	}
}

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// due is how many of each charge become due at once. One with a refund or a dispute is two items.
var due = []struct {
	what string
	n    int
}{{"hold", 2500}, {"captured", 2500}, {"debit", 2000}, {"refund", 500}, {"dispute", 1000}, {"lost", 500}}

const (
	kills = 20
	day   = 24 * time.Hour
	// late is how far the application's clock is moved: everything that was made is due by then.
	late = 30 * day
)

// stages are where the clock stops on its way, for kills among what is due then: calls without an answer,
// captures, debits, holds, disputes.
var stages = []time.Duration{2 * time.Hour, 5 * day, 9 * day, 12 * day, late}

// TestTwoServersAndTwentyKills: more than 10,000 items are due (holds that expire, payments that settle,
// refunds that waited, disputes that no one answered, calls without an answer). Two servers do them while
// one or the other is killed twenty times. In the end each was done once, and none is left.
func TestTwoServersAndTwentyKills(t *testing.T) {
	t.Parallel()
	p, begun := newPlace(t), time.Now()
	seed := uint64(begun.UnixNano())
	t.Logf("seed %d", seed)
	p.fill(t)
	total := p.left(t)
	t.Logf("%d items after %s", total, time.Since(begun).Round(time.Millisecond))
	if total < 10_000 {
		t.Fatalf("only %d items are due", total)
	}
	begun = time.Now()
	p.ahead(t, stages[0])
	servers := p.killing(t, rand.New(rand.NewPCG(seed, 1)))
	t.Logf("after %d kills in %s, %d items are left", kills, time.Since(begun).Round(time.Millisecond), p.left(t))
	eventually(t, 2*patience, "the end of all that was due", func() bool { return p.left(t) == 0 })
	t.Logf("%d items were done in %s", total, time.Since(begun).Round(time.Millisecond))
	for _, days := range []time.Duration{4, 8} { // a payout, and its arrival
		p.ahead(t, late+days*day)
		eventually(t, patience, "the end of what became due then", func() bool { return p.left(t) == 0 })
	}
	t.Logf("%d refunds were given up",
		value[int64](t, p, `SELECT count(*) FROM refunds WHERE status = 'failed'`, pg.Args{}))
	t.Logf("paid out after %s: %s", time.Since(begun).Round(time.Millisecond), value[string](t, p, `
		SELECT string_agg(format('%s, %s in %s entries', status, amount, entry_count), '; ' ORDER BY id)
			FROM payouts`, pg.Args{}))
	for _, s := range servers {
		s.kill(t)
	}
	p.auditJobs(t)
}

// fill makes one charge of each kind over the API, and then many like it, all of them due.
func (p *place) fill(t *testing.T) {
	t.Helper()
	s := p.serve(t, program)
	all := map[string]original{"dispute": s.disputedCharge(t, p)}
	for what, c := range map[string]struct {
		name   string
		amount int
		hold   bool
	}{"hold": {"approved", 3100, true}, "captured": {"approved_amex", 12500, false},
		"debit": {"ach_settles", 9900, false}, "refund": {"ach_settles", 7000, false}} {
		body := s.order(s.testToken(t, c.name), c.amount)
		body["capture"] = !c.hold
		a, err := s.charge(what, body)
		all[what] = originalOf(t, a, err, http.StatusCreated)
	}
	a, err := s.refund("waits", map[string]any{"charge_id": all["refund"].chargeName, "amount": 2500})
	if err != nil || a.text("pending_reason") != "charge_pending" {
		t.Fatalf("the refund: %v, %s", err, a)
	}
	id, err := ids.ParseRefund(a.text("id"))
	if err != nil {
		t.Fatal(err)
	}
	all["refund"] = original{all["refund"].charge, id.Bytes(), all["refund"].chargeName, id.String()}
	a, err = s.charge("lost", s.order(s.testToken(t, "timeout"), 4400))
	s.kill(t) // before the resolver finds it
	all["lost"] = originalOf(t, a, err, http.StatusAccepted)
	for _, d := range due {
		p.multiply(t, all[d.what], d.n)
	}
	p.ahead(t, late)
}

// testToken is a token of a test case, for the US merchant.
func (s *server) testToken(t *testing.T, name string) string {
	t.Helper()
	a, err := s.api("POST", "/api/sandbox/tokens", map[string]any{"test_case": name, "merchant_id": s.app.Merchants.US},
		nil)
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("a token: %v, %s", err, a)
	}
	return a.text("id")
}

// disputedCharge makes a charge with a dispute that needs a response.
func (s *server) disputedCharge(t *testing.T, p *place) original {
	t.Helper()
	id, err := ids.ParseDispute(s.disputed(t, p))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.api("GET", "/api/disputes/"+id.String(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	chargeID, err := ids.ParseCharge(a.text("charge_id"))
	if err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return original{chargeID.Bytes(), id.Bytes(), chargeID.String(), id.String()}
}

func originalOf(t *testing.T, a answer, err error, status int) original {
	t.Helper()
	if err != nil || a.status != status {
		t.Fatalf("the charge: %v, %s", err, a)
	}
	id, err := ids.ParseCharge(a.text("id"))
	if err != nil {
		t.Fatal(err)
	}
	return original{charge: id.Bytes(), chargeName: id.String(), sub: ids.NewRefund(time.Now()).Bytes(),
		subName: "none"}
}

// left counts what is due and not done.
func (p *place) left(t *testing.T) int64 {
	t.Helper()
	return value[int64](t, p, `
		SELECT (SELECT count(*) FROM charges c JOIN application_clocks k USING (application_id)
				WHERE next_step_at <= now() + k.ahead * interval '1 microsecond')
			+ (SELECT count(*) FROM refunds WHERE status = 'pending')
			+ (SELECT count(*) FROM disputes d JOIN application_clocks k USING (application_id)
				WHERE status = 'needs_response' AND respond_by <= now() + k.ahead * interval '1 microsecond')
			+ (SELECT count(*) FROM processor_operations WHERE state = 'open')
			+ (SELECT count(*) FROM inbound_events WHERE handled_at IS NULL)
			+ (SELECT count(*) FROM sandbox_processor_schedule s JOIN application_clocks k
				ON starts_with(s.account, 'app-' || k.application_id || '/')
				WHERE due_at <= now() + k.ahead * interval '1 microsecond')
			+ (SELECT count(*) FROM merchants m JOIN application_clocks k USING (application_id)
				WHERE next_payout_at <= now() + k.ahead * interval '1 microsecond')`, pg.Args{})
}

// armed are points at which a server kills itself, mostly in the middle of something.
var armed = []string{"resolve.asked", "refund.claimed", "refund.called", "payout.claimed", "payout.called"}

// killing runs two servers, and kills one or the other: from outside after a while, or at a point of its own.
func (p *place) killing(t *testing.T, r *rand.Rand) []*server {
	t.Helper()
	start := func() *server {
		arm := fmt.Sprintf("SVCPAY_CRASH_POINT=%s:%d", armed[r.IntN(len(armed))], 1+r.IntN(2))
		s := &server{process: launch(t, chaosProgram, append(p.settings(), arm), "serve")}
		s.servesOrEnds(t) // its jobs begin before it serves, and may end it
		return s
	}
	servers := []*server{start(), start()}
	byThemselves := 0
	for n := range kills {
		if n%(kills/len(stages)) == 0 {
			p.ahead(t, stages[n*len(stages)/kills])
			t.Logf("%d items are due or under way", p.left(t))
		}
		i := r.IntN(2)
		select {
		case <-servers[i].done:
			byThemselves++
		case <-servers[1-i].done:
			i = 1 - i
			byThemselves++
		case <-time.After(time.Duration(10+r.IntN(1000)) * time.Millisecond):
			servers[i].kill(t)
		}
		if n < kills-2 {
			servers[i] = start()
		} else {
			servers[i] = p.serve(t, program)
		}
	}
	for i := range servers { // those that are still to kill themselves
		servers[i].signal(9)
		servers[i].ended(t, patience)
		servers[i] = p.serve(t, program)
	}
	t.Logf("%d of the kills at points of the source", byThemselves)
	return servers
}

// jobInvariants are counts of what must not be. They sum up whole tables: a look at each row's own takes too long.
var jobInvariants = map[string]string{
	"business keys posted twice": `SELECT count(*)
		FROM (SELECT FROM ledger_entries GROUP BY application_id, business_key HAVING count(*) > 1) twice`,
	"ledgers that do not sum to zero": `SELECT count(*)
		FROM (SELECT FROM ledger_balances GROUP BY application_id, merchant_id, currency HAVING sum(balance) <> 0) off`,
	"charges that did not come to their end": `SELECT count(*) FROM charges WHERE status <> CASE WHEN capture
		THEN 'settled' ELSE 'expired' END`,
	"charges with money pending": `SELECT count(*)
		FROM (SELECT FROM ledger_entries WHERE 'merchant_pending' IN (debit, credit)
		GROUP BY charge_id HAVING sum(CASE WHEN credit = 'merchant_pending' THEN amount ELSE -amount END) <> 0) off`,
	// One whose server died before it was sent is not sent by another: it has failed.
	"refunds that did not end as the processor's book says": `SELECT count(*) FROM refunds r LEFT
		JOIN sandbox_processor_book b
		ON b.reference = r.processor_reference AND b.approved AND b.amount = r.amount
		WHERE r.status <> CASE WHEN b.id IS NULL THEN 'failed' ELSE 'succeeded' END OR r.status = 'failed'
			AND r.failure->>'code' <> 'not_submitted'`,
	"refunds that are not posted exactly when they succeeded": `SELECT count(*) FROM refunds r LEFT
		JOIN ledger_entries l
		ON l.business_key = r.processor_reference || ':refund' AND l.amount = r.amount
			WHERE (r.status = 'succeeded') <> (l.id IS NOT NULL)`,
	"postings of refunds without one": `SELECT count(*) FROM ledger_entries l LEFT JOIN refunds r ON r.id = l.source_id
		WHERE l.kind = 'refund' AND r.id IS NULL`,
	"disputes that are not lost, or not posted once": `SELECT count(*) FROM disputes d LEFT
		JOIN (SELECT source_id, count(*) AS n FROM ledger_entries
		WHERE kind = 'chargeback_lost' GROUP BY source_id) l ON l.source_id = d.id
			WHERE d.status <> 'lost' OR l.n IS DISTINCT FROM 1`,
	"references submitted twice": `SELECT count(*) FROM (SELECT FROM sandbox_processor_book
		GROUP BY reference HAVING count(*) > 1) twice`,
	"calls with another outcome than the book's": `SELECT count(*) FROM processor_operations o LEFT
		JOIN sandbox_processor_book b ON b.reference = o.reference
		WHERE (o.state = 'approved') IS DISTINCT FROM coalesce(b.approved, false)`,
	"objects without one event a version": `SELECT count(*) FROM (SELECT id, version FROM charges
		UNION ALL SELECT id, version FROM refunds
			UNION ALL SELECT id, version FROM disputes UNION ALL SELECT id, version FROM payouts) o
		LEFT JOIN (SELECT object_id, count(*) AS n, max(position) AS last FROM events GROUP BY object_id) e
			ON e.object_id = o.id
		WHERE e.n IS DISTINCT FROM o.version OR e.last IS DISTINCT FROM o.version`,
	"charges whose fees are not recorded": `SELECT count(*) FROM charges c LEFT
		JOIN (SELECT source_id, sum(total) AS sum FROM fee_events GROUP BY source_id) f
		ON f.source_id = c.id WHERE c.fee_total <> coalesce(f.sum, 0)`,
	"charges whose fees are not posted": `SELECT count(*) FROM charges c LEFT JOIN (SELECT source_id, sum(amount) AS sum
		FROM ledger_entries
		WHERE credit = 'application_fees' GROUP BY source_id) l ON l.source_id = c.id
			WHERE c.fee_total <> coalesce(l.sum, 0)`,
	"charges whose amounts are not their refunds'": `SELECT count(*) FROM charges c LEFT
		JOIN (SELECT charge_id, sum(amount) FILTER (WHERE status = 'succeeded') AS sum FROM refunds
			GROUP BY charge_id) r
		ON r.charge_id = c.id WHERE c.amount_refund_pending <> 0 OR c.amount_refunded <> coalesce(r.sum, 0)`,
	"payouts that are not the sum of their entries": `SELECT count(*) FROM payouts p LEFT
		JOIN (SELECT payout_id, sum(amount) AS sum FROM payout_entries GROUP BY payout_id) e
		ON e.payout_id = p.id WHERE p.amount IS DISTINCT FROM e.sum`,
	"merchants whose available money is not what no payout holds": `SELECT count(*) FROM (
			SELECT merchant_id, sum(CASE WHEN l.debit = 'merchant_available' THEN -l.amount ELSE l.amount END) AS sum
			FROM ledger_entries l LEFT JOIN payout_entries e ON e.application_id = l.application_id
				AND e.entry_id = l.id AND e.active
			WHERE 'merchant_available' IN (l.debit, l.credit)
				AND l.kind NOT IN ('payout', 'payout_failed', 'payout_returned') AND e.entry_id IS NULL
			GROUP BY merchant_id) l
		FULL JOIN (SELECT merchant_id, -balance AS sum FROM ledger_balances
			WHERE account = 'merchant_available') b USING (merchant_id)
		WHERE coalesce(l.sum, 0) <> coalesce(b.sum, 0)`,
	"merchants with money in reserve": `SELECT count(*) FROM ledger_balances WHERE account = 'merchant_reserved'
		AND balance <> 0`,
	"merchants that were not paid": `SELECT 1 - count(DISTINCT merchant_id) FROM payouts
		WHERE status = 'paid' AND entry_count > 1000`,
}

func (p *place) auditJobs(t *testing.T) {
	t.Helper()
	for what, sql := range jobInvariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
	if n := p.left(t); n != 0 {
		t.Errorf("audit: %d items are overdue", n)
	}
	want := int64(5) // those made over the API, and the copies
	for _, d := range due {
		want += int64(d.n)
	}
	if n := value[int64](t, p, `SELECT count(*) FROM charges`, pg.Args{}); n != want+1 {
		t.Errorf("audit: %d charges, %d were made", n, want+1)
	}
}

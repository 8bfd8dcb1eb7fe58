package reconcile_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/simulate"
)

// life is what happens to some charges.
type life struct {
	place
	charges []charge.Charge
}

// refusable fails on an error that no caller should get.
func refusable(t fatal, err error) {
	t.Helper()
	if _, ok := fault.As(err); !ok {
		must(t, err)
	}
}

func (l *life) create(t *rapid.T) {
	var token string
	if rapid.Bool().Draw(t, "bank") {
		token = l.BankToken(l.App.Merchants.US,
			l.USBank(rapid.SampledFrom([]string{settles, failing, returned, refused}).Draw(t, "account")))
		l.charges = append(l.charges, l.charge(t, token, drawAmount(t), true))
		return
	}
	token = l.Token(rapid.SampledFrom([]string{good, good, declined, disputed, asked}).Draw(t, "card"))
	l.charges = append(l.charges, l.charge(t, token, drawAmount(t), rapid.Bool().Draw(t, "capture")))
}

func drawAmount(t *rapid.T) money.Amount {
	return money.Amount(rapid.Int64Range(1, 20_000).Draw(t, "amount"))
}

func (l *life) of(t *rapid.T) charge.Charge {
	if len(l.charges) == 0 {
		l.create(t)
	}
	return rapid.SampledFrom(l.charges).Draw(t, "charge")
}

func (l *life) follow(ctx context.Context, t *rapid.T, what string) {
	c, amount := l.of(t), drawAmount(t)
	if c.ID.IsZero() {
		return // it was declined
	}
	var err error
	switch what {
	case "capture":
		_, err = l.Charges.Capture(ctx, l.Actor(), c.ID.String(), charge.CaptureInput{Amount: &amount}, nil)
	case "void":
		_, err = l.Charges.Void(ctx, l.Actor(), c.ID.String(), charge.VoidInput{}, nil)
	case "refund":
		l.refund(t, c, amount)
	}
	refusable(t, err)
}

// answer answers the disputes that wait for it.
func (l *life) answer(ctx context.Context, t *rapid.T) {
	type row struct {
		ID ids.Dispute `db:"id"`
	}
	all, err := pg.All[row](ctx, l.Pool, `SELECT id FROM disputes WHERE status = 'needs_response'`, pg.Args{})
	must(t, err)
	for _, d := range all {
		if rapid.Bool().Draw(t, "accept") {
			_, err = l.Disputes.Accept(ctx, l.Actor(), d.ID.String(), nil)
		} else {
			text := rapid.SampledFrom([]string{"winning_evidence", "losing_evidence"}).Draw(t, "evidence")
			_, err = l.Disputes.SubmitEvidence(ctx, l.Actor(), d.ID.String(),
				dispute.EvidenceInput{Evidence: dispute.Evidence{"uncategorized_text": text}}, nil)
		}
		refusable(t, err)
	}
}

// fail has a refund fail that succeeded.
func (l *life) fail(ctx context.Context, t *rapid.T) {
	type row struct {
		ID ids.Refund `db:"id"`
	}
	all, err := pg.All[row](ctx, l.Pool, `SELECT id FROM refunds WHERE status = 'succeeded' ORDER BY id DESC LIMIT 5`,
		pg.Args{})
	must(t, err)
	if len(all) > 0 {
		failed := "failed"
		_, err = l.Simulate.Refund(ctx, l.Actor(), rapid.SampledFrom(all).Draw(t, "refund").ID.String(),
			simulate.RefundInput{Outcome: &failed}, nil)
		must(t, err)
	}
}

// later lets time pass, and everything happen that is due by then.
func (l *life) later(t *rapid.T) {
	l.Clock.Advance(time.Duration(rapid.IntRange(1, 12*24).Draw(t, "hours")) * time.Hour)
	l.settle(t)
}

func (l *life) step(ctx context.Context, t *rapid.T) {
	switch what := rapid.SampledFrom([]string{"create", "create", "capture", "void", "refund", "refund",
		"answer", "later", "late", "lost", "dropped", "fail", "compare"}).Draw(t, "step"); what {
	case "create":
		l.create(t)
	case "answer":
		l.answer(ctx, t)
	case "later":
		l.later(t)
	case "fail":
		l.fail(ctx, t)
	case "late":
		l.late(t, true, func() { l.create(t) })
	case "lost", "dropped":
		l.p.fate = map[string]fate{"lost": loses, "dropped": drops}[what]
		l.create(t)
		l.follow(ctx, t, rapid.SampledFrom([]string{"capture", "void", "refund"}).Draw(t, "what"))
		l.p.fate = arrives
		l.Clock.Advance(l.p.SettleWindow() + time.Second)
		l.settle(t)
	case "compare":
		l.now(t)
		l.expect(t, "in between")
	default:
		l.follow(ctx, t, what)
	}
}

// sums compares, by merchant's account, day and currency, what the book's approved calls add up to with
// the postings of the same calls on processor_receivable.
const sums = `(
	SELECT account, day, currency FROM (
		SELECT l.account, l.at::date AS day, l.currency, CASE
				WHEN l.kind IN ('debit', 'capture', 'refund_failed') OR l.kind = 'authorize' AND c.capture THEN l.amount
				WHEN l.kind = 'refund' OR l.kind = 'void' AND c.type <> 'cc' THEN -l.amount ELSE 0 END AS booked,
			(SELECT coalesce(sum(CASE WHEN e.debit = 'processor_receivable' THEN e.amount ELSE -e.amount END), 0)
				FROM ledger_entries e
			WHERE e.application_id = o.application_id AND 'processor_receivable' IN (e.debit, e.credit) AND CASE o.kind
				WHEN 'authorize' THEN c.capture AND e.charge_id = c.id AND e.kind = 'capture'
				WHEN 'debit' THEN e.charge_id = c.id AND e.kind = 'debit'
				WHEN 'capture' THEN e.charge_id = c.id AND e.kind = 'capture'
				WHEN 'void' THEN e.charge_id = c.id AND e.kind = 'debit_reversed'
				WHEN 'refund' THEN e.source_id = o.subject_id AND e.kind = l.kind ELSE false END) AS posted
		FROM reconciliation_lines l JOIN processor_operations o USING (processor, reference)
			JOIN charges c ON c.application_id = o.application_id AND c.id = o.charge_id
		WHERE l.approved AND NOT EXISTS (SELECT FROM processor_operations r
			WHERE r.charge_id = c.id AND r.kind = 'reverse')
	) x GROUP BY account, day, currency HAVING sum(booked) <> sum(posted)
) off`

// usual has happen what a hundred lives by chance may leave out.
func (w place) usual(t *testing.T) {
	t.Helper()
	const amount = 1000
	c := w.charge(t, w.Token(good), amount, false)
	_, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{}, nil)
	must(t, err)
	r, failed := w.refund(t, c, amount), "failed"
	_, err = w.Simulate.Refund(t.Context(), w.Actor(), r.ID.String(), simulate.RefundInput{Outcome: &failed}, nil)
	must(t, err)
	w.refund(t, c, amount)
	c = w.charge(t, w.Token(good), amount, false)
	_, err = w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, nil)
	must(t, err)
}

// TestCleanLivesHaveNoDifferences: whatever happens to charges, with answers that are lost and calls
// that never or late arrive, the books agree as soon as everything has come to its end.
func TestCleanLivesHaveNoDifferences(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.BankAccount(w.App, w.App.Merchants.US)
	w.usual(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{place: w}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			l.step(t.Context(), rt)
		}
		l.Clock.Advance(time.Minute)
		l.settle(rt)
		l.now(rt)
		l.expect(rt, "in the end")
		if n := w.count(rt, sums, pg.Args{}); n != 0 {
			rt.Fatalf("%d days' sums differ", n)
		}
	})
	if n := w.count(t, `reconciliation_differences`, pg.Args{}); n != 0 {
		t.Errorf("%d differences were open for a while", n)
	}
	for _, kind := range []string{"authorize", "debit", "capture", "void", "refund", "payout", "respond"} {
		if w.count(t, `reconciliation_lines WHERE kind = @kind AND approved`, pg.Args{"kind": kind}) == 0 {
			t.Errorf("no %s was ever compared", kind)
		}
	}
}

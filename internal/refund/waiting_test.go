package refund_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/token"
)

// account makes a token of a bank account whose debits settle.
func account(t *testing.T, w *fixture.World) string {
	t.Helper()
	bank, err := w.Tokens.CreateBank(t.Context(), w.Session(), ids.NewRequest(w.Clock.Now()).String(), token.BankInput{
		Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber("000123456789"),
		AccountType: "checking",
		Billing:     w.Card(good).Billing, Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion,
			IP: "192.0.2.1", UserAgent: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return bank.Token.String()
}

// debited makes a bank debit that has not settled.
func debited(t *testing.T, w *fixture.World, amount money.Amount) charge.Charge {
	t.Helper()
	return charged(t, w, account(t, w), amount, charge.Pending)
}

func release(t *testing.T, w *fixture.World, want int) {
	t.Helper()
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Refunds.ReleaseWaiting(t.Context(), v); err != nil || n != want {
		t.Errorf("released %d, %v; want %d", n, err, want)
	}
}

func settle(t *testing.T, w *fixture.World, c charge.Charge) {
	t.Helper()
	if err := w.Charges.SettleNow(t.Context(), told(c, "")); err != nil {
		t.Fatal(err)
	}
}

func TestRefundOfAPendingDebitWaitsUntilItSettles(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c, claim := debited(t, w, 100), claimOf(w, "k")
	r := create(t, w, of(c, 30), claim).Object
	if r.Status != refund.Pending || r.PendingReason == nil || *r.PendingReason != refund.ChargePending {
		t.Fatalf("%s", jsonOf(t, r))
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefundPending != 30 || now.AmountRefundable != 70 {
		t.Errorf("%s", jsonOf(t, now))
	}
	if again := create(t, w, of(c, 30), claim); again.Prior == nil || again.Prior.State != idempotency.Done ||
		string(again.Prior.Outcome.Result) != jsonOf(t, r) {
		t.Errorf("replayed %+v", again)
	}
	release(t, w, 0)
	w.Clock.Advance(time.Hour)
	resolve(t, w, 0)
	if len(p.calls) != 0 {
		t.Error("it was sent before its charge settled")
	}
	audit(t, w)
	settle(t, w, c)
	release(t, w, 1)
	release(t, w, 0)
	r = get(t, w, r.ID)
	if r.Status != refund.Succeeded || r.PendingReason != nil || r.Version != 3 || len(p.calls) != 1 ||
		p.calls[0].Original != c.Processor.Reference {
		t.Errorf("%s after %+v", jsonOf(t, r), p.calls)
	}
	account, err := pg.Value[string](t.Context(), w.Pool, `SELECT debit FROM ledger_entries WHERE business_key = @key`,
		pg.Args{"key": r.ID.String() + ":refund"})
	if err != nil || ledger.Account(account) != ledger.MerchantAvailable {
		t.Errorf("a settled charge's refund is taken from %s, %v", account, err)
	}
	if n := count(t, w, `events WHERE object_id = @id AND type = 'refund.updated'
		AND previous_attributes::jsonb ? 'pending_reason'`, pg.Args{"id": r.ID}); n != 1 {
		t.Error("no event tells that it was sent")
	}
	if next, err := w.Refunds.NextReleaseWaiting(t.Context(), w.App.AppID, w.Clock.Now()); next != nil || err != nil {
		t.Errorf("due at %v, %v", next, err)
	}
	audit(t, w)
}

func TestRefundOfADebitThatIsNoMoreIsCanceled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*fixture.World, charge.Charge) error{
		"failed": func(w *fixture.World, c charge.Charge) error {
			return w.Charges.Return(t.Context(), told(c, "R01"))
		},
		"voided": func(w *fixture.World, c charge.Charge) error {
			_, err := w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, nil)
			return err
		},
		"returned": func(w *fixture.World, c charge.Charge) error {
			err := w.Charges.SettleNow(t.Context(), told(c, ""))
			return errors.Join(err, w.Charges.Return(t.Context(), told(c, "R10")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			c := debited(t, w, 100)
			first, second := create(t, w, of(c, 30), nil).Object, create(t, w, of(c, 0), nil).Object
			if err := end(w, c); err != nil {
				t.Fatal(err)
			}
			audit(t, w)
			release(t, w, 2)
			release(t, w, 0)
			for _, id := range []ids.Refund{first.ID, second.ID} {
				if r := get(t, w, id); r.Status != refund.Canceled || r.PendingReason != nil || r.CanceledAt == nil {
					t.Errorf("%s", jsonOf(t, r))
				}
			}
			if now := chargeOf(t, w, c.ID); string(now.Status) != name || now.AmountRefundPending != 0 ||
				now.AmountRefunded != 0 {
				t.Errorf("%s", jsonOf(t, now))
			}
			_, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 1), nil)
			if f, _ := fault.As(err); f == nil || f.Code != "charge_not_refundable" || f.Detail["status"] != name {
				t.Errorf("afterwards: %v", err)
			}
			if len(p.calls) != 0 {
				t.Errorf("sent %+v", p.calls)
			}
			audit(t, w)
		})
	}
}

func TestCancelTakesBackWhatWaits(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c, claim := debited(t, w, 100), claimOf(w, "k")
	id := create(t, w, of(c, 0), nil).Object.ID
	actor := w.Actor()
	out, err := w.Refunds.Cancel(t.Context(), actor, id.String(), claim)
	if err != nil || out.Object.Status != refund.Canceled || jsonOf(t, out.Object) != jsonOf(t, get(t, w, id)) {
		t.Errorf("%+v, %v", out, err)
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefundPending != 0 || now.AmountRefundable != 100 {
		t.Errorf("%s", jsonOf(t, now))
	}
	if n := count(t, w, `events WHERE object_id = @id AND type = 'refund.canceled' AND request_id = @request
		AND source = 'api'`, pg.Args{"id": id, "request": actor.RequestID}); n != 1 {
		t.Error("the event does not tell whose request it was")
	}
	again, err := w.Refunds.Cancel(t.Context(), w.Actor(), id.String(), claim)
	if err != nil || again.Prior == nil || string(again.Prior.Outcome.Result) != jsonOf(t, out.Object) {
		t.Errorf("the same key again: %+v, %v", again, err)
	}
	if _, err := w.Refunds.Cancel(t.Context(), w.Actor(), id.String(), nil); code(err) != "refund_not_cancelable" {
		t.Errorf("without it: %v", err)
	}
	settle(t, w, c)
	release(t, w, 0)
	audit(t, w)
}

func TestWhatIsSentOrOverCannotBeCanceled(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	done := create(t, w, of(c, 10), nil).Object
	p.refund = p.decline
	failed := create(t, w, of(c, 10), nil).Object
	p.refund = p.lose
	sent := create(t, w, of(c, 10), nil).Object
	for _, r := range []refund.Refund{done, failed, sent} {
		_, err := w.Refunds.Cancel(t.Context(), w.Actor(), r.ID.String(), claimOf(w, r.ID.String()))
		f, ok := fault.As(err)
		if !ok || f.Code != "refund_not_cancelable" || f.Kind != fault.KindConflict ||
			f.Detail["status"] != string(r.Status) {
			t.Errorf("%s: %v", r.Status, err)
		}
		if now := get(t, w, r.ID); jsonOf(t, now) != jsonOf(t, r) {
			t.Errorf("%s", jsonOf(t, now))
		}
	}
	if n := count(t, w, "idempotency_keys WHERE path = '/api/refunds'", pg.Args{}); n != 0 {
		t.Errorf("refusals keep %d keys", n)
	}
	audit(t, w)
}

// A dispute cancels what has not been sent, in its own transaction, and goes on from the charge as it
// is then.
func TestDisputeCancelsWhatWaits(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := debited(t, w, 100)
	waiting := []refund.Refund{create(t, w, of(c, 20), nil).Object, create(t, w, of(c, 30), nil).Object}
	m := moment(t, w)
	for range 2 { // the second time there is nothing left to cancel
		err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			l, err := w.Charges.LockTx(t.Context(), tx, w.App.AppID, c.ID)
			if err != nil {
				return err
			}
			if l, err = w.Refunds.CancelUnsentTx(t.Context(), tx, m, l); err != nil {
				return err
			}
			_, err = w.Charges.ChangeTx(tx, m, l,
				charge.Change{Disputed: 50, Event: "charge.updated", Source: outbox.Job})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range waiting {
		if now := get(t, w, r.ID); now.Status != refund.Canceled || now.Version != 2 {
			t.Errorf("%s", jsonOf(t, now))
		}
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefundPending != 0 || now.AmountDisputed != 100 ||
		now.Version != c.Version+2+3 {
		t.Errorf("%s", jsonOf(t, now))
	}
	settle(t, w, c)
	release(t, w, 0)
	for _, in := range []refund.CreateInput{of(c, 0), of(c, 1)} {
		if _, err := w.Refunds.Create(t.Context(), w.Actor(), in, nil); code(err) != "charge_disputed" {
			t.Errorf("what is disputed: %v", err)
		}
	}
	if len(p.calls) != 0 {
		t.Errorf("sent %+v", p.calls)
	}
	audit(t, w)
}

func TestSweepersShareTheWork(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	var charges []charge.Charge
	for range 3 {
		c := debited(t, w, 1_000)
		for range 4 {
			create(t, w, of(c, 100), nil)
		}
		charges = append(charges, c)
	}
	for _, c := range charges {
		settle(t, w, c)
	}
	var sum atomic.Int64
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 50 {
				n, err := w.Refunds.ReleaseWaiting(t.Context(), clock.View{Except: []int64{}, Moment: moment(t, w)})
				if err != nil && !pg.IsUnavailable(err) && code(err) != "overloaded" {
					t.Error(err)
				}
				sum.Add(int64(n))
				if count(t, w, "refunds WHERE pending_reason IS NOT NULL", pg.Args{}) == 0 {
					return
				}
			}
		})
	}
	all.Wait()
	if sum.Load() != 12 || len(p.calls) != 12 || count(t, w, "refunds WHERE status = 'succeeded'", pg.Args{}) != 12 {
		t.Errorf("%d released, %d sent", sum.Load(), len(p.calls))
	}
	audit(t, w)
}

// A sweep reads what waits, and no others of the tables, also while the planner knows nothing of what is in them.
func TestSweepFindsWhatWaitsByItsIndex(t *testing.T) {
	t.Parallel()
	var sent *pgtest.Sent
	w := fixture.New(t, func(d *assembly.Deps) { d.Pool, sent = pgtest.Watched(t, d.Pool) })
	view := clock.View{Moment: moment(t, w), Except: []int64{}}
	if _, err := w.Refunds.ReleaseWaiting(t.Context(), view); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.PlanOf(t, w.Pool, sent.Only(t, "FROM refunds r"))
	if !strings.Contains(plan, "refunds_waiting") ||
		!strings.Contains(plan, "Index Cond: ((application_id = r.application_id) AND (id = r.charge_id))") ||
		strings.Contains(plan, "Seq Scan") {
		t.Error(plan)
	}
}

func TestSweepKeepsToItsView(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := debited(t, w, 100)
	create(t, w, of(c, 0), nil)
	settle(t, w, c)
	for name, v := range map[string]clock.View{
		"another application": {Only: &w.Other.AppID, Except: []int64{}},
		"all but this":        {Except: []int64{w.App.AppID}},
	} {
		v.Moment = moment(t, w)
		if n, err := w.Refunds.ReleaseWaiting(t.Context(), v); n != 0 || err != nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	release(t, w, 1)
}

// What a sweep sends can lose its answer like any other.
func TestReleasedRefundWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := debited(t, w, 100)
	id := create(t, w, of(c, 0), claimOf(w, "k")).Object.ID
	settle(t, w, c)
	p.refund = p.lose
	release(t, w, 1)
	if r := get(t, w, id); r.Status != refund.Pending || r.PendingReason != nil || r.Version != 2 {
		t.Errorf("%s", jsonOf(t, r))
	}
	if _, err := w.Refunds.Cancel(t.Context(), w.Actor(), id.String(), nil); code(err) != "refund_not_cancelable" {
		t.Errorf("it is sent: %v", err)
	}
	audit(t, w)
	w.Clock.Advance(time.Second)
	resolve(t, w, 1)
	if r := get(t, w, id); r.Status != refund.Succeeded || len(p.calls) != 1 {
		t.Errorf("%s", jsonOf(t, r))
	}
	audit(t, w)
}

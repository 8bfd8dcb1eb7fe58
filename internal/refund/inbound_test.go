package refund_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// reported is what the processor reports of a refund.
func reported(r refund.Refund, kind processor.EventKind) processor.Event {
	return processor.Event{Adapter: "sandbox", Kind: kind,
		Account:   processor.MerchantAccount(r.ApplicationID, r.MerchantID),
		Reference: r.Processor.Reference, Failure: processor.LostOrStolenCard, RawCode: "lost_or_stolen_card"}
}

// fail has the processor report that a refund failed.
func fail(t *testing.T, w *fixture.World, r refund.Refund) {
	t.Helper()
	if err := w.Refunds.Failed(t.Context(), reported(r, processor.RefundFailed)); err != nil {
		t.Fatal(err)
	}
}

// balance is what the US merchant has, by account.
func balance(t *testing.T, w *fixture.World) ledger.MerchantBalance {
	t.Helper()
	b, err := w.Ledger.Balance(t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Wherever the money of the charge is by then, it goes back there, with no fee added or returned.
func TestRefundThatFailsLater(t *testing.T) {
	t.Parallel()
	never := func(*testing.T, *fixture.World, charge.Charge) {}
	for name, c := range map[string]struct {
		debit         bool
		before, after func(*testing.T, *fixture.World, charge.Charge) // the refund
	}{
		"not settled":           {false, never, never},
		"settled before":        {false, settle, never},
		"settled in between":    {false, never, settle},
		"a debit, with its fee": {true, settle, never},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fixture.New(t)
			var one charge.Charge
			if c.debit {
				one = debited(t, w, 100)
			} else {
				one = captured(t, w, 100)
			}
			c.before(t, w, one)
			untouched := balance(t, w)
			r := create(t, w, of(one, 60), nil).Object
			c.after(t, w, one)
			w.Clock.Advance(3 * 24 * time.Hour)
			fail(t, w, r)
			got, now := get(t, w, r.ID), chargeOf(t, w, one.ID)
			if got.Status != refund.Failed || got.Version != 3 || got.Failure.Code != "lost_or_stolen_card" ||
				got.SucceededAt == nil ||
				!got.FailedAt.Equal(instant.Of(moment(t, w).At).Time) {
				t.Errorf("%s", jsonOf(t, got))
			}
			if now.AmountRefunded != 0 || now.AmountRefundable != 100 || now.AmountRefundPending != 0 {
				t.Errorf("%s", jsonOf(t, now))
			}
			if b := balance(t, w); b.Total != untouched.Total || now.Status == charge.Settled && b.Pending != 0 {
				t.Errorf("%+v, before the refund %+v", b, untouched)
			}
			fail(t, w, r) // again
			if again := get(t, w, r.ID); again.Version != 3 || chargeOf(t, w, one.ID).Version != now.Version {
				t.Errorf("a repetition changes %s", jsonOf(t, again))
			}
			if err := w.Refunds.Confirmed(t.Context(), reported(r, processor.RefundSucceeded)); err != nil ||
				get(t, w, r.ID).Version != 3 {
				t.Errorf("an earlier event that comes later: %v", err)
			}
			if n := count(t, w, `processor_operations WHERE subject_id = @id AND state = 'approved'
				AND raw_code = 'lost_or_stolen_card'`, pg.Args{"id": r.ID}); n != 1 {
				t.Error("the call does not have the processor's own code")
			}
			audit(t, w)
		})
	}
}

// A notice and the feed may report one failure at once, while the charge is refunded: it is booked once.
func TestFailureThatIsReportedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 100)
	r := create(t, w, of(c, 60), nil).Object
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := w.Refunds.Failed(t.Context(), reported(r, processor.RefundFailed)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		if _, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 40), nil); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	if got, now := get(t, w, r.ID), chargeOf(t, w, c.ID); got.Version != 3 || now.AmountRefunded != 40 ||
		now.AmountRefundable != 60 {
		t.Errorf("%s\n%s", jsonOf(t, got), jsonOf(t, now))
	}
	if n := count(t, w, `ledger_entries WHERE source_id = @id AND kind = 'refund_failed'`,
		pg.Args{"id": r.ID}); n != 1 {
		t.Errorf("%d postings", n)
	}
	audit(t, w)
}

// The event takes the way of all events, and its money can be refunded again, also at the processor.
func TestRefundAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 100)
	first, second := create(t, w, of(c, 30), nil).Object, create(t, w, of(c, 70), nil).Object
	in := simulate.RefundInput{Outcome: ptr("failed")}
	out, err := w.Simulate.Refund(t.Context(), w.Actor(), second.ID.String(), in, nil)
	if err != nil || out.Object.Status != refund.Failed || out.Object.Failure.Code != "account_closed" {
		t.Fatalf("%+v, %v", out.Object, err)
	}
	if _, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 71), nil); code(err) != "refund_exceeds_remaining" {
		t.Errorf("more than is left: %v", err)
	}
	again := create(t, w, of(c, 0), nil).Object
	if again.Amount != 70 || again.Status != refund.Succeeded || get(t, w, first.ID).Version != 2 ||
		chargeOf(t, w, c.ID).AmountRefunded != 100 {
		t.Errorf("%s", jsonOf(t, again))
	}
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), second.ID.String(), in,
		nil); code(err) != "simulation_not_possible" {
		t.Errorf("it fails twice: %v", err)
	}
	if n := count(t, w, `events WHERE object_id = @id AND type = 'refund.failed' AND source = 'job'
		AND position = 3`, pg.Args{"id": second.ID}); n != 1 {
		t.Errorf("%d events of the failure", n)
	}
	if n := count(t, w, `events WHERE object_id = @id AND type = 'charge.updated'
		AND previous_attributes::jsonb ->> 'amount_refunded' = '100'`, pg.Args{"id": c.ID}); n != 1 {
		t.Errorf("%d events of the charge", n)
	}
	audit(t, w)
}

func TestFailureBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.refund = p.lose
	c := captured(t, w, 100)
	r := create(t, w, of(c, 70), claimOf(w, "k")).Object
	for _, kind := range []processor.EventKind{processor.RefundSucceeded, processor.RefundFailed} {
		handle := map[processor.EventKind]func() error{
			processor.RefundSucceeded: func() error { return w.Refunds.Confirmed(t.Context(), reported(r, kind)) },
			processor.RefundFailed:    func() error { return w.Refunds.Failed(t.Context(), reported(r, kind)) },
		}[kind]
		if err := handle(); !errors.Is(err, refund.ErrUnresolved) || get(t, w, r.ID).Version != 1 {
			t.Errorf("%s before the answer: %v", kind, err)
		}
	}
	w.Clock.Advance(time.Second)
	resolve(t, w, 1)
	fail(t, w, r)
	if got := get(t, w, r.ID); got.Status != refund.Failed || got.Version != 3 ||
		chargeOf(t, w, c.ID).AmountRefundable != 100 {
		t.Errorf("%s", jsonOf(t, got))
	}
	audit(t, w)
}

// An event is proof that a refund which was given up was made: it is booked, and the watch over it has nothing to add.
func TestEventsOfARefundThatWasGivenUp(t *testing.T) {
	t.Parallel()
	for kind, want := range map[processor.EventKind]refund.Status{processor.RefundSucceeded: refund.Succeeded,
		processor.RefundFailed: refund.Failed} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, lost := givenUp(t)
			if err := w.p.deliver(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n, err := pg.Exec(t.Context(), w.Pool, `UPDATE processor_operations SET external_id = 'known'
				WHERE subject_id = @id`, pg.Args{"id": lost.ID}); err != nil || n != 1 {
				t.Fatal(n, err)
			}
			handle := w.Refunds.Confirmed
			if kind == processor.RefundFailed {
				handle = w.Refunds.Failed
			}
			for range 2 {
				if err := handle(t.Context(), reported(lost, kind)); err != nil {
					t.Fatal(err)
				}
			}
			w.Clock.Advance(time.Hour)
			resolve(t, w.World, 0)
			o := operation.Outcome{Answer: &processor.Answer{Approved: true}}
			err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) (err error) {
				o.Operation, err = operation.OfReference(t.Context(), tx, operation.Refund, "sandbox",
					lost.Processor.Reference)
				return err
			})
			// another server found it, too
			if err = errors.Join(err, w.Refunds.Late(t.Context(), []operation.Outcome{o})); err != nil {
				t.Fatal(err)
			}
			if r := get(t, w.World, lost.ID); r.Status != want || r.SucceededAt == nil {
				t.Errorf("%s", jsonOf(t, r))
			}
			if n := count(t, w.World, `processor_operations WHERE subject_id = @id AND state = 'approved'
				AND external_id = 'known'`, pg.Args{"id": lost.ID}); n != 1 {
				t.Error("the processor's id of the refund is lost")
			}
			refunded := map[refund.Status]money.Amount{refund.Succeeded: 60}[want]
			if now := chargeOf(t, w.World, w.charge.ID); now.AmountRefunded != refunded ||
				now.AmountRefundPending != 0 {
				t.Errorf("%s", jsonOf(t, now))
			}
			audit(t, w.World)
		})
	}
}

// A refund that was given up, was made and failed, while its charge is refunded otherwise, is no one's loss.
func TestFailureOfARefundThatWasGivenUpAndNoLongerFits(t *testing.T) {
	t.Parallel()
	w, lost := givenUp(t)
	w.p.refund = w.p.lose
	other := create(t, w.World, of(w.charge, 60), nil).Object
	event := reported(lost, processor.RefundFailed)
	// the other one may fail yet
	if err := w.Refunds.Failed(t.Context(), event); !errors.Is(err, refund.ErrUnresolved) {
		t.Errorf("while another one is pending: %v", err)
	}
	w.Clock.Advance(time.Second)
	resolve(t, w.World, 1)
	if err := w.Refunds.Failed(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	if a, b := get(t, w.World, lost.ID), get(t, w.World, other.ID); a.Version != lost.Version ||
		b.Status != refund.Succeeded {
		t.Errorf("%s and %s", jsonOf(t, a), b.Status)
	}
	if n := count(t, w.World, `ledger_entries WHERE source_id = @id`, pg.Args{"id": lost.ID}); n != 0 {
		t.Errorf("%d postings", n)
	}
	if now := chargeOf(t, w.World, w.charge.ID); now.AmountRefunded != 60 {
		t.Errorf("%s", jsonOf(t, now))
	}
}

func TestEventsOfRefundsThatDoNotFit(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	r := create(t, w, of(c, 10), nil).Object
	p.refund = p.decline
	refused := create(t, w, of(c, 10), nil).Object
	waits := create(t, w, of(debited(t, w, 100), 10), nil).Object
	for name, c := range map[string]struct {
		of         refund.Refund
		change     func(*processor.Event)
		fails      string
		contradict bool // by a confirmation
	}{
		"unknown reference": {r, func(e *processor.Event) { e.Reference = "re_unheard" }, "resource_missing", true},
		"another account":   {r, func(e *processor.Event) { e.Account += "0" }, "resource_missing", true},
		"another processor": {r, func(e *processor.Event) { e.Adapter = "second" }, "resource_missing", true},
		"declined":          {refused, func(*processor.Event) {}, "<nil>", true},
		"never sent":        {waits, func(*processor.Event) {}, "refund: refund_failed of " + waits.ID.String() + ", which is pending", true},
		"succeeded":         {r, func(e *processor.Event) { e.Reference = r.Processor.Reference }, "<nil>", false},
	} {
		failed, confirmed := reported(c.of, processor.RefundFailed), reported(c.of, processor.RefundSucceeded)
		c.change(&failed)
		c.change(&confirmed)
		if err := w.Refunds.Confirmed(t.Context(), confirmed); (err != nil) != c.contradict {
			t.Errorf("%s is confirmed: %v", name, err)
		}
		if name == "succeeded" {
			continue
		}
		if err := w.Refunds.Failed(t.Context(), failed); code(err) != c.fails {
			t.Errorf("%s: %v; want %s", name, err, c.fails)
		}
	}
	if a, b, c := get(t, w, r.ID), get(t, w, refused.ID), get(t, w, waits.ID); a.Version != 2 || b.Version != 2 ||
		c.Version != 1 {
		t.Errorf("versions %d, %d, %d", a.Version, b.Version, c.Version)
	}
	unnamed := reported(r, processor.RefundFailed)
	unnamed.Failure = "unheard"
	if err := w.Refunds.Failed(t.Context(), unnamed); err != nil || get(t, w, r.ID).Failure.Code != "bank_refused" {
		t.Errorf("a reason that the port does not have: %v", err)
	}
	audit(t, w)
}

// What a refund had taken from a chargeback, the chargeback asks for again when the refund fails.
func TestRefundThatFailsBesideADispute(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 100)
	r := create(t, w, of(c, 60), nil).Object
	if _, err := w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(),
		simulate.ChargeInput{Outcome: ptr("chargeback")}, nil); err != nil {
		t.Fatal(err)
	}
	if now := chargeOf(t, w, c.ID); now.AmountDisputed != 40 {
		t.Fatalf("%s", jsonOf(t, now))
	}
	before := balance(t, w)
	fail(t, w, r)
	if now := chargeOf(t, w, c.ID); now.AmountRefunded != 0 || now.AmountDisputed != 100 || now.AmountRefundable != 0 {
		t.Errorf("%s", jsonOf(t, now))
	}
	if b := balance(t, w); b.Total != before.Total+60 || b.Reserved != before.Reserved {
		t.Errorf("%+v, before the failure %+v", b, before)
	}
	all, err := w.Disputes.List(t.Context(), w.Actor(),
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 1}, ChargeID: &c.ID})
	if err == nil {
		_, err = w.Disputes.Accept(t.Context(), w.Actor(), all.Items[0].ID.String(), nil)
	}
	if now := chargeOf(t, w, c.ID); err != nil || now.AmountDisputed+now.AmountRefunded != 100 {
		t.Errorf("%s, %v", jsonOf(t, now), err)
	}
	audit(t, w)
}

// A debit that came back took all of its amount: the failure of a refund returns that part, and none of it can be
// refunded.
func TestRefundThatFailsAfterItsDebitCameBack(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := debited(t, w, 100)
	settle(t, w, c)
	r := create(t, w, of(c, 60), nil).Object
	if err := w.Charges.Return(t.Context(), told(c, "R10")); err != nil {
		t.Fatal(err)
	}
	before := balance(t, w)
	fail(t, w, r)
	now, b := chargeOf(t, w, c.ID), balance(t, w)
	if now.Status != charge.Returned || now.AmountRefunded != 0 || b.Total != before.Total+60 ||
		b.Available != before.Available+60 {
		t.Errorf("%s, %+v, before the failure %+v", jsonOf(t, now), b, before)
	}
	if _, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 0), nil); code(err) != "charge_not_refundable" {
		t.Errorf("a refund of a returned debit: %v", err)
	}
	audit(t, w)
}

package reconcile_test

import (
	"maps"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/reconcile"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// twin is a deployment with two sandbox processors: new payments of the world are made at the first, those of other at
// the second.
type twin struct {
	place
	other *assembly.Services
	deps  assembly.Deps
}

func openTwin(t *testing.T) twin {
	t.Helper()
	var w twin
	w.World = fixture.New(t, func(d *assembly.Deps) {
		timeOf := kit.AccountClock(d.Clock.Moment)
		first, second := sandbox.New("sandbox", d.Pool, d.Now, timeOf), sandbox.New("second", d.Pool, d.Now, timeOf)
		d.Processors = processor.NewRegistry(first, first, second)
		d.NextEvent = assembly.SandboxNext(d.DAF.(*dafsandbox.Provider), first, second)
		d.Happen = assembly.SandboxHappens(first, second)
		w.deps = *d
		w.deps.Processors = processor.NewRegistry(second, second, first)
	})
	w.other = assembly.New(w.deps)
	return w
}

// take makes a charge by one of the two services.
func (w twin) take(t *testing.T, s *assembly.Services, token string, capture bool) charge.Charge {
	t.Helper()
	amount := money.Amount(1_000)
	out, err := s.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, Capture: &capture}, nil)
	must(t, err)
	return out.Object
}

func (w twin) happens(t *testing.T, c charge.Charge, outcome string) charge.Charge {
	t.Helper()
	out, err := w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(), simulate.ChargeInput{Outcome: &outcome}, nil)
	must(t, err)
	return out.Object
}

// TestTwoProcessorsReconcile has payments of both processors captured, refunded, settled, failed and disputed by a
// service that makes new ones at the first. Each feed and each book is read once, and nothing differs.
func TestTwoProcessorsReconcile(t *testing.T) {
	t.Parallel()
	w := openTwin(t)
	held := w.take(t, w.World.Services, w.Token(good), false)
	sold := w.take(t, w.other, w.Token(good), true)
	debit := w.take(t, w.other, w.BankToken(w.App.Merchants.US, w.USBank(failing)), true)
	if held.Processor.Name != "sandbox" || sold.Processor.Name != "second" || debit.Processor.Name != "second" {
		t.Fatalf("%+v, %+v, %+v", held.Processor, sold.Processor, debit.Processor)
	}
	next, err := w.deps.NextEvent(t.Context(), w.App.AppID, w.Clock.Now())
	if must(t, err); next == nil {
		t.Fatal("the second processor schedules nothing")
	}
	// where it was authorized
	_, err = w.other.Charges.Capture(t.Context(), w.Actor(), held.ID.String(), charge.CaptureInput{}, nil)
	must(t, err)
	w.refund(t, sold, 100)
	if c := w.happens(t, held, "settled"); c.Status != charge.Settled {
		t.Errorf("the charge of the first is %s", c.Status)
	}
	for name, c := range map[string]charge.Charge{"sandbox": held, "second": sold} {
		w.happens(t, c, "chargeback")
		d := disputeOf(w.place, c)
		if d.Processor.Name != name {
			t.Errorf("the dispute is at %s, not %s", d.Processor.Name, name)
		}
		lost := "lost"
		out, err := w.Simulate.Dispute(t.Context(), w.Actor(), d.ID.String(),
			simulate.DisputeInput{Outcome: &lost}, nil)
		if must(t, err); out.Object.Status != dispute.Lost {
			t.Errorf("the dispute at %s is %s", name, out.Object.Status)
		}
	}
	ahead := "240h"
	_, err = w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &ahead}, nil)
	must(t, err)
	if c, err := w.Charges.Get(t.Context(), w.Actor(), debit.ID.String()); err != nil || c.Status != charge.Failed {
		t.Errorf("the debit is %s, %v", c.Status, err)
	}
	w.clean(t)
}

// What each processor owes follows from where each payment was made; a payout is owed less by the processor that made
// it.
func TestEachProcessorOwesForItsOwnPayments(t *testing.T) {
	t.Parallel()
	w := openTwin(t)
	owed := func() map[string]money.Amount {
		t.Helper()
		all, err := reconcile.Receivables(t.Context(), w.Pool)
		must(t, err)
		out := make(map[string]money.Amount)
		for _, r := range all {
			if r.ApplicationID != w.App.AppID || r.Currency != money.USD ||
				r.External != processor.MerchantAccount(w.App.AppID, w.App.Merchants.US) {
				t.Errorf("%+v", r)
			}
			out[r.Processor] += r.Amount
		}
		return out
	}
	w.take(t, w.World.Services, w.Token(good), true)
	sold := w.take(t, w.other, w.Token(good), true)
	w.refund(t, sold, 100)
	if got := owed(); !maps.Equal(got, map[string]money.Amount{"sandbox": 1_000, "second": 900}) {
		t.Errorf("%v", got)
	}
	w.BankAccount(w.App, w.App.Merchants.US)
	for range 20 { // half days, in which the charges settle and are paid out
		w.Clock.Advance(12 * time.Hour)
		w.settle(t)
	}
	paid, err := pg.Value[money.Amount](t.Context(), w.Pool, `SELECT sum(amount)::bigint FROM payouts
		WHERE status = 'paid'`, pg.Args{})
	if must(t, err); paid <= 900 {
		t.Fatalf("paid out: %d", paid)
	}
	if got := owed(); !maps.Equal(got, map[string]money.Amount{"sandbox": 1_000 - paid, "second": 900}) {
		t.Errorf("after a payout of %d: %v", paid, got)
	}
}

// The line of a refund that failed must agree with the refund in all that it says.
func TestFailuresOfRefundsAreComparedWhole(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]reconcile.Kind{
		`currency = 'cad'`: reconcile.CurrencyDiffers, `account = account || '9'`: reconcile.AccountDiffers,
		`approved = false`: reconcile.ApprovalDiffers,
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			w := open(t)
			r := w.refund(t, w.charge(t, w.Token(good), 100, true), 60)
			failed := "failed"
			_, err := w.Simulate.Refund(t.Context(), w.Actor(), r.ID.String(),
				simulate.RefundInput{Outcome: &failed}, nil)
			must(t, err)
			w.exec(t, `UPDATE sandbox_processor_book SET `+change+` WHERE kind = 'refund_failed'`, pg.Args{})
			w.settle(t)
			w.now(t)
			w.expect(t, change, string(want)+" "+r.Processor.Reference)
		})
	}
}

// clean checks that both feeds and both books were read whole, and agree.
func (w twin) clean(t *testing.T) {
	t.Helper()
	w.settle(t)
	w.Clock.Advance(2 * time.Hour)
	if len(w.Reconcile) != 2 {
		t.Fatalf("%d books", len(w.Reconcile))
	}
	for _, s := range w.Reconcile {
		r, err := s.RunNow(t.Context())
		must(t, err)
		open, err := s.Open(t.Context())
		if must(t, err); r.Lines < 2 || len(open) > 0 {
			t.Errorf("the book of %s: %d lines, %+v", s.Name(), r.Lines, open)
		}
	}
	for what, from := range map[string]string{
		"lines that were not read once": `sandbox_processor_book b FULL JOIN reconciliation_lines l
			ON l.processor = b.processor AND l.number = b.id AND l.reference = b.reference
				WHERE b.id IS NULL OR l.number IS NULL`,
		"events that were not read once": `sandbox_processor_feed f FULL JOIN inbound_events e
			ON e.feed = 'processor/' || f.processor AND e.id = lpad(f.id::text, 19, '0')
				WHERE f.id IS NULL OR e.handled_at IS NULL`,
		"submissions elsewhere": `processor_operations o JOIN sandbox_processor_book b ON b.reference = o.reference
			WHERE b.processor <> o.processor`,
	} {
		if n := w.count(t, from, pg.Args{}); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	if n := w.count(t, `(SELECT DISTINCT processor FROM sandbox_processor_feed) p`, pg.Args{}); n != 2 {
		t.Errorf("%d feeds have events", n)
	}
}

// connect gives the US merchant an account at a processor, which comes first from now on.
func (w twin) connect(t *testing.T, at, external string) accounts.Account {
	t.Helper()
	a, err := w.Accounts.Connect(t.Context(), w.Admin(),
		accounts.ConnectInput{MerchantID: &w.App.Merchants.US, Processor: at,
			External: processor.AccountPrefix(w.App.AppID) + external,
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard, processor.MethodACH},
				Priority: 1}})
	must(t, err)
	return a
}

// TestMerchantMovesBetweenProcessors moves a merchant while an authorization waits for its capture and a call has no
// answer. What follows goes where each payment was made, whatever the account's status.
func TestMerchantMovesBetweenProcessors(t *testing.T) {
	t.Parallel()
	w := openTwin(t)
	before := w.connect(t, "sandbox", "before")
	held := w.take(t, w.World.Services, w.Token(good), false)
	unknown := w.take(t, w.World.Services, w.Token(answerLost), true)
	if unknown.Status != charge.Processing {
		t.Fatalf("%+v", unknown)
	}
	_, err := w.Accounts.SetStatus(t.Context(), w.Admin(), before.ID.String(), accounts.Disabled, nil)
	must(t, err)
	after := w.connect(t, "second", "after")
	sold := w.take(t, w.World.Services, w.Token(good), true)
	debit := w.take(t, w.World.Services, w.BankToken(w.App.Merchants.US, w.USBank(failing)), true)
	_, err = w.Charges.Capture(t.Context(), w.Actor(), held.ID.String(), charge.CaptureInput{}, nil)
	must(t, err)
	w.Clock.Advance(time.Hour)
	_, err = w.Operations.Resolve(t.Context())
	must(t, err)
	w.refund(t, sold, 100)
	w.refund(t, held, 100)
	w.happens(t, held, "chargeback")
	w.happens(t, debit, "settled")
	for c, want := range map[ids.Charge]accounts.Account{held.ID: before, unknown.ID: before, sold.ID: after,
		debit.ID: after} {
		got, err := w.Charges.Find(t.Context(), w.App.AppID, c)
		if must(t, err); got.Account() != want.Account() || got.Status == charge.Processing {
			t.Errorf("%s is %s at %+v", c, got.Status, got.Account())
		}
		if n := w.count(t, `processor_operations WHERE charge_id = @id AND (processor, processor_account) IS DISTINCT
			FROM (@processor, @account)`,
			pg.Args{"id": c, "processor": want.Processor, "account": want.External}); n != 0 {
			t.Errorf("%d calls about %s went elsewhere", n, c)
		}
	}
	w.clean(t)
}

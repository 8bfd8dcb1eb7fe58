package reconcile_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
)

// late makes a call that arrives after it was given up, and has the resolver find it if found.
func (w place) late(t fatal, found bool, call func()) {
	t.Helper()
	w.p.fate = delays
	call()
	w.p.fate = arrives
	w.Clock.Advance(w.p.SettleWindow() + time.Second)
	_, err := w.Operations.Resolve(w.T.Context())
	must(t, err)
	w.p.deliver(t, w.T.Context())
	if !found {
		return
	}
	w.Clock.Advance(2 * time.Minute)
	w.settle(t)
}

// TestLateApprovalsThatWereReversed are no differences: the money has gone back.
func TestLateApprovalsThatWereReversed(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, call := range map[string]func(){
		"captured": func() { w.charge(t, w.Token(good), 100, true) },
		"held":     func() { w.charge(t, w.Token(good), 100, false) },
		"debited":  func() { w.charge(t, w.BankToken(w.App.Merchants.US, w.USBank(settles)), 100, true) },
	} {
		reversals := w.count(t, `processor_operations WHERE kind = 'reverse' AND state = 'approved'`, pg.Args{})
		w.late(t, true, call)
		if n := w.count(t, `processor_operations WHERE kind = 'reverse' AND state = 'approved'`,
			pg.Args{}); n != reversals+1 {
			t.Fatalf("%s: %d reversals", name, n)
		}
		w.now(t)
		w.expect(t, name)
	}
}

// TestLateApprovalBeforeItIsReversed is one difference at every stage, and none in the end.
func TestLateApprovalBeforeItIsReversed(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.late(t, false, func() { w.charge(t, w.Token(good), 100, true) })
	reference, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations`, pg.Args{})
	must(t, err)
	w.now(t)
	w.expect(t, "not noticed", "approval_differs "+reference)
	w.p.fate = drops // the reversal does not arrive
	w.Clock.Advance(5 * time.Minute)
	_, err = w.Operations.Resolve(t.Context())
	must(t, err)
	w.now(t)
	reversal, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'reverse'`, pg.Args{})
	must(t, err)
	w.expect(t, "noticed", "posting_missing "+reference, "open_too_long "+reversal)
	// It may still arrive, and the payer would be paid twice: it is made again when no one looks for it any more.
	w.p.fate = arrives
	w.settle(t)
	w.repeat(t, 0)
	w.now(t)
	w.expect(t, "given up", "posting_missing "+reference)
	w.Clock.Advance(25 * time.Hour)
	w.settle(t)
	// An earlier version made another one the moment that it gave the first up.
	w.exec(t, `
		INSERT INTO processor_operations (id, application_id, merchant_id, charge_id, subject_id, kind, processor,
			reference, amount, currency, state, note, source, created_at, finished_at)
		SELECT gen_random_uuid(), application_id, merchant_id, charge_id, subject_id, kind, processor, 'before', amount,
			currency, 'approved', note, source, finished_at, finished_at
		FROM processor_operations WHERE kind = 'reverse'`, pg.Args{})
	w.repeat(t, 0)
	w.exec(t, `DELETE FROM processor_operations WHERE reference = 'before'`, pg.Args{})
	w.repeat(t, 1)
	w.repeat(t, 0)
	w.now(t)
	w.expect(t, "reversed")
	if n := w.count(t, `reconciliation_differences`, pg.Args{}); n != 3 {
		t.Errorf("%d rows", n)
	}
}

// TestLateDebitThatCouldNotBeVoided is a difference until it is refunded, or the bank has sent it back.
func TestLateDebitThatCouldNotBeVoided(t *testing.T) {
	t.Parallel()
	w := open(t)
	for what, given := range map[string]func(happen func(kind processor.EventKind, code string)){
		"sent back": func(happen func(kind processor.EventKind, code string)) {
			happen(processor.DebitReturned, "R10")
		},
		"refunded": func(func(kind processor.EventKind, code string)) {
			w.Clock.Advance(12 * 24 * time.Hour)
			w.repeat(t, 1)
		},
	} {
		var c charge.Charge
		w.late(t, false, func() { c = w.charge(t, w.BankToken(w.App.Merchants.US, w.USBank(settles)), 100, true) })
		happen := func(kind processor.EventKind, code string) {
			must(t, w.p.Simulate(t.Context(), sandbox.Simulation{Account: c.Account(), Kind: kind,
				Reference: c.Processor.Reference, ReturnCode: code}))
			w.sweep(t)
		}
		happen(processor.ChargeSettled, "")
		w.Clock.Advance(2 * time.Minute)
		w.settle(t)
		w.now(t)
		w.expect(t, "refused", "posting_missing "+c.Processor.Reference)
		given(happen)
		w.now(t)
		w.expect(t, what)
	}
}

// repeat makes reversals again that no one looks for any more.
func (w place) repeat(t fatal, want int) {
	t.Helper()
	n, err := w.Charges.RepeatReversals(w.T.Context())
	must(t, err)
	if n != want {
		t.Fatalf("%d reversals were made again, want %d", n, want)
	}
}

// TestLateRefundThatDoesNotFit: the processor returned more than we booked.
func TestLateRefundThatDoesNotFit(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.charge(t, w.Token(good), 100, true)
	var r refund.Refund
	w.late(t, false, func() { r = w.refund(t, c, 60) })
	// The sandbox would decline a second one of 60: another, of what is left there, and one of ours alone.
	w.refund(t, c, 40)
	w.exec(t, `UPDATE charges SET amount_refunded = 100 WHERE amount_refunded = 40`, pg.Args{})
	w.Clock.Advance(2 * time.Minute)
	w.settle(t)
	w.now(t)
	w.expect(t, "late", "posting_missing "+r.ID.String())
}

// TestLateCaptureBesideAnother: of two approved captures only the posted one is accounted for, whichever
// came first.
func TestLateCaptureBesideAnother(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.charge(t, w.Token(good), 100, false)
	amounts := []money.Amount{30, 50}
	for i, f := range []fate{drops, arrives} {
		w.p.fate = f
		_, _ = w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{Amount: &amounts[i]}, nil)
		w.p.fate = arrives
		w.Clock.Advance(w.p.SettleWindow() + time.Second)
		_, err := w.Operations.Resolve(t.Context())
		must(t, err)
	}
	w.now(t)
	w.expect(t, "one of them never arrived")
	lost, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'capture' AND amount = 30`, pg.Args{})
	must(t, err)
	w.exec(t, `UPDATE processor_operations SET state = 'approved', next_check_at = NULL WHERE reference = @ref`,
		pg.Args{"ref": lost})
	w.takesToo(t, c, lost, 30)
	w.now(t)
	w.expect(t, "both", "posting_missing "+lost)
}

// takesToo has a capture arrive after all, and the processor take it next to another one, which the sandbox does not.
func (w place) takesToo(t fatal, c charge.Charge, reference string, amount money.Amount) {
	t.Helper()
	w.exec(t, `
		INSERT INTO sandbox_processor_book (kind, reference, original, account, amount, currency, captured, approved,
			last4, test_case, answer, visible_at, account_at, created_at)
		SELECT kind, @ref, original, account, @amount, currency, captured, approved, last4, test_case, answer,
			visible_at, account_at, @now
		FROM sandbox_processor_book WHERE kind = 'capture' AND original = @charge`,
		pg.Args{"ref": reference, "amount": amount, "charge": c.Processor.Reference, "now": w.Clock.Now()})
}

// TestReversedCaptureBesideAnother: the one that came too late is a difference until it is reversed, and the other
// never, whether or not they are of one amount.
func TestReversedCaptureBesideAnother(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, amounts := range [][]money.Amount{{30, 50}, {50, 50}} {
		c := w.charge(t, w.Token(good), 100, false)
		for i, f := range []fate{drops, arrives} {
			w.p.fate = f
			_, _ = w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(),
				charge.CaptureInput{Amount: &amounts[i]}, nil)
			w.Clock.Advance(w.p.SettleWindow() + time.Second)
			_, err := w.Operations.Resolve(t.Context())
			must(t, err)
		}
		reference := func(kind string) string {
			r, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations
				WHERE kind = @kind AND charge_id = @id ORDER BY id LIMIT 1`,
				pg.Args{"kind": kind, "id": c.ID})
			must(t, err)
			return r
		}
		lost := reference("capture")
		w.takesToo(t, c, lost, amounts[0])
		w.p.fate = drops // the reversal does not arrive
		w.Clock.Advance(5 * time.Minute)
		_, err := w.Operations.Resolve(t.Context())
		must(t, err)
		w.now(t)
		w.expect(t, "noticed", "posting_missing "+lost, "open_too_long "+reference("reverse"))
		w.p.fate = arrives
		w.settle(t)
		w.Clock.Advance(25 * time.Hour)
		w.settle(t)
		w.repeat(t, 1)
		w.now(t)
		w.expect(t, "reversed")
	}
}

// TestCaptureThatCameWhenItsChargeHadExpired is no difference once it is reversed.
func TestCaptureThatCameWhenItsChargeHadExpired(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.charge(t, w.Token(good), 100, false)
	w.Clock.Advance(7*24*time.Hour - time.Minute)
	w.late(t, false,
		func() { _, _ = w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{}, nil) })
	w.Clock.Advance(time.Minute)
	w.sweep(t)
	w.settle(t)
	if n := w.count(t, `charges WHERE status = 'expired' AND version = 4`, pg.Args{}); n != 1 {
		t.Error("the charge did not expire, or does not tell of the reversal")
	}
	w.now(t)
	w.expect(t, "reversed")
}

// TestVoidedDebit: its posting must be taken back.
func TestVoidedDebit(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.charge(t, w.BankToken(w.App.Merchants.US, w.USBank(settles)), 100, true)
	_, err := w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, nil)
	must(t, err)
	w.now(t)
	w.expect(t, "voided")
	reference, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'void'`, pg.Args{})
	must(t, err)
	w.tamper(t, `UPDATE ledger_entries SET amount = 90 WHERE kind = 'debit_reversed'`, pg.Args{})
	// as if it were new
	w.exec(t, `UPDATE reconciliation_ledgers SET through = '00000000-0000-0000-0000-000000000000'`, pg.Args{})
	w.now(t)
	w.expect(t, "90 of 100 taken back", "posting_differs "+reference)
	w.tamper(t, `UPDATE ledger_entries SET amount = 100 WHERE kind = 'debit_reversed'`, pg.Args{})
	w.now(t)
	w.expect(t, "all taken back")
}

// payOut has a payout made, whose call meets that fate, and returns its reference.
func (w place) payOut(t fatal, f fate) string {
	t.Helper()
	w.BankAccount(w.App, w.App.Merchants.US)
	w.charge(t, w.Token(good), 10_000, true)
	w.p.fate = f
	for w.count(t, `payouts`, pg.Args{}) == 0 {
		w.Clock.Advance(12 * time.Hour)
		w.settle(t)
	}
	w.p.fate = arrives
	reference, err := pg.Value[string](w.T.Context(), w.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'payout'`, pg.Args{})
	must(t, err)
	return reference
}

// TestPayouts: those that end in any way are no differences, one that left although its money was given
// back is.
func TestPayouts(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fate{"answered": arrives, "found later": loses, "never arrived": drops} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			reference := w.payOut(t, f)
			w.Clock.Advance(w.p.SettleWindow() + time.Second)
			_, err := w.Operations.Resolve(t.Context())
			must(t, err)
			w.now(t)
			w.expect(t, "made")
			if f != drops {
				w.tamper(t, `UPDATE ledger_entries SET amount = amount + 1 WHERE kind = 'payout'`, pg.Args{})
				// as if it were new
				w.exec(t, `UPDATE reconciliation_cursors SET operation = '00000000-0000-0000-0000-000000000000'`,
					pg.Args{})
				w.now(t)
				w.expect(t, "another amount posted", "posting_differs "+reference)
			}
		})
	}
	t.Run("left after all", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		reference := w.payOut(t, delays)
		w.Clock.Advance(w.p.SettleWindow() + time.Second)
		_, err := w.Operations.Resolve(t.Context())
		must(t, err)
		w.p.deliver(t, t.Context())
		w.Clock.Advance(2 * time.Minute)
		_, err = w.Operations.Resolve(t.Context())
		must(t, err)
		w.now(t)
		w.expect(t, "left", "posting_missing "+reference)
	})
}

// TestAnswersToDisputes are in the book and move no money on their own.
func TestAnswersToDisputes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.charge(t, w.Token(disputed), 100, true)
	w.Clock.Advance(2 * time.Hour)
	w.settle(t)
	id, err := pg.Value[ids.Dispute](t.Context(), w.Pool, `SELECT id FROM disputes`, pg.Args{})
	must(t, err)
	_, err = w.Disputes.Accept(t.Context(), w.Actor(), id.String(), nil)
	must(t, err)
	w.now(t)
	w.expect(t, "accepted")
	if n := w.count(t, `reconciliation_lines WHERE kind = 'respond'`, pg.Args{}); n != 1 {
		t.Errorf("%d answers were read", n)
	}
}

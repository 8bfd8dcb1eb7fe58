package payout_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/check/patch"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// givenUp makes a payout that is lost on its way to the processor, and is given up. It returns what was submitted.
func (w place) givenUp(t *testing.T, amount money.Amount) (submitted processor.Payout) {
	t.Helper()
	w.earn(t, amount)
	w.p.plays(func(_ context.Context, p processor.Payout) (processor.Answer, error) {
		submitted = p
		return processor.Answer{}, errLost
	})
	w.next(t)
	w.p.plays(nil)
	w.Clock.Advance(time.Minute)
	if _, err := w.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := w.last(t, 1); p.Status != payout.Failed {
		t.Fatalf("%+v", p)
	}
	return submitted
}

// TestLostSubmissionIsWaitedForWhateverTheSchedule: who changes the schedule in the meantime does not have the money
// leave again while the one that was given up may still turn up.
func TestLostSubmissionIsWaitedForWhateverTheSchedule(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.givenUp(t, 300)
	given := *w.last(t, 1).FailedAt
	in := merchant.UpdateInput{TimeZone: patch.Set("America/Chicago")} // where it is not six yet
	if _, err := w.Merchants.Update(t.Context(), w.Actor(), w.us, in, nil); err != nil {
		t.Fatal(err)
	}
	if soon := w.merchant(t).NextPayoutAt.Sub(given.Time); soon > 2*time.Hour {
		t.Fatalf("the next run comes %v after a payout was given up", soon)
	}
	w.next(t)
	w.last(t, 1)
	if wait := w.merchant(t).NextPayoutAt.Sub(given.Time); wait < 24*time.Hour {
		t.Errorf("the next run comes %v after a payout was given up", wait)
	}
	w.next(t)
	if p := w.last(t, 2); p.Amount != 300 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

// TestLateApprovalStopsPayouts: a payout that was given up and left after all pauses the merchant's
// payouts before its money leaves twice.
func TestLateApprovalStopsPayouts(t *testing.T) {
	t.Parallel()
	w := open(t)
	submitted := w.givenUp(t, 300)
	if _, err := w.p.Processor.Payout(t.Context(), submitted); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(2 * time.Minute)
	if _, err := w.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := w.merchant(t); m.PayoutsPausedReason == nil ||
		w.count(t, `processor_operations WHERE state = 'approved'`, pg.Args{}) != 1 {
		t.Errorf("%+v", m)
	}
	w.next(t)
	late := w.last(t, 1)
	w.audit(t)
	for range 2 { // the money is taken from what is available again, once
		if err := w.Payouts.Paid(t.Context(), tell(late, processor.PayoutPaid, "")); err != nil {
			t.Fatal(err)
		}
	}
	if p := w.last(t, 1); p.Status != payout.Paid || p.Failure != nil || p.PaidAt == nil ||
		w.owed(t, ledger.MerchantAvailable) != 0 {
		t.Errorf("%+v, and %d are available", p, w.owed(t, ledger.MerchantAvailable))
	}
	w.audit(t)
	if err := w.Payouts.Returned(t.Context(), tell(late, processor.PayoutReturned, "R02")); err != nil {
		t.Fatal(err)
	}
	if p := w.last(t, 1); p.Status != payout.Returned || w.owed(t, ledger.MerchantAvailable) != 300 {
		t.Errorf("%+v, and %d are available", p, w.owed(t, ledger.MerchantAvailable))
	}
	w.audit(t)
}

// TestLateApprovalOfACorrectedPayout: an approval that is found after the processor has told that the payout
// arrived pauses nothing, since the books have it already.
func TestLateApprovalOfACorrectedPayout(t *testing.T) {
	t.Parallel()
	w := open(t)
	submitted := w.givenUp(t, 300)
	if _, err := w.p.Processor.Payout(t.Context(), submitted); err != nil {
		t.Fatal(err)
	}
	if err := w.Payouts.Paid(t.Context(), tell(w.last(t, 1), processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(2 * time.Minute)
	if _, err := w.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := w.merchant(t); m.PayoutsPausedReason != nil ||
		w.count(t, `processor_operations WHERE state = 'approved'`, pg.Args{}) != 1 {
		t.Errorf("%+v", m)
	}
	w.audit(t)
}

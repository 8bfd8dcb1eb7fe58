package payout_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/merchant"
	"svcpay/internal/patch"
	"svcpay/internal/processor"
)

// TestLostSubmissionIsWaitedForWhateverTheSchedule: who changes the schedule meanwhile does not have the money leave
// again while the one that was given up may still turn up.
func TestLostSubmissionIsWaitedForWhateverTheSchedule(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 300)
	w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) { return processor.Answer{}, errLost })
	w.next(t)
	w.p.plays(nil)
	w.Clock.Advance(time.Minute)
	if _, err := w.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
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

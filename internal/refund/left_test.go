package refund_test

import (
	"sync"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// Of two who look at the same amount and decide at the same time, one refunds; the other learns what is left.
func TestWhoDecidedByAnotherAmountIsRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 10_000)
	in := of(c, 3_000)
	in.IfLeft = ptr(money.Amount(10_000))
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		both.Go(func() { _, errs[i] = w.Refunds.Create(t.Context(), w.Actor(), in, nil) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("one of them refunds: %v", errs)
	}
	for _, err := range errs {
		if f, ok := fault.As(err); err != nil &&
			(!ok || f.Code != "object_changed" || f.Detail["remaining"] != money.Amount(7_000)) {
			t.Errorf("the other is told %v", err)
		}
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefunded != 3_000 {
		t.Errorf("%d is refunded", now.AmountRefunded)
	}
	totals, err := w.Refunds.Totals(t.Context(), w.Actor(), refund.ListInput{})
	if err != nil || len(totals) != 1 || totals[0].Count != 1 || totals[0].Succeeded != 3_000 {
		t.Errorf("%+v, %v", totals, err)
	}
}

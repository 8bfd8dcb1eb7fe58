package daf_test

import (
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

func TestNearestWholeDollarIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Nonintegrated, 100)
	rapid.Check(t, func(t *rapid.T) {
		amount := money.Amount(rapid.OneOf(rapid.Int64Range(1, 1000),
			rapid.Int64Range(1, int64(money.MaxCharge))).Draw(t, "amount"))
		if amount%100 == 0 {
			amount++
		}
		bad := in
		bad.Amount = &amount
		_, err := w.DAF.Create(w.T.Context(), w.Actor(), bad, nil)
		f, ok := fault.As(err)
		if !ok || f.Code != "daf_amount_not_whole_dollar" {
			t.Fatalf("%d: %v", amount, err)
		}
		nearest := f.Detail["nearest_amount"].(money.Amount)
		away := max(amount-nearest, nearest-amount)
		if nearest < 100 || nearest > daf.MaxDonation || nearest%100 != 0 || away > 50 && nearest != 100 &&
			nearest != daf.MaxDonation {
			t.Fatalf("nearest of %d is %d", amount, nearest)
		}
	})
}

package fee_test

import (
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
)

func TestWhoDiffersFromTheDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	off := fee.Rates{CaptureFee: 20, DAFPercentage: 2000}
	if _, err := w.fees.SetDefaults(t.Context(), w.admin(), 0, off); err != nil {
		t.Fatal(err)
	}
	alike := w.createdNow(t)
	zero := off
	zero.PlatformFlatFee = new(money.Amount) // what is off differs from what costs nothing
	unlike := w.copyMerchant(t, zero)
	differing := func() map[int64]fee.Rates {
		out := map[int64]fee.Rates{}
		p, err := w.fees.Differing(t.Context(), w.admin(), page.Input[int64]{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range p.Items {
			out[u.MerchantID] = u.Rates
		}
		return out
	}
	if got := differing(); !got[unlike.MerchantID].Equal(zero) || got[alike.MerchantID].CaptureFee != 0 {
		t.Errorf("%+v", got)
	}
	w.Clock.Advance(time.Minute)
	later := w.change(t, alike, fee.Rates{CaptureFee: 99, DAFPercentage: 2000}, time.Hour)
	if _, yet := differing()[alike.MerchantID]; yet {
		t.Error("what is scheduled is in force")
	}
	coming, err := w.fees.Upcoming(t.Context(), w.admin())
	if err != nil || len(coming) != 1 || coming[0].ID != later.ID || coming[0].Status != fee.Scheduled ||
		coming[0].MerchantID != alike.MerchantID {
		t.Errorf("%+v, %v", coming, err)
	}
	w.Clock.Advance(2 * time.Hour)
	if _, now := differing()[alike.MerchantID]; !now {
		t.Error("what has begun is not in force")
	}
	if coming, err := w.fees.Upcoming(t.Context(), w.admin()); err != nil || len(coming) > 0 {
		t.Errorf("%+v, %v", coming, err)
	}
	if _, err := w.fees.Differing(t.Context(), w.person(staff), page.Input[int64]{Limit: 5}); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("staff: %v", err)
	}
	if coming, err := w.fees.Upcoming(t.Context(), w.ActorOf(w.Other)); err != nil || len(coming) > 0 {
		t.Errorf("another application sees %+v, %v", coming, err)
	}
}

package demo_test

import (
	"testing"

	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

func TestTheDemosFirstMerchantsTakeDonations(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	maker := demo.Maker{Identity: w.Identity, APIKeys: w.APIKeys, Merchants: w.Merchants, Payouts: w.Payouts,
		DAF: w.DAF}
	versions := map[int64]int{}
	for i := range 2 { // the second time there is nothing to do
		if err := maker.EnsureDAF(t.Context(), demo.Credentials{Application: w.App, Other: &w.Other}); err != nil {
			t.Fatal(err)
		}
		for _, a := range []demo.Application{w.App, w.Other} {
			m, err := w.Merchants.Find(t.Context(), a.AppID, a.Merchants.US)
			if err != nil || !m.CanProcess.DAF || i == 1 && m.Version != versions[m.ID] {
				t.Errorf("%+v, %v", m, err)
			}
			versions[m.ID] = m.Version
			if other, err := w.Merchants.Find(t.Context(), a.AppID, a.Merchants.USQ); err != nil ||
				other.CanProcess.DAF {
				t.Errorf("%+v, %v", other, err)
			}
		}
	}
}

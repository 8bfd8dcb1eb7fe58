package merchant_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/merchant"
	"svcpay/internal/processor"
)

// Every gap is someone's: a merchant that lacks it exists, and no one accepts what they lack something for.
func TestGapsAreWhatIsMissing(t *testing.T) {
	t.Parallel()
	seen := map[merchant.Gap]bool{}
	connection := "conn_x"
	rapid.Check(t, func(t *rapid.T) {
		m := merchant.Merchant{
			Country: rapid.SampledFrom(merchant.Countries()).Draw(t,
				"country"), Status: rapid.SampledFrom(merchant.Statuses()).Draw(t, "status"),
			Nonprofit: rapid.Bool().Draw(t, "nonprofit"), HasWalletA: rapid.Bool().Draw(t, "wallet A"),
			HasDAFProvider: rapid.Bool().Draw(t, "DAF Pay"),
			Domains:        rapid.SampledFrom([][]string{nil, {"give.example.org"}}).Draw(t, "domains"),
		}
		m.Reached = map[processor.Method]bool{}
		for _, method := range processor.Methods() {
			m.Reached[method] = rapid.Bool().Draw(t, "reached")
		}
		if rapid.Bool().Draw(t, "enrolled") {
			m.DAFProviderConnectID = &connection
		}
		for _, kind := range merchant.AllMethods() {
			gaps := m.Lacks(kind)
			for _, g := range gaps {
				seen[g] = true
			}
			never := slices.Contains(gaps, merchant.NotUS) || slices.Contains(gaps, merchant.NotCanada)
			if inactive := slices.Contains(gaps, merchant.NotActive); !never &&
				inactive != (m.Status != merchant.Active) || never && len(gaps) != 1 {
				t.Fatalf("%s of %+v lacks %v", kind, m, gaps)
			}
		}
		if daf := m.Lacks(merchant.DAF); len(daf) == 0 &&
			!(m.Eligible() && m.HasDAFProvider && m.DAFProviderConnectID != nil && m.Status == merchant.Active) {
			t.Fatalf("%+v takes donations", m)
		}
		if wallet := m.Lacks(merchant.WalletA); len(wallet) == 0 != (m.Status == merchant.Active && m.HasWalletA &&
			len(m.Domains) > 0 && m.Reached[processor.MethodCard]) {
			t.Fatalf("wallet A of %+v lacks %v", m, wallet)
		}
		if us, canada := m.Lacks(merchant.ACH), m.Lacks(merchant.ACSS); len(us) == 0 && len(canada) == 0 {
			t.Fatalf("%+v is in two countries", m)
		}
	})
	for _, g := range merchant.Gaps() {
		if !seen[g] {
			t.Errorf("nobody lacks %s", g)
		}
	}
}

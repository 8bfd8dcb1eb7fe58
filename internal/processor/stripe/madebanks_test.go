package stripe_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// The fake says how debits and payouts ended, and which transfers were reversed, as other tests rely on it.
func TestHowDebitsAndPayoutsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payee := w.connectMerchant()
	p := w.open()
	want := map[string]string{}
	for number, state := range map[string]string{fake.Debited: "settled", "000222222227": "failed",
		fake.DisputedLater: "returned", fake.StaysProcessing: "pending", fake.OverLimit: ""} {
		d := w.verified(t, bankOf(number), money.USD)
		if answer, err := p.Debit(t.Context(), d); err != nil || answer.Approved != (state != "") {
			t.Fatalf("%s: %+v, %v", number, answer, err)
		}
		want[d.Reference] = state
	}
	pay := func() processor.Payout {
		out := w.payout(ours)
		if answer, err := p.Payout(t.Context(), out); err != nil {
			t.Fatalf("%+v, %v", answer, err)
		}
		return out
	}
	for number, state := range map[string]string{ours.Number.Reveal(): "paid", fake.NoAccount: "failed",
		fake.AccountClosed: "returned", fake.Canceled: "failed"} {
		w.SetNumber(payee, number)
		want[pay().Reference] = state
	}
	payee.PayoutsFrozen = true
	refused := pay().Reference
	const week = 7 * 24 * time.Hour
	w.HastenBanks(week, []string{})
	for _, m := range w.Made(w.first) {
		if m.Approved && m.State != "pending" {
			t.Errorf("a debit did not wait: %+v", m)
		}
	}
	w.HastenBanks(week, nil)
	w.HastenBanks(week, nil) // the dispute follows the success
	got := map[string]string{}
	for _, m := range slices.Concat(w.Made(w.first), w.Made(payee)) {
		got[m.Reference] = m.State
		if want := m.State != ""; m.Approved != want || m.Kind != "debit" && m.Kind != "payout" {
			t.Errorf("%+v", m)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	transfers := w.Transferred(w.first)
	for _, tr := range transfers {
		if tr.Reversed != (tr.Reference == refused) || tr.Amount != 10_000 {
			t.Errorf("%+v", tr)
		}
	}
	net := map[string]int64{}
	for _, m := range slices.Concat(w.Moved(w.first), w.Moved(payee)) {
		net[m.Reference] += m.Amount
	}
	for reference, state := range want {
		if left := map[string]int64{"settled": 10_000, "pending": 10_000,
			"paid": -10_000}[state]; net[reference] != left {
			t.Errorf("%s, which is %s: %d", reference, state, net[reference])
		}
	}
	if len(transfers) != 5 || net[refused] != 0 {
		t.Errorf("%+v, %d", transfers, net[refused])
	}
}

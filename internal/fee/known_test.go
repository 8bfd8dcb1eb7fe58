package fee_test

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// root may set the service's own rates.
var root = authz.Actor{Role: authz.RoleSystemAdmin}

// schedules are the ids of the merchant's and of the service's own.
type schedules struct{ merchant, service ids.FeeSchedule }

func idsOf(t fee.Terms) schedules { return schedules{t.Merchant.ID, t.Service.ID} }

// inForce are those in force of a merchant.
func (w *world) inForce(t rapid.TB, m fee.Merchant) schedules {
	return idsOf(w.terms(t, m, w.Clock.Now()))
}

// asked is what a memory answers, and with now what it answers when it looks.
func (w *world) asked(t rapid.TB, k *fee.Known, now bool, of ...fee.Merchant) map[fee.Merchant]schedules {
	t.Helper()
	wanted := make(map[fee.Merchant]time.Time)
	for _, m := range of {
		wanted[m] = w.Clock.Now()
	}
	out := make(map[fee.Merchant]schedules)
	must(t, pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		ask := k.Ask
		if now {
			ask = k.AskNow
		}
		all, err := ask(tx, wanted).Terms(w.T.Context())
		for m, terms := range all {
			out[m] = idsOf(terms)
		}
		return err
	}))
	return out
}

// Whatever changes in between, what is remembered of a merchant is what was read last about it, nothing is remembered of the
// service's rates once others were read, and who looks has what is in force.
func TestKnownTermsAreThoseOfTheLastLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	merchants := []fee.Merchant{w.us(), w.copyMerchant(t, fee.Rates{CaptureFee: 5}), w.copyMerchant(t, fee.Rates{CaptureFee: 6})}
	rapid.Check(t, func(rt *rapid.T) {
		var k fee.Known
		seen := make(map[fee.Merchant]schedules)
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			m := rapid.SampledFrom(merchants).Draw(rt, "merchant")
			switch rapid.SampledFrom([]string{"change", "service", "ask", "look"}).Draw(rt, "step") {
			case "change":
				rates := w.terms(rt, m, w.Clock.Now()).Merchant.Rates
				rates.CaptureFee = (rates.CaptureFee + 1) % 100
				w.change(rt, m, rates, 0)
			case "service":
				_, err := w.fees.ScheduleServiceRates(t.Context(), root, w.App.AppID, fee.Change{Reason: "Agreed", Base: w.latestOfService(rt)})
				must(rt, err)
			case "ask":
				want, known := seen[m]
				if !known {
					want = w.inForce(rt, m)
					remember(seen, m, want)
				}
				if got := w.asked(rt, &k, false, m)[m]; got != want {
					rt.Fatalf("asked: %+v, want %+v", got, want)
				}
			case "look":
				want := w.inForce(rt, m)
				remember(seen, m, want)
				if got := w.asked(rt, &k, true, m)[m]; got != want {
					rt.Fatalf("looked: %+v, want %+v", got, want)
				}
			}
		}
	})
}

// remember is what a memory does, of one merchant at a time.
func remember(seen map[fee.Merchant]schedules, m fee.Merchant, terms schedules) {
	if before, ok := seen[m]; ok && before.service != terms.service {
		clear(seen)
	}
	seen[m] = terms
}

// latestOfService is what an editor of the service's own rates has seen who looks now.
func (w *world) latestOfService(t rapid.TB) ids.FeeSchedule {
	t.Helper()
	f, err := w.fees.ServiceRates(w.T.Context(), root, w.App.AppID)
	must(t, err)
	return f.Latest
}

// Of several merchants, those that are known are not asked about.
func TestWhoIsNotKnownIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.us(), w.copyMerchant(t, fee.Rates{CaptureFee: 5})
	var k fee.Known
	before := w.asked(t, &k, false, first)
	rates := w.terms(t, first, w.Clock.Now()).Merchant.Rates
	rates.CaptureFee++
	w.change(t, first, rates, 0)
	want := maps.Clone(before)
	want[second] = w.inForce(t, second)
	if got := w.asked(t, &k, false, first, second); !maps.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	nobody := fee.Merchant{ApplicationID: w.App.AppID, MerchantID: 1}
	if got := w.asked(t, &k, false, nobody); len(got) != 0 {
		t.Errorf("of nobody: %+v", got)
	}
}

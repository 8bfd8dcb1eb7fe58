package fee_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fee"
	"svcpay/internal/money"
)

// edit is what one editor sets from a time on.
type edit struct {
	at   time.Time
	made int // in which order
	sets map[string]money.Amount
}

// four are the settings that the test changes, of both units and optional ones too.
func four() []fee.Setting {
	return slices.DeleteFunc(fee.Settings(), func(s fee.Setting) bool {
		return !slices.Contains([]string{"capture_fee", "platform_flat_fee", "amex_surcharge_percentage",
			"daf_percentage"}, s.Name)
	})
}

func setTo(r *fee.Rates, s fee.Setting, value money.Amount) {
	percent := money.Percent(value)
	s.Put(r, &value, &percent)
}

// ratesBy are the rates at a time by edits alone: each setting is as the last one has it that has begun and set it.
func ratesBy(first fee.Rates, edits []edit, at time.Time) fee.Rates {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.made - b.made
	})
	for _, e := range edits {
		for _, s := range four() {
			if value, ok := e.sets[s.Name]; ok && !e.at.After(at) {
				setTo(&first, s, value)
			}
		}
	}
	return first
}

// Whatever is changed now or later, and canceled, in any order: at each time, each fee is what the last change that set
// it made it. No scheduled change undoes another one of a fee that it did not set.
func TestScheduledChangesKeepWhatTheySet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.Clock.Advance(time.Millisecond)
		first := fee.Rates{CaptureFee: 1, DAFPercentage: 1}
		m, start := w.copyMerchant(rt, first), w.Clock.Now()
		var edits []edit
		for i := range rapid.IntRange(2, 8).Draw(rt, "steps") {
			now, err := w.fees.Current(w.T.Context(), w.admin(), m.MerchantID)
			must(rt, err)
			if len(now.Scheduled) > 0 && rapid.IntRange(0, 3).Draw(rt, "cancel") == 0 {
				gone := rapid.SampledFrom(now.Scheduled).Draw(rt, "which")
				_, err := w.fees.CancelScheduled(w.T.Context(), w.admin(), m.MerchantID, gone.ID)
				must(rt, err)
				edits = slices.DeleteFunc(edits, func(e edit) bool { return e.at.Equal(gone.EffectiveAt.Time) })
				continue
			}
			in := time.Duration(rapid.IntRange(0, 4).Draw(rt, "days")) * day
			e := edit{at: start.Add(in), made: i, sets: map[string]money.Amount{}}
			typed, then := now.Rates, ratesBy(first, edits, e.at)
			for _, s := range four() {
				if rapid.Bool().Draw(rt, "set") {
					value := money.Amount(rapid.IntRange(1, 3).Draw(rt, s.Name))
					setTo(&typed, s, value)
				}
			}
			for _, s := range four() { // the editor sees the rates of now: what they leave so they do not set
				was, wasRate := s.In(now.Rates)
				is, rate := s.In(typed)
				if !equal(was, is) {
					e.sets[s.Name] = *is
				}
				if !equal(wasRate, rate) {
					e.sets[s.Name] = money.Amount(*rate)
				}
			}
			for name, value := range e.sets { // nor what would be so then anyway
				s := fee.Settings()[slices.IndexFunc(fee.Settings(),
					func(s fee.Setting) bool { return s.Name == name })]
				same := then
				if setTo(&same, s, value); same.Equal(then) {
					delete(e.sets, name)
				}
			}
			_, err = w.fees.Schedule(w.T.Context(), w.admin(), m.MerchantID,
				fee.Change{From: &now.Rates, Rates: typed, EffectiveAt: w.in(in), Reason: "As agreed",
					Base: now.Latest})
			must(rt, err)
			edits = append(edits, e)
		}
		for d := range 5 {
			at := start.Add(time.Duration(d) * day)
			if got, want := w.terms(rt, m, at).Merchant.Rates, ratesBy(first, edits, at); !got.Equal(want) {
				rt.Fatalf("after %d days %+v, want %+v of %+v", d, got, want, edits)
			}
		}
	})
}

func equal[T comparable](a, b *T) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

package fee_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

// told is a fees.updated as applications read it.
type told struct {
	Notice fee.Notice
	Old    []map[string]json.RawMessage
	New    []map[string]json.RawMessage
}

// notices are the fees.updated events of a merchant, in their order.
func (w *world) notices(t rapid.TB, m fee.Merchant) (out []told) {
	t.Helper()
	texts, err := pg.All[struct{ Object []byte }](w.T.Context(), w.Pool, `
		SELECT object FROM events WHERE application_id = @application AND merchant_id = @merchant
			AND type = 'fees.updated' ORDER BY serial`,
		pg.Args{"application": m.ApplicationID, "merchant": m.MerchantID})
	must(t, err)
	for _, text := range texts {
		var n fee.Notice
		var values struct {
			Changes []struct{ Old, New map[string]json.RawMessage }
		}
		must(t, json.Unmarshal(text.Object, &n))
		must(t, json.Unmarshal(text.Object, &values))
		all := told{Notice: n}
		for _, c := range values.Changes {
			all.Old, all.New = append(all.Old, c.Old), append(all.New, c.New)
		}
		out = append(out, all)
	}
	return out
}

// ratesAt are the rates that fees charge at an instant.
func ratesAt(f fee.Fees, at time.Time) fee.Rates {
	r := f.Rates
	for _, next := range f.Scheduled {
		if !next.EffectiveAt.After(at) {
			r = next.Rates
		}
	}
	return r
}

// shown is the setting of rates as JSON.
func shown(t rapid.TB, s fee.Setting, r fee.Rates) string {
	flat, percent := s.In(r)
	var value any = flat
	if flat == nil {
		value = percent
	}
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

// holds fails unless an event states the fees that apply at every instant from now on.
func (n told) holds(t rapid.TB, was, is fee.Fees) {
	t.Helper()
	instants := []time.Time{is.EffectiveAt.Time}
	for _, r := range slices.Concat(was.Scheduled, is.Scheduled) {
		instants = append(instants, r.EffectiveAt.Add(-time.Millisecond), r.EffectiveAt.Time)
	}
	for _, at := range instants {
		i := slices.IndexFunc(n.Notice.Changes, func(d fee.Difference) bool {
			return !d.EffectiveAt.After(at) && (d.EndsAt == nil || d.EndsAt.After(at))
		})
		before, after := ratesAt(was, at), ratesAt(is, at)
		for _, s := range fee.Settings() {
			old, now := shown(t, s, before), shown(t, s, after)
			var toldOld, toldNew string
			if i >= 0 {
				toldOld, toldNew = string(n.Old[i][s.Name]), string(n.New[i][s.Name])
			}
			if old == now {
				old, now = "", ""
			}
			if toldOld != old || toldNew != now {
				t.Fatalf("%s at %v: the event says %q to %q, it is %q to %q", s.Name, at, toldOld, toldNew, old, now)
			}
		}
	}
}

// TestEachFeeChangeHasOneEvent with the values before and after it, whatever is scheduled; what changes nothing has
// none. The merchant gets a version with an event if the daf_percentage that it shows is another.
func TestEachFeeChangeHasOneEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{w: w, m: w.copyMerchant(rt, rates().Draw(rt, "first")), seen: map[time.Time]fee.Schedule{},
			records: map[ids.FeeSchedule]fee.Record{}}
		seen, version := 0, 1
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "repeats") {
				w.repeat(rt, l.m)
			}
			was, before := w.fees1(rt, l.m), w.series(rt, l.m)
			began := w.Clock.Now()
			l.step(rt)
			is, after := w.fees1(rt, l.m), w.series(rt, l.m)
			all := w.notices(rt, l.m)
			if changed := !reflect.DeepEqual(before, after); len(all)-seen != map[bool]int{true: 1}[changed] {
				rt.Fatalf("%d events of %v that became %v", len(all)-seen, before, after)
			} else if changed {
				n := all[seen]
				n.holds(rt, was, is)
				if n.Notice.Schedule.MerchantID != l.m.MerchantID || n.Notice.ChangedBy.Kind == "" ||
					!n.Notice.EffectiveAt.Equal(n.Notice.Schedule.EffectiveAt.Time) ||
					n.Notice.EffectiveAt.Before(began) {
					rt.Fatalf("%+v", n.Notice)
				}
				if was.DAFPercentage != is.DAFPercentage {
					version++
				}
			}
			seen = len(all)
			w.hasVersion(rt, l.m, version)
		}
	})
}

// fees1 are a merchant's fees once what was changed has begun, but no schedule after that.
func (w *world) fees1(t rapid.TB, m fee.Merchant) fee.Fees {
	t.Helper()
	w.Clock.Advance(time.Millisecond)
	f, err := w.fees.Current(w.T.Context(), w.admin(), m.MerchantID)
	must(t, err)
	return f
}

// series names a merchant's schedules, and those that are canceled.
func (w *world) series(t rapid.TB, m fee.Merchant) (out []string) {
	t.Helper()
	for _, r := range w.history(t, w.admin(), m) {
		out = append(out, fmt.Sprint(r.ID, r.CanceledAt != nil))
	}
	return out
}

// repeat asks for what is there already.
func (w *world) repeat(t rapid.TB, m fee.Merchant) {
	t.Helper()
	f := w.fees1(t, m)
	w.change(t, m, f.Rates, 0)
	_, err := w.fees.SetDAFPercentage(w.T.Context(), w.Actor(), m.MerchantID,
		fee.DAFChange{Percent: f.DAFPercentage}, nil)
	must(t, err)
	for _, r := range w.history(t, w.admin(), m) {
		if r.Status == fee.Canceled {
			_, err := w.fees.CancelScheduled(w.T.Context(), w.admin(), m.MerchantID, r.ID)
			must(t, err)
		}
	}
}

// hasVersion fails unless a merchant is of that version, with an event for each.
func (w *world) hasVersion(t rapid.TB, m fee.Merchant, version int) {
	t.Helper()
	got, err := w.Merchants.Get(w.T.Context(), w.Actor(), m.MerchantID)
	must(t, err)
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*) FROM events WHERE application_id = @application
		AND object_id = @id`, pg.Args{"application": m.ApplicationID, "id": merchant.ObjectID(m.MerchantID)})
	must(t, err)
	if got.Version != version || n != version {
		t.Fatalf("version %d with %d events, want %d", got.Version, n, version)
	}
}

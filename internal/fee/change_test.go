package fee_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// together runs n editors of the US merchant or the application, and lets none of them write before
// several have begun: they are held up at the rows that all of them refer to.
func (w *world) together(t *testing.T, n int, edit func(i int)) {
	t.Helper()
	var all sync.WaitGroup
	must(t, pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		_, err := pg.Value[int64](t.Context(), tx, `
			SELECT m.id FROM merchants m JOIN applications a ON a.id = m.application_id WHERE m.id = @id FOR UPDATE`,
			pg.Args{"id": w.App.Merchants.US})
		for i := range n {
			all.Go(func() { edit(i) })
		}
		for waiting := 0; err == nil && waiting < 2; {
			_, err = tx.Exec(t.Context(), `SELECT pg_stat_clear_snapshot()`, pg.Args{})
			must(t, err)
			waiting, err = pg.Value[int](t.Context(), tx, `
				SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
					AND wait_event_type = 'Lock'`, pg.Args{})
		}
		return err
	}))
	all.Wait()
}

func TestOfConcurrentEditorsExactlyOneWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.latest(t, w.us())
	const editors = 12
	records, errs := make([]fee.Record, editors), make([]error, editors)
	w.together(t, editors, func(i int) {
		records[i], errs[i] = w.fees.Schedule(t.Context(), w.admin(), w.App.Merchants.US, fee.Change{
			Rates: fee.Rates{CaptureFee: money.Amount(100 + i)}, EffectiveAt: w.in(time.Duration(i%2) * day),
			Reason: "Mine", Base: base})
	})
	winner := ids.FeeSchedule{}
	for i, err := range errs {
		if err == nil && winner.IsZero() {
			winner = records[i].ID
		} else if err == nil {
			t.Errorf("%s and %v both won", describe(records[i]), winner)
		}
	}
	for _, err := range errs {
		if err == nil {
			continue
		}
		if f := refused(t, "a later editor", err, "object_changed"); f.Kind != fault.KindChanged ||
			f.Detail["base"] != base.String() || f.Detail["latest"] != winner.String() {
			t.Errorf("%+v", f)
		}
	}
	if got := w.latest(t, w.us()); winner.IsZero() || got != winner {
		t.Errorf("%v won, %v is the latest", winner, got)
	}
}

func TestChangeNamesEveryMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.latest(t, w.us())
	past, far := w.Clock.Now().Add(-time.Millisecond), w.Clock.Now().Add(6*366*day)
	for name, c := range map[string]struct {
		in    fee.Change
		param string
	}{
		"in the past":      {fee.Change{EffectiveAt: &past, Reason: "x", Base: base}, "effective_at"},
		"too far":          {fee.Change{EffectiveAt: &far, Reason: "x", Base: base}, "effective_at"},
		"no reason":        {fee.Change{Reason: " ", Base: base}, "reason"},
		"long reason":      {fee.Change{Reason: strings.Repeat("é", 501), Base: base}, "reason"},
		"broken reason":    {fee.Change{Reason: "a\x00b", Base: base}, "reason"},
		"not UTF-8":        {fee.Change{Reason: "\xff", Base: base}, "reason"},
		"a negative rate":  {fee.Change{Rates: fee.Rates{ChargebackFee: -1}, Reason: "x", Base: base}, "chargeback_fee"},
		"no base":          {fee.Change{Reason: "x"}, "base"},
		"another's base":   {fee.Change{Reason: "x", Base: w.latest(t, w.copyMerchant(t, fee.Rates{}))}, "base"},
		"two, one at last": {fee.Change{EffectiveAt: &past}, "effective_at"},
	} {
		_, err := w.fees.Schedule(t.Context(), w.admin(), w.App.Merchants.US, c.in)
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindInvalid || f.Param != c.param {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.fees.Schedule(t.Context(), w.admin(), w.App.Merchants.US,
		fee.Change{EffectiveAt: &past, Rates: fee.Rates{CaptureFee: -1}})
	if f := refused(t, "three mistakes", err, "validation_failed"); len(f.Fields) != 3 {
		t.Errorf("%+v", f.Fields)
	}
	if got := w.latest(t, w.us()); got != base {
		t.Errorf("a mistake added %v", got)
	}
	longest, err := w.fees.Schedule(t.Context(), w.admin(), w.App.Merchants.US,
		fee.Change{Reason: strings.Repeat("é", 500), Base: base})
	if err != nil || len([]rune(longest.Reason)) != 500 {
		t.Errorf("the longest reason: %v", err)
	}
}

func TestScheduleOfTheSameInstantIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wrong, later := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, day), w.change(t, w.us(),
		fee.Rates{CaptureFee: 2}, 2*day)
	right := w.change(t, w.us(), fee.Rates{CaptureFee: 3}, day)
	f, err := w.fees.Current(t.Context(), w.admin(), w.App.Merchants.US)
	must(t, err)
	if len(f.Scheduled) != 2 || f.Scheduled[0].ID != right.ID || f.Scheduled[1].ID != later.ID ||
		right.Replaces != wrong.ID || f.Latest != right.ID {
		t.Errorf("scheduled: %+v", f.Scheduled)
	}
	if f.Status != fee.InForce || f.CaptureFee != 20 {
		t.Errorf("in force: %+v", f.Record)
	}
}

func TestChangeThatChangesNothingAddsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planned := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, day)
	if r := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, day); r.ID != planned.ID {
		t.Errorf("the same plan again: %s", describe(r))
	}
	if r := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, 2*day); r.ID != planned.ID {
		t.Errorf("the same rates a day later: %s", describe(r))
	}
	if r := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, 0); r.ID == planned.ID || r.Status != fee.InForce {
		t.Errorf("the same rates at once: %s", describe(r))
	}
}

func TestOnlyWhatHasNotBegunIsCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cancel := func(id ids.FeeSchedule) (fee.Record, error) {
		return w.fees.CancelScheduled(t.Context(), w.admin(), w.App.Merchants.US, id)
	}
	first := w.latest(t, w.us())
	planned := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, day)
	w.change(t, w.us(), fee.Rates{CaptureFee: 2}, 2*day)
	once, err := cancel(planned.ID)
	must(t, err)
	kept := w.history(t, w.admin(), w.us())[0] // with the other rates as they are without the canceled one
	w.Clock.Advance(time.Minute)
	twice, err := cancel(planned.ID)
	if err != nil || once.Status != fee.Canceled || !twice.CanceledAt.Equal(once.CanceledAt.Time) {
		t.Errorf("%+v, then %+v, %v", once, twice, err)
	}
	w.Clock.Advance(day)
	if got := w.terms(t, w.us(), w.Clock.Now()).Merchant; got.ID != first {
		t.Errorf("%v is in force, %v was canceled", got.ID, planned.ID)
	}
	w.Clock.Advance(day - time.Minute) // to the very instant
	for _, id := range []ids.FeeSchedule{first, kept.ID} {
		_, err = cancel(id)
		refused(t, "what has begun", err, "fee_schedule_begun")
	}
	_, err = cancel(ids.NewFeeSchedule(w.Clock.Now()))
	refused(t, "an unknown one", err, "resource_missing")
	_, err = cancel(w.latest(t, w.copyMerchant(t, fee.Rates{})))
	refused(t, "another merchant's", err, "resource_missing")
}

func TestDAFPercentageLeavesTheOtherRatesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, err := w.fees.Current(t.Context(), w.Actor(), w.App.Merchants.US)
	must(t, err)
	set := func(p money.Percent, base ids.FeeSchedule) (fee.Record, error) {
		out, err := w.fees.SetDAFPercentage(t.Context(), w.Actor(), w.App.Merchants.US,
			fee.DAFChange{Percent: p, Base: base}, nil)
		return out.Object, err
	}
	same, err := set(2000, ids.FeeSchedule{})
	if err != nil || same.ID != before.ID {
		t.Errorf("the same percentage: %s, %v", describe(same), err)
	}
	after, err := set(2500, before.Latest)
	must(t, err)
	want := before.Rates
	want.DAFPercentage = 2500
	if !after.Equal(want) || after.Status != fee.InForce || after.Version != 2 {
		t.Errorf("%+v", after)
	}
	_, err = set(1000, before.Latest)
	refused(t, "an old base", err, "object_changed")
	_, err = set(money.PercentMax+1, ids.FeeSchedule{})
	if f := refused(t, "more than all", err, "parameter_invalid"); f.Param != "daf_percentage" {
		t.Errorf("%+v", f)
	}
}

func TestDAFPercentageIsCarriedIntoPlansThatDoNotSetIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := func(capture money.Amount, daf money.Percent, in time.Duration) fee.Record {
		return w.change(t, w.us(), fee.Rates{CaptureFee: capture, DAFPercentage: daf}, in)
	}
	plan(1, 2000, day)
	plan(2, 2000, 2*day)
	sets := plan(3, 4000, 3*day)
	after := plan(4, 2000, 4*day) // back to 2 %: it sets it, too
	_, err := w.fees.SetDAFPercentage(t.Context(), w.Actor(), w.App.Merchants.US, fee.DAFChange{Percent: 2500}, nil)
	must(t, err)
	f, err := w.fees.Current(t.Context(), w.admin(), w.App.Merchants.US)
	must(t, err)
	if f.DAFPercentage != 2500 || f.CaptureFee != 20 || len(f.Scheduled) != 4 {
		t.Fatalf("%+v", f)
	}
	for i, want := range []money.Percent{2500, 2500, 4000, 2000} {
		r := f.Scheduled[i]
		if r.DAFPercentage != want || r.CaptureFee != money.Amount(i+1) || r.Reason != "New contract" ||
			!r.EffectiveAt.Equal(w.Clock.Now().Add(time.Duration(i+1)*day)) {
			t.Errorf("%d: %+v", i, r)
		}
		if carried := i < 2; carried == r.Replaces.IsZero() || carried != (r.CreatedBy.Kind == "api") {
			t.Errorf("%d: %+v", i, r)
		}
	}
	if f.Scheduled[2].ID != sets.ID || f.Scheduled[3].ID != after.ID {
		t.Errorf("%+v", f.Scheduled[2:])
	}
}

func TestDAFPercentageIsSetWithinAChangeOfTheMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
	must(t, err)
	must(t, pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		return w.fees.SetDAFPercentageTx(t.Context(), tx, m, w.Actor(), w.App.Merchants.US, 1250)
	}))
	if got := w.terms(t, w.us(), w.Clock.Now()).Merchant; got.DAFPercentage != 1250 || got.CaptureFee != 20 {
		t.Errorf("%+v", got)
	}
}

func TestFeesAreSeenAndChangedByThoseWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, id, base := t.Context(), w.App.Merchants.US, w.latest(t, w.us())
	change := fee.Change{Reason: "x", Base: base}
	calls := map[string]struct {
		may []authz.Role
		do  func(authz.Actor, int64) error
	}{
		"current": {[]authz.Role{authz.RoleSecretKey, staff, administrator},
			func(a authz.Actor, m int64) error { _, err := w.fees.Current(ctx, a, m); return err }},
		"history": {[]authz.Role{authz.RoleSecretKey, staff, administrator}, func(a authz.Actor, m int64) error {
			_, err := w.fees.History(ctx, a, m, page.Input[ids.FeeSchedule]{Limit: 1})
			return err
		}},
		"preview":  {[]authz.Role{authz.RoleSecretKey, staff, administrator}, func(a authz.Actor, m int64) error { _, err := w.fees.Preview(ctx, a, m, fee.Rates{}); return err }},
		"schedule": {[]authz.Role{administrator}, func(a authz.Actor, m int64) error { _, err := w.fees.Schedule(ctx, a, m, change); return err }},
		"cancel":   {[]authz.Role{administrator}, func(a authz.Actor, m int64) error { _, err := w.fees.CancelScheduled(ctx, a, m, base); return err }},
		"daf": {[]authz.Role{authz.RoleSecretKey, administrator}, func(a authz.Actor, m int64) error {
			_, err := w.fees.SetDAFPercentage(ctx, a, m, fee.DAFChange{}, nil)
			return err
		}},
	}
	for name, c := range calls {
		for _, role := range []authz.Role{authz.RoleSecretKey, authz.RolePublicKey, staff, administrator} {
			mayNot := fault.HasCode(c.do(w.person(role), id), "permission_denied")
			if may := slices.Contains(c.may, role); may == mayNot {
				t.Errorf("%s: %s may: %v", name, role, !mayNot)
			}
		}
		for _, foreign := range []int64{w.Other.Merchants.US, 0, -1, 1 << 40} {
			refused(t, name, c.do(w.admin(), foreign), "resource_missing")
		}
	}
}

package fee_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/pgtest"
)

const day = 24 * time.Hour

func TestScheduleInForceIsTheLatestThatHasBegun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := w.Clock.Now()
	us := w.us()
	other := fee.Merchant{ApplicationID: w.Other.AppID, MerchantID: w.Other.Merchants.US}
	foreign := fee.Merchant{ApplicationID: w.Other.AppID, MerchantID: w.App.Merchants.US}
	tomorrow := w.change(t, us, fee.Rates{CaptureFee: 2}, day).ID
	early := w.change(t, us, fee.Rates{CaptureFee: 1}, time.Hour).ID
	at := func(m fee.Merchant, when time.Time) fee.Schedule {
		t.Helper()
		return w.allTerms(t, map[fee.Merchant]time.Time{us: when, other: when, foreign: when})[m].Merchant
	}
	first := at(us, start)
	if !reflect.DeepEqual(first.Rates, demo.Rates()) {
		t.Errorf("at first %+v", first.Rates)
	}
	for _, c := range []struct {
		when time.Time
		want ids.FeeSchedule
	}{{start.Add(time.Hour - time.Microsecond), first.ID}, {start.Add(time.Hour), early},
		{start.Add(23 * time.Hour), early}, {start.Add(day), tomorrow}} {
		if got := at(us, c.when); got.ID != c.want {
			t.Errorf("at %v: %v, want %v", c.when.Sub(start), got.ID, c.want)
		}
	}
	if got := at(other, start.Add(2*day)); got.CaptureFee != 20 || !at(foreign, start).ID.IsZero() ||
		!at(us, start.Add(-1)).ID.IsZero() {
		t.Errorf("another merchant's schedule is %+v", got)
	}
}

func TestOfTwoThatBeginTogetherTheLastOneCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for capture := range money.Amount(20) { // ids of the same millisecond are in no order
		r := w.change(t, w.us(), fee.Rates{CaptureFee: capture}, 0)
		if got := w.terms(t, w.us(), w.Clock.Now()).Merchant; got.ID != r.ID || r.Version != int(capture)+2 ||
			r.Status != fee.InForce {
			t.Fatalf("%v is in force after %s", got.ID, describe(r))
		}
	}
}

func TestRatesSurviveTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		want := rates().Draw(rt, "rates")
		w.Clock.Advance(time.Second)
		r := w.change(rt, w.us(), want, 0)
		got := w.terms(rt, w.us(), w.Clock.Now()).Merchant
		if !reflect.DeepEqual(got.Rates, want) || !reflect.DeepEqual(r.Schedule, got) {
			rt.Fatalf("%+v comes back as %+v and %+v", want, r, got)
		}
	})
}

func TestTermsAreFoundByTheirIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO fee_schedules
		SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'version', n + 1,
			'effective_at', s.effective_at - n * interval '1 minute'))).*
		FROM fee_schedules s, generate_series(1, 2000) n WHERE merchant_id = @id`, pg.Args{"id": w.App.Merchants.US})
	must(t, err)
	_, err = pg.Exec(t.Context(), w.Pool, `ANALYZE fee_schedules`, pg.Args{})
	must(t, err)
	pool, sent := pgtest.Watched(t, w.Pool)
	must(t, pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		_, err := fee.EffectiveTx(t.Context(), tx, map[fee.Merchant]time.Time{w.us(): w.Clock.Now()})
		return err
	}))
	asked := sent.Only(t, "FROM service_fee_schedules")
	plan, err := pg.All[struct {
		Text string `db:"QUERY PLAN"`
	}](t.Context(), w.Pool, "EXPLAIN "+asked.SQL, asked.Args)
	must(t, err)
	var text strings.Builder
	for _, line := range plan {
		text.WriteString(line.Text + "\n")
	}
	if !strings.Contains(text.String(), "Index Scan using fee_schedules_in_force") ||
		strings.Contains(text.String(), "Seq Scan on fee_schedules") {
		t.Error(text.String())
	}
}

// life is one merchant's series under random changes, with what was seen of it.
type life struct {
	w       *world
	m       fee.Merchant
	seen    map[time.Time]fee.Schedule // what was in effect at an instant when that was the present
	records map[ids.FeeSchedule]fee.Record
	events  []fee.Event
}

func (l *life) step(t *rapid.T) {
	w, base := l.w, l.w.latest(t, l.m)
	w.Clock.Advance(time.Millisecond) // no change begins at an instant at which something was charged
	switch rapid.SampledFrom([]string{"change", "change", "plan", "plan", "cancel", "daf", "wait", "event",
		"event"}).Draw(t, "step") {
	case "change":
		_, err := w.fees.Schedule(w.T.Context(), w.admin(), l.m.MerchantID,
			fee.Change{Rates: rates().Draw(t, "rates"), Reason: "Now", Base: base})
		must(t, err)
	case "plan":
		in := time.Duration(rapid.IntRange(1, 5).Draw(t, "days")) * day
		_, err := w.fees.Schedule(w.T.Context(), w.admin(), l.m.MerchantID,
			fee.Change{Rates: rates().Draw(t, "rates"), EffectiveAt: w.in(in), Reason: "Later", Base: base})
		must(t, err)
	case "cancel":
		f, err := w.fees.Current(w.T.Context(), w.admin(), l.m.MerchantID)
		must(t, err)
		if len(f.Scheduled) > 0 {
			_, err = w.fees.CancelScheduled(w.T.Context(), w.admin(), l.m.MerchantID,
				rapid.SampledFrom(f.Scheduled).Draw(t, "which").ID)
			must(t, err)
		}
	case "daf":
		_, err := w.fees.SetDAFPercentage(w.T.Context(), w.Actor(), l.m.MerchantID,
			fee.DAFChange{Percent: percents().Draw(t, "daf")}, nil)
		must(t, err)
	case "wait":
		w.Clock.Advance(time.Duration(rapid.IntRange(1, 72).Draw(t, "hours")) * time.Hour)
	case "event":
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		l.events = append(l.events,
			w.record(t, l.m, fee.Event{SourceID: ids.NewCharge(w.Clock.Now()).Bytes(), Kind: kind,
				Base:  money.Amount(rapid.Int64Range(1, 100_000).Draw(t, "base")),
				Brand: rapid.SampledFrom([]string{"amex", "visa"}).Draw(t, "brand"), At: w.Clock.Now()}))
	}
}

// check compares the series with all that was seen of it before.
func (l *life) check(t *rapid.T) {
	now := l.w.Clock.Now()
	for at, was := range l.seen {
		if at.Equal(now) {
			continue // what is in effect this very instant may change
		}
		if got := l.w.terms(t, l.m, at).Merchant; !reflect.DeepEqual(got, was) {
			t.Fatalf("%v ago %v was in force, now it is said to have been %v", now.Sub(at), was, got)
		}
	}
	present := l.w.terms(t, l.m, now).Merchant
	l.seen[now] = present
	all := l.w.history(t, l.w.person(staff), l.m)
	effective := 0
	for _, r := range all {
		was, known := l.records[r.ID]
		l.records[r.ID] = r
		if r.Status == fee.InForce {
			effective++
		}
		if (r.Status == fee.InForce) != (r.ID == present.ID) || known && was.Status == fee.Canceled &&
			r.Status != fee.Canceled {
			t.Fatalf("%s was %s, and %v is in force", describe(r), describe(was), present.ID)
		}
		was.Status, was.CanceledAt, was.CanceledBy = r.Status, r.CanceledAt, r.CanceledBy
		if known && !reflect.DeepEqual(was, r) {
			t.Fatalf("%+v has become %+v", was, r)
		}
	}
	if effective != 1 || len(all) != len(l.records) {
		t.Fatalf("%d of %d schedules are in force; %d were seen", effective, len(all), len(l.records))
	}
	for _, e := range l.events {
		s := l.records[e.ScheduleID]
		if got := s.Lines(e.Kind, e.Base, e.Brand); !reflect.DeepEqual(got, e.Lines) || s.Status == fee.Canceled {
			t.Fatalf("%+v does not follow from %s: %v", e, describe(s), got)
		}
	}
}

func TestNothingOfThePastChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{w: w, m: w.copyMerchant(rt, rates().Draw(rt, "first")), seen: map[time.Time]fee.Schedule{},
			records: map[ids.FeeSchedule]fee.Record{}}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			l.step(rt)
			l.check(rt)
		}
		for _, e := range l.events {
			lines, err := pg.Value[[]fee.Line](w.T.Context(), w.Pool, `SELECT lines FROM fee_events
				WHERE application_id = @app AND source_id = @id`,
				pg.Args{"app": l.m.ApplicationID, "id": e.SourceID})
			if err != nil || !reflect.DeepEqual(lines, append([]fee.Line{}, e.Lines...)) {
				rt.Fatalf("%v was recorded as %v, %v", e.Lines, lines, err)
			}
		}
	})
}

func TestHistoryTellsWhoWhenAndWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := w.Clock.Now()
	past := w.change(t, w.us(), fee.Rates{CaptureFee: 1}, 0)
	w.Clock.Advance(time.Hour)
	_, err := w.fees.SetDAFPercentage(t.Context(),
		authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID, KeyName: "Back office"},
		w.App.Merchants.US, fee.DAFChange{Percent: 3000}, nil)
	must(t, err)
	next := w.change(t, w.us(), fee.Rates{CaptureFee: 2}, day)
	gone := w.change(t, w.us(), fee.Rates{CaptureFee: 3}, 2*day)
	w.Clock.Advance(time.Hour)
	_, err = w.fees.CancelScheduled(t.Context(), w.admin(), w.App.Merchants.US, gone.ID)
	must(t, err)
	all := w.history(t, w.Actor(), w.us())
	var got []fee.Status
	for i, r := range all {
		got = append(got, r.Status)
		if r.Version != len(all)-i || r.Object != "fee_schedule" || r.MerchantID != w.App.Merchants.US ||
			(r.Status == fee.Canceled) != (r.CanceledAt != nil) {
			t.Errorf("%+v", r)
		}
	}
	if want := []fee.Status{fee.Canceled, fee.Scheduled, fee.InForce, fee.Superseded,
		fee.Superseded}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	if c := all[0]; c.ID != gone.ID || !c.CanceledAt.Equal(start.Add(2*time.Hour)) ||
		c.CanceledBy.Role != string(administrator) {
		t.Errorf("canceled: %+v", c)
	}
	if latest := w.latest(t, w.us()); latest != next.ID {
		t.Errorf("%v is the latest, after %s was canceled", latest, describe(gone))
	}
	if all[1].ID != next.ID || all[3].ID != past.ID || all[3].Reason != "New contract" ||
		all[3].CreatedBy != (fee.By{Kind: "portal", Role: "application_admin"}) {
		t.Errorf("scheduled %+v, superseded %+v", all[1], all[3])
	}
	if by := all[2].CreatedBy; by != (fee.By{Kind: "api", KeyName: "Back office"}) ||
		!all[2].CreatedAt.Equal(start.Add(time.Hour)) || all[2].CaptureFee != 1 {
		t.Errorf("in force: %+v", all[2])
	}
	if all[4].CreatedBy.Kind != "service" || all[4].Reason == "" {
		t.Errorf("the first: %+v", all[4])
	}
}

func TestHistoryComesInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for capture := range money.Amount(6) {
		w.change(t, w.us(), fee.Rates{CaptureFee: capture}, 0)
	}
	all := w.history(t, w.Actor(), w.us())
	read := func(in page.Input[ids.FeeSchedule]) (versions []int, more bool) {
		t.Helper()
		p, err := w.fees.History(t.Context(), w.Actor(), w.App.Merchants.US, in)
		must(t, err)
		for _, r := range p.Items {
			versions = append(versions, r.Version)
		}
		return versions, p.HasMore
	}
	for _, c := range []struct {
		name string
		in   page.Input[ids.FeeSchedule]
		want []int
		more bool
	}{
		{"all", page.Input[ids.FeeSchedule]{Limit: 7}, []int{7, 6, 5, 4, 3, 2, 1}, false},
		{"the first page", page.Input[ids.FeeSchedule]{Limit: 3}, []int{7, 6, 5}, true},
		{"the next", page.Input[ids.FeeSchedule]{Limit: 3, After: all[2].ID}, []int{4, 3, 2}, true},
		{"the last", page.Input[ids.FeeSchedule]{Limit: 3, After: all[5].ID}, []int{1}, false},
		{"back", page.Input[ids.FeeSchedule]{Limit: 2, Before: all[3].ID}, []int{6, 5}, true},
		{"from the first", page.Input[ids.FeeSchedule]{Limit: 2, After: all[6].ID, Ascending: true}, []int{2, 3}, true},
		{"beyond an unknown one", page.Input[ids.FeeSchedule]{Limit: 2, After: ids.NewFeeSchedule(w.Clock.Now())}, nil, false},
	} {
		if got, more := read(c.in); !slices.Equal(got, c.want) || more != c.more {
			t.Errorf("%s: %v, more %v", c.name, got, more)
		}
	}
}

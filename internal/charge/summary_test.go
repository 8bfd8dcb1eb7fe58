package charge_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
)

// lined are columns of the k-th copy of a charge, whose payers and methods differ in all that a line says of them.
func lined(k int, other ids.Token) map[string]any {
	columns := mixed(k, other)
	switch k % 4 {
	case 0:
		columns["billing"] = map[string]string{"first_name": " Dana ", "last_name": "van  Reed",
			"email": "dana@example.org"}
	case 1:
		columns["billing"] = map[string]string{"middle_name": "M.", "last_name": "Vale"}
	}
	card := method("4242", "visa")
	switch k % 3 {
	case 0:
		card["wallet"] = "wallet_a"
	case 1:
		card["wallet"] = nil
		columns["payment_method"] = map[string]any{"kind": "bank", "last4": "6789", "bank_name": "Sandbox Bank",
			"account_type": "savings"}
		return columns
	}
	columns["payment_method"] = card
	return columns
}

// A list of lines is the list of charges, and says of each what it says of itself; sums are those of the whole list, or
// none.
func TestSummariesAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const n = 60
	w.Clock.Advance(time.Second)
	newest := authorized(t, w)
	other := otherToken(t, w)
	w.Copies(newest, n, time.Millisecond, func(k int) map[string]any { return lined(k, other) })
	rapid.Check(t, func(r *rapid.T) {
		in := filters(r, w, newest.CreatedAt.Time, n, newest.Token, other)
		in.Page = page.Input[ids.Charge]{Limit: rapid.IntRange(1, n+1).Draw(r, "limit"),
			Ascending: rapid.Bool().Draw(r, "ascending")}
		whole, err := w.Charges.List(t.Context(), w.Actor(), in)
		if err != nil {
			r.Fatal(err)
		}
		var want []charge.Summary
		var of []ids.Charge
		for _, c := range whole.Items {
			want, of = append(want, c.Summary()), append(of, c.ID)
		}
		got, err := w.Charges.Summaries(t.Context(), w.Actor(), in)
		if err != nil || !slices.EqualFunc(got.Items, want, same) || got.HasMore != whole.HasMore {
			r.Fatalf("%+v, more %t, %v; want %+v", got.Items, got.HasMore, err, want)
		}
		several, err := w.Charges.SummariesOf(t.Context(), w.Actor(), of)
		for _, one := range want {
			if !same(several[one.ID], one) || len(several) != len(want) {
				r.Fatalf("%+v of %d, %v; want %+v", several[one.ID], len(several), err, one)
			}
		}
		sums(r, w, in)
		sums(r, w, charge.ListInput{Page: in.Page})
	})
}

// same compares two summaries; their times may name the same zone by other values.
func same(a, b charge.Summary) bool {
	at := a.CreatedAt.Equal(b.CreatedAt.Time)
	a.CreatedAt = b.CreatedAt
	return at && a == b
}

// sums compares the sums of a list that may be too long with those of however many.
func sums(r *rapid.T, w *fixture.World, in charge.ListInput) {
	all, err := w.Charges.Totals(w.T.Context(), w.Actor(), in)
	if err != nil {
		r.Fatal(err)
	}
	var n int
	for _, s := range all {
		n += int(s.Count)
	}
	for most, want := range map[int][]charge.Totals{n: all, n + 1: all, n - 1: nil} {
		if most < 0 {
			continue
		}
		if few, err := w.Charges.FewTotals(w.T.Context(), w.Actor(), in, most); err != nil || !slices.Equal(few, want) {
			r.Fatalf("at most %d of %d: %+v, %v; want %+v", most, n, few, err, want)
		}
	}
}

// Where charges are more than so many they stay it: that is asked for once, of each application on its own.
func TestWhereChargesAreManyNobodyCountsAgain(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	few := func(actor authz.Actor, most int) (sums int, queries int64) {
		t.Helper()
		before := w.Pool.Stat().AcquireCount()
		all, err := w.Charges.FewTotals(t.Context(), actor, charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}},
			most)
		if err != nil {
			t.Fatal(err)
		}
		return len(all), w.Pool.Stat().AcquireCount() - before
	}
	if sums, _ := few(w.Actor(), 0); sums != 0 {
		t.Fatal("there are sums of no charges")
	}
	newest := authorized(t, w)
	w.Copies(newest, 20, time.Millisecond, func(k int) map[string]any { return lined(k, newest.Token) })
	other := w.ActorOf(w.Other)
	for _, c := range []struct {
		what    string
		actor   authz.Actor
		most    int
		sums    bool
		queries int64
	}{
		{"more than ten", w.Actor(), 10, false, 2}, {"ten again", w.Actor(), 10, false, 0},
		{"fewer than were asked for", w.Actor(), 5, false, 0},
		{"more than were asked for", w.Actor(), 30, true, 1}, {"none of another application", other, 10, false, 2},
		{"still none", other, 10, false, 2},
	} {
		if sums, queries := few(c.actor, c.most); sums > 0 != c.sums || queries != c.queries {
			t.Errorf("%s: %d sums by %d queries", c.what, sums, queries)
		}
	}
}

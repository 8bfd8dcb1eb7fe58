package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// TestBooksOfAnyPeriod compares the books with all entries in memory. The application's clock runs
// ahead of the machine's by anything, and some entries are in the totals already.
func TestBooksOfAnyPeriod(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	start := w.Clock.Now()
	us := w.App.Merchants.US
	times := rapid.Map(rapid.IntRange(-1, 20*24),
		func(h int) time.Time { return start.Add(time.Duration(h) * time.Hour) })
	rapid.Check(t, func(rt *rapid.T) {
		m := instant.Moment{Machine: w.Clock.Now(), At: times.Draw(rt, "at")}
		if err := postAt(w, m, some(rt, w, us, 4)...); err != nil {
			rt.Fatal(err)
		}
		if err := postAt(w, m, some(rt, w, w.App.Merchants.CA, 1)...); err != nil {
			rt.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		if _, err := w.Ledger.Fold(w.T.Context()); err != nil {
			rt.Fatal(err)
		}
		points := []time.Time{times.Draw(rt, "a"), times.Draw(rt, "b"), times.Draw(rt, "c")}
		slices.SortFunc(points, time.Time.Compare)
		whole := all(rt, w, ledger.ListInput{Merchants: []int64{us}})
		var last ledger.Accounts
		for i := range 2 {
			got, err := ledger.SumsBetween(w.T.Context(), w.Pool, w.App.AppID, us, points[i], points[i+1])
			want := books(whole, points[i], points[i+1])
			if err != nil || got.Opening != want.Opening || got.Closing != want.Closing ||
				!slices.Equal(got.Kinds, want.Kinds) || got.Currency != money.USD {
				rt.Fatalf("%+v, %v; want\n%+v", got, err, want)
			}
			sum := got.Opening.Total()
			for _, k := range got.Kinds {
				sum += k.Amount
			}
			if sum != got.Closing.Total() || i > 0 && got.Opening != last {
				rt.Fatalf("%+v does not add up, or does not follow %+v", got, last)
			}
			last = got.Closing
		}
	})
	if n := count(t, w, "ledger_totals"); n == 0 {
		t.Error("nothing was folded meanwhile")
	}
}

// books adds up entries one by one.
func books(whole []ledger.Entry, from, to time.Time) ledger.Sums {
	var out ledger.Sums
	plus := func(a *ledger.Accounts, e ledger.Entry) {
		a.Pending, a.Available = a.Pending+e.Pending, a.Available+e.Available
		a.Reserved, a.InTransit = a.Reserved+e.Reserved, a.InTransit+e.InTransit
	}
	for _, kind := range slices.Sorted(slices.Values(ledger.MerchantKinds())) {
		k := ledger.KindSum{Kind: kind}
		for _, e := range whole {
			if e.Kind == kind && e.Amount != 0 && !e.CreatedAt.Before(from) && e.CreatedAt.Before(to) {
				k.Count, k.Amount = k.Count+1, k.Amount+e.Amount
			}
		}
		if k.Count > 0 {
			out.Kinds = append(out.Kinds, k)
		}
	}
	for _, e := range whole {
		if e.CreatedAt.Before(from) {
			plus(&out.Opening, e)
		}
		if e.CreatedAt.Before(to) {
			plus(&out.Closing, e)
		}
	}
	return out
}

func TestBooksOfWhomThereIsNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	now := w.Clock.Now()
	got, err := ledger.SumsBetween(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.CA, now.Add(-time.Hour), now)
	if err != nil || got.Currency != money.CAD || got.Opening != got.Closing || got.Opening.Total() != 0 ||
		got.Kinds == nil || len(got.Kinds) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ledger.SumsBetween(t.Context(), w.Pool, w.Other.AppID, w.App.Merchants.CA, now.Add(-time.Hour),
		now); !errors.Is(err, pg.ErrNone) {
		t.Errorf("another application's merchant: %v", err)
	}
}

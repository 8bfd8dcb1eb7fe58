package daf_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/daf"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
)

// grossUp is a row of testdata/grossup.json, which the browser library's test reads, too.
type grossUp struct {
	Goal   money.Amount
	Rates  []money.Percent // in percent, as JSON has them
	Amount *money.Amount   // null: no donation leaves the goal
}

func TestCoverTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/grossup.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []grossUp
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 20 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, r := range rows {
		got, ok := daf.Cover(r.Goal, r.Rates...)
		if ok != (r.Amount != nil) || ok && got != *r.Amount {
			t.Errorf("%d at %v: %d, %v", r.Goal, r.Rates, got, ok)
		}
	}
}

// kept is what fees leave of a donation.
func kept(a money.Amount, rates []money.Percent) money.Amount {
	left := a
	for _, r := range rates {
		left -= (2*a*money.Amount(r) + 100_000) / 200_000
	}
	return left
}

// byForce tries the whole dollars from one on.
func byForce(from, goal money.Amount, rates []money.Percent) (money.Amount, bool) {
	for a := from; a < 100_000_000; a += 100 {
		if kept(a, rates) >= goal {
			return a, true
		}
	}
	return 0, false
}

// Each of rapid's 100 checks takes 1,000 goals that follow each other: what leaves too little for a goal
// leaves too little for the next.
func TestCoverIsTheSmallest(t *testing.T) {
	t.Parallel()
	usual, extreme := rapid.Int64Range(0, 10_000), rapid.Int64Range(0, int64(money.PercentMax))
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		rates := []money.Percent{money.Percent(rapid.OneOf(usual, usual, usual, extreme).Draw(t, "service"))}
		if rapid.Bool().Draw(t, "both") {
			rates = append(rates, daf.ProviderPercentage)
		}
		first := money.Amount(rapid.OneOf(rapid.Int64Range(1, 100_000),
			rapid.Int64Range(1, int64(money.MaxCharge))).Draw(t, "goal"))
		want, possible := daf.WholeDollar, true
		for goal := first; goal < first+1000; goal++ {
			if possible {
				want, possible = byForce(want, goal, rates)
			}
			got, ok := daf.Cover(goal, rates...)
			if ok != possible || ok && got != want {
				t.Fatalf("%d at %v: %d, %v; by force %d, %v", goal, rates, got, ok, want, possible)
			}
			cases++
		}
	})
	if cases < 100_000 {
		t.Errorf("only %d cases", cases)
	}
}

// The rates that are in effect when a donation is made stay its rates.
func TestFeesAreFixedAtCreation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for percent, want := range map[string]money.Amount{"0": 0, "1.5": 2, "2.25": 2, "100": 100} {
		rate, err := money.ParsePercent(percent)
		if err != nil {
			t.Fatal(err)
		}
		var in merchant.UpdateInput
		in.DAFPercentage.Given, in.DAFPercentage.Value = true, &rate
		if _, err := w.Merchants.Update(t.Context(), w.Actor(), w.App.Merchants.US, in, nil); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Millisecond) // a change begins after the last donation
		d := w.make(daf.Integrated, 100)
		if d.FeeTotal != want+3 || d.Net != 100-want-3 || len(d.Fees) != 2 && want > 0 {
			t.Errorf("%s %%: %s", percent, jsonOf(t, d.Fees))
		}
	}
	old := w.count(`daf_donations WHERE fee_total <> (SELECT sum((l->>'amount')::bigint)
		FROM jsonb_array_elements(fees) l)`)
	if old != 0 {
		t.Errorf("%d donations have other fees than their lines", old)
	}
}

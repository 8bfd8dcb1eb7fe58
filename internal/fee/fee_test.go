package fee_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/demo"
	"svcpay/internal/fee"
	"svcpay/internal/fixture"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

func names(lines []fee.Line) (out []string) {
	for _, l := range lines {
		out = append(out, l.Fee)
	}
	return out
}

func TestWorkedExample(t *testing.T) {
	t.Parallel()
	s := fee.Schedule{ID: ids.NewFeeSchedule(time.UnixMilli(1)), Rates: demo.Rates()}
	authorized, captured := s.Lines(fee.Authorized, 10_000, "amex"), s.Lines(fee.Captured, 10_000, "amex")
	all := slices.Concat(authorized, captured)
	want := []string{"authorization_fee", "capture_fee", "amex_surcharge_percentage", "platform_flat_fee", "platform_percentage"}
	if fee.Total(all) != 185 || !slices.Equal(names(all), want) {
		t.Errorf("%d for %v", fee.Total(all), names(all))
	}
	if got := s.Lines(fee.Captured, 10_000, "visa"); fee.Total(got) != 125 || slices.Contains(names(got), "amex_surcharge_percentage") {
		t.Errorf("visa pays %d for %v", fee.Total(got), names(got))
	}
	text, err := json.Marshal(captured[1:3])
	id := s.ID.String()
	if err != nil || string(text) != `[{"fee":"amex_surcharge_percentage","basis":10000,"rate":0.5,"amount":50,"schedule_id":"`+id+`"},`+
		`{"fee":"platform_flat_fee","amount":5,"schedule_id":"`+id+`"}]` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLinesAreRoundedByThemselves(t *testing.T) {
	t.Parallel()
	half := money.Percent(500)
	s := fee.Schedule{Rates: fee.Rates{AmexSurchargePercentage: 500, PlatformPercentage: &half}}
	if got := s.Lines(fee.Captured, 100, "amex"); fee.Total(got) != 2 { // 0.5 and 0.5: not 1 together
		t.Errorf("two halves cost %d: %v", fee.Total(got), got)
	}
}

func rates() *rapid.Generator[fee.Rates] {
	flat := rapid.Map(rapid.Int64Range(0, 300), func(v int64) money.Amount { return money.Amount(v) })
	percent := rapid.Map(rapid.Int64Range(0, int64(money.PercentMax)), func(v int64) money.Percent { return money.Percent(v) })
	return rapid.Custom(func(t *rapid.T) fee.Rates {
		f := func(n string) money.Amount { return flat.Draw(t, n) }
		p := func(n string) money.Percent { return percent.Draw(t, n) }
		return fee.Rates{
			AuthorizationFee: f("authorization"), CaptureFee: f("capture"), AmexSurchargePercentage: p("amex"),
			ACHTransferFlatFee: f("ach flat"), ACHTransferPercentage: p("ach"), ACHTransferFailedFee: f("failed"),
			ACHReturnFee: f("return"), ChargebackFee: f("chargeback"), RetrievalFee: f("retrieval"), DAFPercentage: p("daf"),
			PlatformFlatFee: rapid.Ptr(flat, true).Draw(t, "platform flat"), PlatformPercentage: rapid.Ptr(percent, true).Draw(t, "platform"),
		}
	})
}

func TestLinesOfAnyRates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := fee.Schedule{ID: ids.NewFeeSchedule(time.UnixMilli(1)), Rates: rates().Draw(t, "rates")}
		base := money.Amount(rapid.Int64Range(0, int64(money.MaxCharge)).Draw(t, "base"))
		brand := rapid.SampledFrom([]string{"amex", "visa", ""}).Draw(t, "brand")
		kind := rapid.SampledFrom([]fee.Kind{fee.Authorized, fee.Captured}).Draw(t, "kind")
		lines := s.Lines(kind, base, brand)
		var sum money.Amount
		seen := map[string]bool{}
		for _, l := range lines {
			sum += l.Amount
			if l.Amount <= 0 || l.ScheduleID != s.ID || seen[l.Fee] || (l.Basis == nil) != (l.Rate == nil) {
				t.Fatalf("line %+v", l)
			}
			if l.Rate != nil && (l.Rate.Of(*l.Basis) != l.Amount || *l.Basis != base) {
				t.Fatalf("line %+v does not follow from its own members", l)
			}
			seen[l.Fee] = true
		}
		if sum != fee.Total(lines) || (kind == fee.Authorized && sum != s.AuthorizationFee) || (brand != "amex" && seen["amex_surcharge_percentage"]) {
			t.Fatalf("%s of %s costs %d: %v", kind, brand, sum, lines)
		}
	})
}

// create adds a schedule to the first application's US merchant.
func create(t rapid.TB, w *fixture.World, r fee.Rates, effectiveAt time.Time) (id ids.FeeSchedule) {
	t.Helper()
	err := pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		id = fee.CreateTx(tx, w.App.AppID, w.App.Merchants.US, r, effectiveAt, w.Clock.Now())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestScheduleInForceIsTheLatestThatHasBegun(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	start := w.Clock.Now()
	us := fee.Merchant{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US}
	other := fee.Merchant{ApplicationID: w.Other.AppID, MerchantID: w.Other.Merchants.US}
	foreign := fee.Merchant{ApplicationID: w.Other.AppID, MerchantID: w.App.Merchants.US}
	tomorrow := create(t, w, fee.Rates{CaptureFee: 2}, start.Add(24*time.Hour))
	early := create(t, w, fee.Rates{CaptureFee: 1}, start.Add(time.Hour))
	at := func(m fee.Merchant, when time.Time) fee.Schedule {
		t.Helper()
		all, err := fee.InForceTx(t.Context(), w.Pool, map[fee.Merchant]time.Time{us: when, other: when, foreign: when})
		if err != nil {
			t.Fatal(err)
		}
		return all[m].Merchant
	}
	first := at(us, start)
	if !reflect.DeepEqual(first.Rates, demo.Rates()) {
		t.Errorf("at first %+v", first.Rates)
	}
	for _, c := range []struct {
		when time.Time
		want ids.FeeSchedule
	}{{start.Add(time.Hour - 1), first.ID}, {start.Add(time.Hour), early}, {start.Add(23 * time.Hour), early}, {start.Add(24 * time.Hour), tomorrow}} {
		if got := at(us, c.when); got.ID != c.want {
			t.Errorf("at %v: %v, want %v", c.when.Sub(start), got.ID, c.want)
		}
	}
	if got := at(other, start.Add(48*time.Hour)); got.CaptureFee != 20 || at(foreign, start).ID.String() != "" || at(us, start.Add(-1)).ID.String() != "" {
		t.Errorf("another merchant's schedule is %+v", got)
	}
}

func TestRatesSurviveTheDatabase(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := fee.Merchant{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US}
	rapid.Check(t, func(rt *rapid.T) {
		want := rates().Draw(rt, "rates")
		w.Clock.Advance(time.Second)
		id := create(rt, w, want, w.Clock.Now())
		got, err := fee.InForceTx(w.T.Context(), w.Pool, map[fee.Merchant]time.Time{us: w.Clock.Now()})
		if s := got[us].Merchant; err != nil || s.ID != id || !reflect.DeepEqual(s.Rates, want) {
			rt.Fatalf("%+v comes back as %+v, %v", want, s, err)
		}
	})
}

package fee_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/demo"
)

const month = 30 * day

// happenings are events of the last 40 days, oldest first, not charged yet.
func happenings(now time.Time) *rapid.Generator[[]fee.Event] {
	one := rapid.Custom(func(t *rapid.T) fee.Event {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		ago := time.Duration(rapid.IntRange(0, 40*24).Draw(t, "hours ago")) * time.Hour
		// Few amounts, so that events are alike now and then.
		base := rapid.OneOf(rapid.SampledFrom([]int64{1, 99, 2500, 10_000}),
			rapid.Int64Range(1, 1_000_000)).Draw(t, "base")
		return fee.Event{SourceID: ids.NewCharge(now).Bytes(), Kind: kind, Base: money.Amount(base),
			Brand: rapid.SampledFrom([]string{"amex", "visa", ""}).Draw(t, "brand"), At: now.Add(-ago)}
	})
	return rapid.Map(rapid.SliceOfN(one, 0, 20), func(all []fee.Event) []fee.Event {
		slices.SortStableFunc(all, func(a, b fee.Event) int { return a.At.Compare(b.At) })
		return all
	})
}

// byFee adds an event's lines to sums by fee.
func byFee(sums map[string]fee.PreviewFee, old, proposed []fee.Line) {
	for _, l := range old {
		f := sums[l.Fee]
		sums[l.Fee] = fee.PreviewFee{Fee: l.Fee, OldCount: f.OldCount + 1, OldTotal: f.OldTotal + l.Amount,
			NewCount: f.NewCount, NewTotal: f.NewTotal}
	}
	for _, l := range proposed {
		f := sums[l.Fee]
		sums[l.Fee] = fee.PreviewFee{Fee: l.Fee, OldCount: f.OldCount, OldTotal: f.OldTotal, NewCount: f.NewCount + 1,
			NewTotal: f.NewTotal + l.Amount}
	}
}

func TestPreviewIsWhatTheProposalCosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Clock.Advance(50 * day) // merchants that are made now are older than their events
	rapid.Check(t, func(rt *rapid.T) {
		now, proposed := w.Clock.Now(), rates().Draw(rt, "proposed")
		w.Clock.Advance(-50 * day)
		m, second := w.copyMerchant(rt, rates().Draw(rt, "old")), w.copyMerchant(rt, proposed)
		w.Clock.Advance(30 * day)
		w.change(rt, m, rates().Draw(rt, "changed"), 0) // within the window: some events were charged by other rates
		w.Clock.Advance(20 * day)
		want := fee.Preview{}
		sums := map[string]fee.PreviewFee{}
		for _, e := range happenings(now).Draw(rt, "events") {
			was := w.record(rt, m, e)
			e.SourceID = ids.NewCharge(now).Bytes()
			would := w.record(rt, second, e)
			if e.At.After(now.Add(-month)) {
				want.Events++
				want.OldTotal, want.NewTotal = want.OldTotal+fee.Total(was.Lines), want.NewTotal+fee.Total(would.Lines)
				byFee(sums, was.Lines, would.Lines)
			}
		}
		got, err := w.fees.Preview(w.T.Context(), w.admin(), m.MerchantID, proposed)
		must(rt, err)
		if got.Events != want.Events || got.OldTotal != want.OldTotal || got.NewTotal != want.NewTotal ||
			len(got.Fees) != len(sums) {
			rt.Fatalf("%+v, want %+v and %v", got, want, sums)
		}
		for _, f := range got.Fees {
			if f != sums[f.Fee] {
				rt.Fatalf("%+v, want %+v", f, sums[f.Fee])
			}
		}
		charged, err := w.fees.Preview(w.T.Context(), w.admin(), second.MerchantID, proposed)
		if err != nil || charged.OldTotal != got.NewTotal || charged.NewTotal != got.NewTotal ||
			charged.Events != got.Events {
			rt.Fatalf("the second merchant: %+v, %v; the first would pay %d", charged, err, got.NewTotal)
		}
		checkExamples(rt, got, proposed)
	})
}

// checkExamples requires up to three different events, those whose cost changes most.
func checkExamples(t *rapid.T, p fee.Preview, proposed fee.Rates) {
	seen := map[string]bool{}
	least := money.Amount(1 << 60)
	for _, e := range p.Examples {
		change := max(e.NewTotal-e.OldTotal, e.OldTotal-e.NewTotal)
		if change > least || seen[e.SourceID] || e.OccurredAt.Before(p.From.Time) || e.OccurredAt.After(p.To.Time) {
			t.Fatalf("example %+v of %+v", e, p.Examples)
		}
		least, seen[e.SourceID] = change, true
		again := fee.Schedule{Rates: proposed}.Lines(e.Kind, e.Base, e.Brand)
		if e.OldTotal != fee.Total(e.Old) || e.NewTotal != fee.Total(e.New) || e.Old == nil ||
			!reflect.DeepEqual(append([]fee.Line{}, again...), e.New) {
			t.Fatalf("example %+v", e)
		}
	}
	if len(p.Examples) > 3 || len(p.Examples) == 0 && p.Events > 0 {
		t.Fatalf("%d examples of %d events", len(p.Examples), p.Events)
	}
}

func TestPreviewNamesTheSourceOfItsExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.Clock.Now()
	w.Clock.Advance(month)
	charged, disputed := ids.NewCharge(now), ids.NewDispute(now)
	for _, e := range []fee.Event{
		{SourceID: charged.Bytes(), Kind: fee.Captured, Base: 10_000, Brand: "amex", At: w.Clock.Now()},
		{SourceID: ids.NewCharge(now).Bytes(), Kind: fee.Captured, Base: 10_000, Brand: "amex", At: w.Clock.Now().Add(-time.Second)},
		{SourceID: disputed.Bytes(), Kind: fee.Chargeback, Base: 10_000, Brand: "amex", At: w.Clock.Now()},
		{SourceID: disputed.Bytes(), Kind: fee.Retrieval, Base: 10_000, Brand: "amex", At: w.Clock.Now()},
		// just out of it
		{SourceID: ids.NewCharge(now).Bytes(), Kind: fee.BankFailed, Base: 1, At: w.Clock.Now().Add(-month)},
	} {
		w.record(t, w.us(), e)
	}
	proposed := demo.Rates()
	proposed.CaptureFee, proposed.ChargebackFee = 10, 3000
	p, err := w.fees.Preview(t.Context(), w.Actor(), w.App.Merchants.US, proposed)
	must(t, err)
	var got []string
	for _, e := range p.Examples {
		got = append(got, e.SourceID+" "+string(e.Kind))
	}
	if want := []string{disputed.String() + " chargeback", charged.String() + " captured",
		disputed.String() + " retrieval"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if p.Events != 4 || p.OldTotal != 2*175+1500+500 || p.NewTotal != 2*165+3000+500 || p.To.Sub(p.From.Time) != month {
		t.Errorf("%+v", p)
	}
	if f := p.Fees[0]; f != (fee.PreviewFee{Fee: "capture_fee", OldCount: 2, NewCount: 2, OldTotal: 40, NewTotal: 20}) {
		t.Errorf("%+v", f)
	}
	nothing, err := w.fees.Preview(t.Context(), w.Actor(), w.App.Merchants.CA, proposed)
	if err != nil || nothing.Events != 0 || nothing.Fees == nil || nothing.Examples == nil {
		t.Errorf("%+v, %v", nothing, err)
	}
	_, err = w.fees.Preview(t.Context(), w.Actor(), w.App.Merchants.US, fee.Rates{CaptureFee: -1})
	refused(t, "a negative fee", err, "parameter_invalid")
}

// TestPreviewIsWhatChargesReallyCost makes the same charges for a merchant whose fees are then
// previewed, and for one that is charged by the proposal.
func TestPreviewIsWhatChargesReallyCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	third, flat := money.Percent(333), money.Amount(7)
	proposed := fee.Rates{AuthorizationFee: 3, CaptureFee: 9, AmexSurchargePercentage: 1250, PlatformFlatFee: &flat,
		PlatformPercentage: &third}
	second := w.copyMerchant(t, proposed)
	pay := func(m fee.Merchant, number string, amount money.Amount, capture bool) money.Amount {
		t.Helper()
		token := w.TokenIn(w.SessionOf(w.App, m.MerchantID), number)
		out, err := w.Charges.Create(t.Context(), w.Actor(),
			charge.CreateInput{MerchantID: &m.MerchantID, Amount: &amount, Token: &token, Capture: &capture}, nil)
		must(t, err)
		return out.Object.FeeTotal
	}
	var old, proposal money.Amount
	for i, amount := range []money.Amount{10_000, 1, 149, 2550, 10_000} {
		for _, number := range []string{"378282246310005", "4242424242424242"} {
			old += pay(w.us(), number, amount, i != 3)
			proposal += pay(second, number, amount, i != 3)
		}
	}
	p, err := w.fees.Preview(t.Context(), w.Actor(), w.App.Merchants.US, proposed)
	if err != nil || p.OldTotal != old || p.NewTotal != proposal || p.Events != 18 || old == proposal {
		t.Errorf("%+v, %v; charged %d, and %d by the proposal", p, err, old, proposal)
	}
}

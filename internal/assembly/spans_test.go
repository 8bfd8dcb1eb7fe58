package assembly_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// spanned checks that a list has of each span, between the times of any two of its records, what it has of that in all.
func spanned[T any](t *testing.T, name string, at func(T) time.Time, list func(page.Times) (page.Of[T], error)) {
	t.Helper()
	all, err := list(page.Times{})
	if err != nil || len(all.Items) < 4 || all.HasMore {
		t.Fatalf("%s: %d, %v", name, len(all.Items), err)
	}
	within := func(span page.Times) {
		want := 0
		for _, r := range all.Items {
			if (span.From == nil || !at(r).Before(*span.From)) && (span.Until == nil || at(r).Before(*span.Until)) {
				want++
			}
		}
		if got, err := list(span); err != nil || len(got.Items) != want {
			t.Errorf("%s from %v until %v: %d are listed, want %d, %v", name, span.From, span.Until, len(got.Items),
				want, err)
		}
	}
	for _, from := range all.Items {
		first := at(from)
		within(page.Times{From: &first})
		within(page.Times{Until: &first})
		for _, until := range all.Items {
			last := at(until)
			within(page.Times{From: &first, Until: &last})
		}
	}
}

// A sandbox's clock runs ahead of the ids: lists still have everything of a span.
func TestListsByTimeAfterTheClockWasMoved(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for range 4 {
		in, amount, capture := w.Token("4242424242424242"), money.Amount(1000), true
		c, err := w.Charges.Create(t.Context(), w.Actor(),
			charge.CreateInput{MerchantID: &w.App.Merchants.US, Token: &in, Amount: &amount, Capture: &capture}, nil)
		if err != nil {
			t.Fatal(err)
		}
		id := c.Object.ID.String()
		if _, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &amount},
			nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, 40*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	for n := 1; n > 0; {
		var err error
		if n, err = w.Events.Number(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	spanned(t, "tokens", func(r token.Token) time.Time { return r.CreatedAt.Time },
		func(s page.Times) (page.Of[token.Token], error) {
			return w.Tokens.List(t.Context(), w.Actor(),
				token.ListInput{Created: s, Page: page.Input[ids.Token]{Limit: 100}})
		})
	spanned(t, "charges", func(r charge.Charge) time.Time { return r.CreatedAt.Time },
		func(s page.Times) (page.Of[charge.Charge], error) {
			return w.Charges.List(t.Context(), w.Actor(),
				charge.ListInput{Created: s, Page: page.Input[ids.Charge]{Limit: 100}})
		})
	spanned(t, "refunds", func(r refund.Refund) time.Time { return r.CreatedAt.Time },
		func(s page.Times) (page.Of[refund.Refund], error) {
			return w.Refunds.List(t.Context(), w.Actor(),
				refund.ListInput{Created: s, Page: page.Input[ids.Refund]{Limit: 100}})
		})
	spanned(t, "balance entries", func(r ledger.Entry) time.Time { return r.CreatedAt.Time },
		func(s page.Times) (page.Of[ledger.Entry], error) {
			return w.Ledger.List(t.Context(), w.Actor(),
				ledger.ListInput{Created: s, Page: page.Input[ids.Entry]{Limit: 100}})
		})
	spanned(t, "events", func(r event.Event) time.Time { return r.Timestamp.Time },
		func(s page.Times) (page.Of[event.Event], error) {
			return w.Events.List(t.Context(), w.Actor(),
				event.ListInput{Created: s, Page: page.Input[int64]{Limit: 100}})
		})
}

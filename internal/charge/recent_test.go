package charge_test

import (
	"fmt"
	"testing"
	"time"

	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func TestRecentChargesOfCardsAreCounted(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	recent := func(applicationID, merchantID int64, since time.Time) token.Recent {
		t.Helper()
		out, err := w.Charges.Recent(t.Context(), applicationID, merchantID, since)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for i, number := range []string{"4000000000000002", good, good, "4000000000009995"} {
		if _, err := w.Charges.Create(t.Context(), w.Actor(), input(w, number, 100),
			claimOf(w, fmt.Sprint(i))); err != nil && code(err) != "card_declined" {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
	}
	now := w.Clock.Now()
	for age, want := range map[time.Duration]token.Recent{
		10 * time.Minute: {Made: 4, Declined: 2}, 4 * time.Minute: {Made: 4, Declined: 2}, 3 * time.Minute: {
			Made: 3, Declined: 1}, time.Second: {},
	} {
		if got := recent(w.App.AppID, us, now.Add(-age)); got != want {
			t.Errorf("of the last %s: %+v, want %+v", age, got, want)
		}
	}
	if got := recent(w.App.AppID, w.App.Merchants.USQ, now.Add(-time.Hour)); got != (token.Recent{}) {
		t.Errorf("another merchant: %+v", got)
	}
	if got := recent(w.Other.AppID, us, now.Add(-time.Hour)); got != (token.Recent{}) {
		t.Errorf("another application: %+v", got)
	}
}

// However many a merchant has, as many are read as say how they end.
func TestTheLastOfManyChargesAreCounted(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := authorized(t, w)
	w.Copies(c, 1200, time.Millisecond, nil)
	got, err := w.Charges.Recent(t.Context(), w.App.AppID, c.MerchantID, w.Clock.Now().Add(-10*time.Minute))
	if err != nil || got != (token.Recent{Made: 1000}) {
		t.Errorf("%+v, %v", got, err)
	}
}

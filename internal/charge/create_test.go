package charge_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

func ptr[T any](v T) *T { return &v }

func input(w *fixture.World, number string, amount money.Amount) charge.CreateInput {
	return charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: ptr(w.Token(number))}
}

func TestAmexChargePaysEveryFeeOfTheWorkedExample(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	out, err := w.Charges.Create(t.Context(), w.Actor(), input(w, "378282246310005", 10_000), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := out.Object
	if c.Status != charge.Captured || c.FeeTotal != 185 || c.Net != 10_000-185 {
		t.Errorf("status %s, fees %d, net %d; want captured, 185, 9815", c.Status, c.FeeTotal, c.Net)
	}
	balances, err := ledger.Balances(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	want := map[ledger.Account]money.Amount{ledger.ProcessorReceivable: 10_000, ledger.MerchantPending: -9_815,
		ledger.ApplicationFees: -185}
	var sum money.Amount
	for _, b := range balances {
		sum += b.Balance
		if want[b.Account] != b.Balance {
			t.Errorf("%s = %d, want %d", b.Account, b.Balance, want[b.Account])
		}
	}
	if sum != 0 || len(balances) != len(want) {
		t.Errorf("the ledger sums to %d over %d accounts", sum, len(balances))
	}
}

func TestStatementShowsTheSuffix(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	for suffix, want := range map[string]string{"GALA": "RIVERSIDE FOOD* GALA",
		"SPRING DRIVE": "RIVERSID* SPRING DRIVE"} {
		in := input(w, good, 100)
		in.StatementSuffix = &suffix
		create(t, w, in, nil)
		if got := p.calls[len(p.calls)-1].Descriptor; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	create(t, w, input(w, good, 100), nil)
	if got := p.calls[len(p.calls)-1].Descriptor; got != "RIVERSIDE FOOD" {
		t.Errorf("without a suffix %q", got)
	}
}

func TestFundsAreAvailableOnTheSecondBusinessDay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	// Wednesday evening in New York, already Thanksgiving Day by UTC.
	w.Clock.Advance(time.Date(2040, 11, 22, 2, 0, 0, 0, time.UTC).Sub(w.Clock.Now()))
	out := create(t, w, input(w, good, 100), nil)
	if on := out.Object.AvailableOn; on == nil || *on != "2040-11-26" {
		t.Errorf("US: %v, want the Monday after", on)
	}
	in := input(w, good, 100)
	in.Capture = ptr(false)
	if on := create(t, w, in, nil).Object.AvailableOn; on != nil {
		t.Errorf("an authorization is available on %v", *on)
	}
	ca := w.App.Merchants.CA
	token := w.TokenIn(w.SessionOf(w.App, ca), good)
	out = create(t, w, charge.CreateInput{MerchantID: &ca, Amount: ptr(money.Amount(100)), Token: &token}, nil)
	if on := out.Object.AvailableOn; on == nil || *on != "2040-11-23" {
		t.Errorf("Canada: %v, want Friday", on)
	}
}

// A swiped card may be charged with each origin, named or not; one that was typed is no terminal's.
func TestOriginOfSwipedCards(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	card := w.Card(good)
	card.Swiped, card.CVC = true, sensitive.CVC{}
	swiped, err := w.Tokens.CreateCard(t.Context(), w.Session(), "swiped", card)
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []*string{nil, ptr("ecommerce"), ptr("moto"), ptr("terminal")} {
		in := input(w, good, 100)
		in.Token, in.Origin = ptr(swiped.Token.String()), origin
		want := charge.Ecommerce
		if origin != nil {
			want = charge.Origin(*origin)
		}
		if c := create(t, w, in, nil).Object; c.Origin != want {
			t.Errorf("origin %s, want %s", c.Origin, want)
		}
	}
	typed := input(w, good, 100)
	typed.Origin = ptr("terminal")
	if _, err := w.Charges.Create(t.Context(), w.Actor(), typed, nil); !fault.HasCode(err, "token_type_mismatch") {
		t.Errorf("a typed card at a terminal: %v", err)
	}
}

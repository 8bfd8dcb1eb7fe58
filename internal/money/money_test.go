package money_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/money"
)

func TestParseCurrency(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"usd": true, "cad": true, "USD": false, "Usd": false, "eur": false,
		"": false, " usd": false} {
		if c, ok := money.ParseCurrency(text); ok != want || string(c) != text {
			t.Errorf("ParseCurrency(%q) = %q, %v", text, c, ok)
		}
	}
}

func TestPercentText(t *testing.T) {
	t.Parallel()
	good := map[string]string{"0": "0", "2": "2", "1.5": "1.5", "0.125": "0.125", "100": "100", "100.000": "100",
		"7.50": "7.5", "10": "10", "0.001": "0.001"}
	for text, want := range good {
		if p, err := money.ParsePercent(text); err != nil || p.String() != want {
			t.Errorf("ParsePercent(%q) = %v, %v; want %s", text, p, err, want)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "100.001", "101", "1000", "0.0001", "1e1", "1,5",
		" 1", "1 ", "0x1", "NaN", "1.5.5", "٣"} {
		if p, err := money.ParsePercent(text); err == nil {
			t.Errorf("ParsePercent(%q) = %v, want an error", text, p)
		}
	}
}

func percents() *rapid.Generator[money.Percent] {
	return rapid.Custom(func(t *rapid.T) money.Percent {
		return money.Percent(rapid.Int64Range(0, int64(money.PercentMax)).Draw(t, "percent"))
	})
}

func TestPercentSurvivesEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := percents().Draw(t, "p")
		if back, err := money.ParsePercent(p.String()); err != nil || back != p {
			t.Fatalf("%v parses to %v, %v", p, back, err)
		}
		text, err := json.Marshal(map[string]money.Percent{"rate": p})
		if err != nil || string(text) != fmt.Sprintf(`{"rate":%s}`, p) {
			t.Fatalf("JSON %s, %v", text, err)
		}
		var back struct{ Rate money.Percent }
		if err := json.Unmarshal(text, &back); err != nil || back.Rate != p {
			t.Fatalf("%s reads as %v, %v", text, back.Rate, err)
		}
		column, err := p.Value()
		var scanned money.Percent
		if err != nil || scanned.Scan(column) != nil || scanned != p {
			t.Fatalf("column %v scans as %v, %v", column, scanned, err)
		}
	})
}

func TestPercentRoundsHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    money.Percent
		a    money.Amount
		want money.Amount
	}{{500, 10_000, 50}, {1000, 50, 1}, {1000, 49, 0}, {1, 50_000, 1}, {1, 49_999, 0}, {money.PercentMax, 7, 7},
		{0, money.MaxCharge, 0}, {1500, 12_500, 188}} {
		if got := c.p.Of(c.a); got != c.want {
			t.Errorf("%v %% of %d = %d, want %d", c.p, c.a, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := percents().Draw(t, "p")
		a := money.Amount(rapid.Int64Range(0, int64(money.MaxCharge)).Draw(t, "amount"))
		exact := new(big.Rat).Mul(big.NewRat(int64(a), 1), big.NewRat(int64(p), 100_000))
		exact.Add(exact, big.NewRat(1, 2)) // half up is the floor of one half more
		want := new(big.Int).Div(exact.Num(), exact.Denom()).Int64()
		if got := p.Of(a); int64(got) != want {
			t.Fatalf("%v %% of %d = %d, want %d", p, a, got, want)
		}
	})
}

func TestPercentRefusesOtherJSONAndColumns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"2"`, `null`, `true`, `{}`, `1e2`, `-1`, `100.5`} {
		var p money.Percent
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s reads as %v", text, p)
		}
	}
	var p money.Percent
	for _, src := range []any{int64(2), 2.5, nil, []byte("2")} {
		if p.Scan(src) == nil {
			t.Errorf("scans %T", src)
		}
	}
}

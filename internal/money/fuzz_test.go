package money_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"svcpay/internal/money"
)

func FuzzPercent(f *testing.F) {
	for _, text := range []string{"", "0", "2", "1.5", "0.125", "100", "100.000", "100.001", "1e1", "-1", "+1", ".5",
		"5.", "0.0001", "00", "1_0", "\u0661", "NaN"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := money.ParsePercent(text)
		var decoded money.Percent
		if unmarshaled := decoded.UnmarshalJSON([]byte(text)); (unmarshaled == nil) != (err == nil) || decoded != p {
			t.Errorf("%q is %v, %v but %v, %v in JSON", text, p, err, decoded, unmarshaled)
		}
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok || exact.Cmp(big.NewRat(int64(p), 1000)) != 0 || p < 0 || p > money.PercentMax {
			t.Errorf("%q is read as %v", text, p)
		}
		printed, err := json.Marshal(p)
		if back, again := money.ParsePercent(string(printed)); err != nil || again != nil || back != p {
			t.Errorf("%v is printed as %s, %v", p, printed, err)
		}
	})
}

func FuzzCurrency(f *testing.F) {
	for _, text := range []string{"", "usd", "cad", "USD", "usd ", "eur", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := money.ParseCurrency(text); ok != (text == "usd" || text == "cad") || (ok && string(c) != text) {
			t.Errorf("%q is read as %q, %v", text, c, ok)
		}
	})
}

func FuzzDecimal(f *testing.F) {
	for _, text := range []string{"", "0", "12", "12.5", "1,250.00", " $ 7.05 ", "$", "1,25", "12,500", "1,234,567.89",
		"999999999.99", "1.250,00", "-1", "1e3", "0.005", "\u0661"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := money.ParseDecimal(text)
		if err != nil {
			return
		}
		if back, err := money.ParseDecimal(a.Decimal()); a < 0 || err != nil || back != a {
			t.Errorf("%q is %d, printed as %s, read as %d, %v", text, a, a.Decimal(), back, err)
		}
	})
}

package money_test

import (
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/money"
)

func TestAmountsAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Amount{"0": 0, "12": 1_200, "12.5": 1_250, "12.05": 1_205, "1250": 125_000,
		"1,250.00": 125_000,
		"$1,250":   125_000, " $ 7.05 ": 705, "12,345,678": 1_234_567_800, "999999999.99": 99_999_999_999} {
		if got, err := money.ParseDecimal(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "$", "x", "-1", "+1", "1.", ".5", "1.234", "1,25", "1,2345", "12,34.5",
		"1.250,00", "1 250", "1e3", "١", "1234567890", "1\x00"} {
		if got, err := money.ParseDecimal(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestAmountsAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for a, want := range map[money.Amount][2]string{0: {"0.00", "$0"}, 5: {"0.05", "$0.05"}, 100: {"1.00", "$1"},
		123_456:     {"1,234.56", "$1,234.56"},
		100_000_000: {"1,000,000.00", "$1,000,000"}, -123_400: {"-1,234.00", "-$1,234"}} {
		if a.Decimal() != want[0] || a.Dollars() != want[1] {
			t.Errorf("%d is %s, %s", a, a.Decimal(), a.Dollars())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := money.Amount(rapid.Int64Range(0, 999_999_99999).Draw(t, "amount"))
		for _, text := range []string{a.Decimal(), a.Dollars()} {
			if back, err := money.ParseDecimal(text); err != nil || back != a {
				t.Fatalf("%d is written %s and read as %d, %v", a, text, back, err)
			}
		}
		near := a.NearestDollar()
		if off := near - a; near%money.Dollar != 0 || near < money.Dollar || a >= 50 && (off > 50 || off <= -50) {
			t.Fatalf("the nearest to %d is %d", a, near)
		}
	})
}

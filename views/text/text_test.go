package text

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/money"
)

// gaps lists what a catalogue does not say, and what it says in other keys than English.
func gaps(path string, v, english reflect.Value) (out []string) {
	switch v.Kind() {
	case reflect.String:
		if strings.TrimSpace(v.String()) == "" {
			out = append(out, path)
		}
	case reflect.Func:
		if v.IsNil() {
			out = append(out, path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, gaps(path+"."+v.Type().Field(i).Name, v.Field(i), english.Field(i))...)
		}
	case reflect.Map:
		for _, key := range english.MapKeys() {
			if one := v.MapIndex(key); !one.IsValid() || one.String() == "" {
				out = append(out, path+"."+key.String())
			}
		}
		if v.Len() > english.Len() {
			out = append(out, path+" has more than English")
		}
	}
	return out
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	for _, c := range Languages() {
		if missing := gaps(c.Language, reflect.ValueOf(*c), reflect.ValueOf(*English)); len(missing) > 0 {
			t.Errorf("missing: %v", missing)
		}
	}
	torn := *English
	torn.Login.Title, torn.Home.Hello, torn.Roles = "", nil, map[string]string{"support_staff": "Support"}
	if missing := gaps("torn", reflect.ValueOf(torn), reflect.ValueOf(*English)); len(missing) != 2+
		len(English.Roles)-1 {
		t.Errorf("gaps are found as %v", missing)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for amount, want := range map[money.Amount]string{
		0: "$0.00", 5: "$0.05", 100: "$1.00", 123_456: "$1,234.56", -7: "−$0.07", -210_000: "−$2,100.00",
		99_999_999: "$999,999.99",
	} {
		if got := English.Amount(amount); got != want {
			t.Errorf("%d reads %q, want %q", amount, got, want)
		}
	}
	if got := English.Money(-12_500, money.CAD); got != "−$125.00 CAD" {
		t.Errorf("money reads %q", got)
	}
	for n, want := range map[int64]string{0: "0", 950: "950", 1_000: "1K", 1_549: "1.5K", -1_549: "−1.5K",
		20_000: "20K", 999_999: "999.9K", 3_000_000: "3M", 1_250_000_000: "1,250M"} {
		if got := English.Short(n); got != want {
			t.Errorf("%d in short is %q, want %q", n, got, want)
		}
	}
	for amount, want := range map[money.Amount]string{0: "$0", 95_000: "$950", 800_000: "$8K", -250_000: "−$2.5K",
		-50: "$0"} {
		if got := English.ShortAmount(amount); got != want {
			t.Errorf("%d in short is %q, want %q", amount, got, want)
		}
	}
	if percent, err := money.ParsePercent("2.125"); err != nil || English.Percent(percent) != "2.125%" {
		t.Errorf("%v reads %q", percent, English.Percent(percent))
	}
}

// Another language writes the same digits between its own signs.
func TestAmountsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	french := *English
	french.Format.Group, french.Format.Decimal = "\u202f", ","
	french.Format.Money = func(number, symbol string) string { return number + "\u00a0" + symbol }
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := money.Amount(rapid.Int64Range(-1e15, 1e15).Draw(t, "amount"))
		en, fr := English.Amount(a), french.Amount(a)
		want := digits(fmt.Sprintf("%03d", max(a, -a)))
		if digits(en) != want || digits(fr) != want || strings.HasPrefix(en, minus) != (a < 0) ||
			!strings.HasSuffix(fr, ","+want[len(want)-2:]+"\u00a0$") {
			t.Fatalf("%d reads %q and %q", a, en, fr)
		}
	})
}

func TestTimesAreTheViewers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 3, 4, 5, 0, time.UTC)
	west := Viewer{Text: English, Zone: time.FixedZone("", -5*60*60)}
	if got := west.Time(at); got != "Mar 1, 2026, 10:04 PM" {
		t.Errorf("the time is %q", got)
	}
	if got := west.Date(at); got != "Mar 1, 2026" {
		t.Errorf("the day is %q", got)
	}
	if to := To(context.Background()); to.Text != English || to.Zone != time.UTC {
		t.Errorf("a viewer of whom nothing is known is %+v", to)
	}
	if got := To(With(t.Context(), west)); got != west || Of(With(t.Context(), west)) != English {
		t.Errorf("the viewer is %+v", got)
	}
	if English.Day("2026-03-02") != "Mar 2, 2026" || English.Day("soon") != "soon" {
		t.Error("days are not written as days")
	}
}

func TestCountsBendTheirWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 results", 1: "1 result", 2: "2 results", 1_204: "1,204 results"} {
		if got := English.Parts.FoundCount(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}

// Our reference has one label.
func TestOurReferenceHasOneLabel(t *testing.T) {
	t.Parallel()
	for where, label := range map[string]string{"a charge": English.Charge.Reference,
		"a refund": English.Refunds.Reference,
		"a payout": English.Payouts.Reference} {
		if label != "Our reference" {
			t.Errorf("%s has %q", where, label)
		}
	}
}

package sensitive_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"svcpay/internal/sensitive"
	"svcpay/internal/sensitive/digits"
)

func TestCardNumbersAreFoundAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "" for none
		"4242424242424242":                         "4242424242424242",
		"card 4242 4242 4242 4242.":                "4242 4242 4242 4242",
		"card4242424242424242!":                    "4242424242424242",
		"3782-822463-10005":                        "3782-822463-10005",
		"no 17: 4242-4242 4242-4242 ok":            "4242-4242 4242-4242",
		"4242.4242.4242.4242":                      "4242.4242.4242.4242",
		"4242  4242  4242  4242":                   "4242  4242  4242  4242",
		"4242/4242/4242/4242":                      "4242/4242/4242/4242",
		"4242_4242,4242\u00a04242":                 "4242_4242,4242\u00a04242",
		"4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2":          "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2",
		"4242\u200b4242\u200b4242\u200b4242":       "4242\u200b4242\u200b4242\u200b4242",
		"4242ー4242ー4242ー4242":                      "4242ー4242ー4242ー4242",
		"４２４２ ４２４２ ４２４２ ４２４２":                      "４２４２ ４２４２ ４２４２ ４２４２",
		"④②④② 4²4² 4242 ٤٢٤٢":                      "④②④② 4²4² 4242 ٤٢٤٢",
		"4̶2̶4̶2̶ 4242 4242 4242":                  "4̶2̶4̶2̶ 4242 4242 4242",
		"6200000000000005":                         "6200000000000005", // UnionPay
		"6304000000000000":                         "6304000000000000", // Maestro
		"4242 4242 4242 4242 12/30 123":            "4242 4242 4242 4242",
		"4242 4242 4242 4242 1230 123":             "4242 4242 4242 4242",
		"4242 4242 4242 4242 12 30 123":            "4242 4242 4242 4242",
		"4242 4242 4242 4242 123":                  "4242 4242 4242 4242",
		"4242-4242-4242-4242-12-2030-123":          "4242-4242-4242-4242",
		"4242424242424242|12|2030|123":             "4242424242424242",
		"4242424242424242,12/30,123":               "4242424242424242",
		";4242424242424242=30121010000000000000?":  "4242424242424242",
		"42 42 42 42 42 42 42 42 12/30":            "42 42 42 42 42 42 42 42",
		"3782 822463 10005 12/2030 1234":           "3782 822463 10005",
		"12/30 123 4242 4242 4242 4242":            "4242 4242 4242 4242",
		"17 4242 4242 4242 4242":                   "4242 4242 4242 4242",
		"2026-11-21 10:30 4242 4242 4242 4242":     "4242 4242 4242 4242",
		"order 7 of 4242 4242 4242 4242 and one":   "4242 4242 4242 4242",
		"5555555555554444\n4242424242424242":       "5555555555554444|4242424242424242",
		"5555 5555 5555 4444, 4242 4242 4242 4242": "5555 5555 5555 4444|4242 4242 4242 4242",

		"42a42424242424242":                    "",
		"4242   4242 4242 4242":                "", // three characters
		"4242424242424241":                     "", // fails the check
		"42424242424242":                       "", // no length of the network's
		"1234567812345670":                     "", // passes the check, but no network's
		"42424242424242421230123":              "", // a longer number
		"9405 5112 0620 1002 6924 61":          "",
		"9405511206201002692461":               "",
		"2026-11-21 10:30:45 from 52.14.230.7": "",
		"30-11-2026 10:30:49":                  "", // 30112026103049 would pass
		"22:30:45.123456+02:00":                "",
		"":                                     "",
	} {
		var got []string
		for _, at := range sensitive.FindPANs(text) {
			got = append(got, text[at.From:at.To])
		}
		if found := strings.Join(got, "|"); found != want || sensitive.HoldsPAN(text) != (want != "") {
			t.Errorf("%q: %q, want %q", text, found, want)
		}
	}
}

// A card number is found whatever characters that are no letters are between its digits, one or two, or one between
// spaces, and those that take no room however many they are.
func TestCardNumbersAreFoundWithAnySeparator(t *testing.T) {
	t.Parallel()
	seen := 0
	last := "-"
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsLetter(r) || sensitive.IsDigit(r) {
			continue
		}
		seen++
		between := string(r)
		if text := "4242" + between + "4242" + between + last + "4242" + last + between +
			"4242"; !sensitive.HoldsPAN(text) {
			t.Errorf("%U and %q between digits: nothing was found", r, last)
		}
		if text := strings.Join([]string{"4242", "4242", "4242", "4242"}, " "+between+" "); !unicode.IsSpace(r) &&
			!sensitive.HoldsPAN(text) {
			t.Errorf("%U between spaces: nothing was found", r)
		}
		if many := " " + strings.Repeat(between, 5) + "-"; unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) &&
			!sensitive.HoldsPAN("4242"+many+"4242"+many+"42424242") {
			t.Errorf("%U, which takes no room, counts", r)
		}
		last = between
	}
	if seen < 900_000 {
		t.Errorf("%d characters were tried", seen)
	}
}

// A card number is found in the digits of every script, and in those that only its compatibility form has.
func TestCardNumbersAreFoundInAnyDigits(t *testing.T) {
	t.Parallel()
	of := make([][]rune, 10)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if value, ok := digits.Value(r); ok {
			of[value] = append(of[value], r)
		}
	}
	for script := range of[0] {
		text := strings.Map(func(r rune) rune { return of[r-'0'][script] }, "5555555555554444")
		if !sensitive.HoldsPAN(text) || !sensitive.HoldsPAN("5555 5555 "+text[:len(text)/4]+" 4444") {
			t.Errorf("%s: nothing was found", text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for _, d := range "4000056655665556" {
			text.WriteRune(rapid.SampledFrom(of[d-'0']).Draw(t, "digit"))
			text.WriteString(rapid.SampledFrom([]string{"", "", " ", "-", "\u200d", " \u2011", "\u00a0"}).Draw(t,
				"between"))
		}
		if !sensitive.HoldsPAN(text.String()) {
			t.Errorf("%q: nothing was found", text.String())
		}
	})
}

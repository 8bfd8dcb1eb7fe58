package check_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

const pan = "4242424242424242"

// codes are those that one check of one parameter gives.
func codes(look func(*fault.Fields)) (out []string) {
	var fs fault.Fields
	look(&fs)
	for _, f := range fs {
		out = append(out, f.Param+":"+f.Code)
	}
	return out
}

func TestTextsAreBoundedInCharacters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		least, most := rapid.IntRange(0, 3).Draw(t, "least"), rapid.IntRange(3, 12).Draw(t, "most")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aé\x00\n\u0085 7-")), 0, 15, -1).Draw(t, "text")
		n := utf8.RuneCountInString(text)
		good := n >= least && n <= most && !strings.ContainsFunc(text, unicode.IsControl)
		for name, look := range map[string]func(*fault.Fields, string, *string, int, int){"text": check.Text,
			"word": check.Word} {
			got := codes(func(fs *fault.Fields) { look(fs, "p", &text, least, most) })
			if good != (got == nil) || !good && fmt.Sprint(got) != "[p:parameter_invalid]" {
				t.Fatalf("%s %q of %d to %d: %v", name, text, least, most, got)
			}
		}
	})
}

func TestNothingIsSaidOfWhatWasNotSent(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(*fault.Fields){
		"text":     func(fs *fault.Fields) { check.Text(fs, "p", nil, 1, 2) },
		"word":     func(fs *fault.Fields) { check.Word(fs, "p", nil, 1, 2) },
		"external": func(fs *fault.Fields) { check.ExternalID(fs, nil) },
		"one of":   func(fs *fault.Fields) { check.OneOf(fs, "p", nil, "a") },
		"amount":   func(fs *fault.Fields) { check.Amount(fs, "p", nil) },
		"currency": func(fs *fault.Fields) { check.Currency(fs, "p", nil) },
		"merchant": func(fs *fault.Fields) { check.Merchant(fs, nil) },
		"metadata": func(fs *fault.Fields) { check.Metadata(fs, nil) },
		"given":    func(fs *fault.Fields) { check.Required(fs, "p", true) },
	} {
		if got := codes(look); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCardNumbersAreRefusedInTextsButNotInReferences(t *testing.T) {
	t.Parallel()
	with := "paid with 4242 4242 4242 4242 today"
	number := pan
	for name, look := range map[string]func(*fault.Fields){
		"text":           func(fs *fault.Fields) { check.Text(fs, "p", &with, 0, 255) },
		"prose":          func(fs *fault.Fields) { check.Prose(fs, "p", "line\n"+with, 255) },
		"metadata value": func(fs *fault.Fields) { check.Metadata(fs, map[string]string{"a": with}) },
		"metadata key":   func(fs *fault.Fields) { check.Metadata(fs, map[string]string{pan: "a"}) },
	} {
		var fs fault.Fields
		if look(&fs); len(fs) != 1 || !strings.Contains(fs[0].Message, "card number") ||
			strings.Contains(fs[0].Message, "4242") {
			t.Errorf("%s: %+v", name, fs)
		}
	}
	if got := codes(func(fs *fault.Fields) { check.ExternalID(fs, &number) }); got != nil {
		t.Errorf("a reference: %v", got)
	}
}

func TestProseMayHaveLines(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{"a\n\tb\r\n": true, "": false, "a\x00": false, "\xff": false,
		"seven..": true, "eight...": false} {
		if got := codes(func(fs *fault.Fields) { check.Prose(fs, "p", text, 7) }); good != (got == nil) {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 51 {
		many[fmt.Sprint("k", i)] = ""
	}
	long := strings.Repeat("é", 40)
	for name, c := range map[string]struct {
		pairs map[string]string
		good  bool
	}{
		"none": {map[string]string{}, true}, "longest": {map[string]string{long: strings.Repeat("é", 500)}, true},
		"too many": {many, false}, "no key": {map[string]string{"": "a"}, false},
		"key too long":   {map[string]string{long + "é": ""}, false},
		"value too long": {map[string]string{"a": strings.Repeat("é", 501)}, false},
		"NUL":            {map[string]string{"a": "\x00"}, false},
	} {
		if got := codes(func(fs *fault.Fields) { check.Metadata(fs, c.pairs) }); c.good != (got == nil) || !c.good &&
			got[0] != "metadata:parameter_invalid" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAmountsAndWords(t *testing.T) {
	t.Parallel()
	for amount, want := range map[money.Amount]string{1: "[]", money.MaxCharge: "[]", 0: "[p:amount_too_small]",
		-5: "[p:amount_too_small]", money.MaxCharge + 1: "[p:amount_too_large]"} {
		if got := fmt.Sprint(codes(func(fs *fault.Fields) { check.Amount(fs, "p", &amount) })); got != want {
			t.Errorf("%d: %s", amount, got)
		}
	}
	for word, want := range map[string]string{"usd": "[]", "cad": "[]", "USD": "[p:currency_unsupported]",
		"eur": "[p:currency_unsupported]"} {
		if got := fmt.Sprint(codes(func(fs *fault.Fields) { check.Currency(fs, "p", &word) })); got != want {
			t.Errorf("%s: %s", word, got)
		}
	}
	a, b, none := "a", "b", int64(0)
	for want, look := range map[string]func(*fault.Fields){
		"[]":                              func(fs *fault.Fields) { check.Choice(fs, "p", &a, "a") },
		"[p:parameter_invalid]":           func(fs *fault.Fields) { check.Choice(fs, "p", &b, "a") },
		"[p:parameter_missing]":           func(fs *fault.Fields) { check.Choice(fs, "p", nil, "a") },
		"[merchant_id:parameter_invalid]": func(fs *fault.Fields) { check.Merchant(fs, &none) },
	} {
		if got := fmt.Sprint(codes(look)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

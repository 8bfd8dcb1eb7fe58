package sensitive_test

import (
	"testing"

	"svcpay/internal/sensitive"
)

// FuzzPAN demands that a card number is found between words, whatever they are, and alone in what is told to hold it.
func FuzzPAN(f *testing.F) {
	for _, text := range []string{"", "a", " ", "-", "4242424242424242", "4242 4242", "x 1 2 3", "\x00", "é",
		"40000000000A0", "12/30 123"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, pan := range []string{"4242424242424242", "4242 4242 4242 4242", "4242-4242-4242-4242",
			"378282246310005"} {
			if text := before + "a" + pan + "a" + after; !sensitive.HoldsPAN(text) {
				t.Errorf("%q: nothing was found", text)
			}
		}
		for _, at := range sensitive.FindPANs(before + after) {
			if found := (before + after)[at.From:at.To]; !sensitive.HoldsPAN(found) {
				t.Errorf("%q in %q is no card number alone", found, before+after)
			}
		}
	})
}

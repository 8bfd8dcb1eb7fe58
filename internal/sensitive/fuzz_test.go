package sensitive_test

import (
	"strings"
	"testing"

	"svcpay/internal/sensitive"
)

// FuzzPAN demands that a card number is found whatever stands around it that is no digit, and that
// the stricter of the two searches finds what the other does.
func FuzzPAN(f *testing.F) {
	for _, text := range []string{"", "a", " ", "-", "4242424242424242", "4242 4242", "x 1 2 3", "\x00", "é", "40000000000A0"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if sensitive.HoldsPAN(before) && !sensitive.HidesPAN(before) {
			t.Errorf("%q holds a card number and hides none", before)
		}
		for _, pan := range []string{"4242424242424242", "4242 4242 4242 4242", "4242-4242-4242-4242", "378282246310005"} {
			if text := before + "." + pan + "." + after; !sensitive.HoldsPAN(text) {
				t.Errorf("%q: nothing was found", text)
			}
		}
		if digits := strings.Trim(before, "0123456789") == ""; sensitive.BrandOf(before).Fits(before) && sensitive.Luhn(before) && !digits {
			t.Errorf("%q is the number of a card", before)
		}
	})
}

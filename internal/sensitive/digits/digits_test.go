package digits_test

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/sensitive/digits"
)

// Unicode keeps the ten digits of a script in a row, so those of each script count up from 0, and what has a
// compatibility form has the value of that.
func TestDigitsOfAllScripts(t *testing.T) {
	t.Parallel()
	seen, forms := 0, 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got, ok := digits.Value(r)
		if ok != unicode.Is(unicode.Nd, r) {
			t.Fatalf("%U is a digit: %v", r, ok)
		}
		if !ok {
			continue
		}
		if got != seen%10 {
			t.Errorf("%U is %d, want %d", r, got, seen%10)
		}
		seen++
		if plain := norm.NFKC.String(string(r)); plain != string(r) {
			forms++
			if plain != string(rune('0'+got)) {
				t.Errorf("%U is %d, and %s in its compatibility form", r, got, plain)
			}
		}
	}
	if seen < 600 || seen%10 != 0 || forms < 60 {
		t.Errorf("%d digits, %d with a compatibility form", seen, forms)
	}
}

package check_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/sensitive"
)

// FuzzTexts demands that what is taken of the caller's own texts can be stored, has its length, holds
// no card number, and that no mistake repeats it.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{"", "a", "a\nb", "\x00", "\xff", "\u0085", strings.Repeat("é", 255),
		strings.Repeat("x", 256), "4242 4242 4242 4242", "4242-4242-4242-4242 "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var plain, word, prose, metadata fault.Fields
		check.Text(&plain, "a", &text, 1, 255)
		check.Word(&word, "a", &text, 1, 255)
		check.Prose(&prose, "a", text, 255)
		check.Metadata(&metadata, map[string]string{"k": text})
		n := utf8.RuneCountInString(text)
		fits := utf8.ValidString(text) && n >= 1 && n <= 255
		for name, fs := range map[string]fault.Fields{"text": plain, "word": word, "prose": prose} {
			if len(fs) == 0 && (!fits || strings.Contains(text, "\x00")) {
				t.Errorf("%q is taken as a %s", text, name)
			}
		}
		if kept := len(plain) == 0 || len(prose) == 0 || len(metadata) == 0; kept && sensitive.HoldsPAN(text) {
			t.Errorf("%q is taken: %v %v %v", text, plain, prose, metadata)
		}
		if len(metadata) == 0 && (n > 500 || strings.Contains(text, "\x00")) {
			t.Errorf("%q is taken as metadata", text)
		}
		if len(plain) == 0 && len(word) > 0 {
			t.Errorf("%q is a text and no word", text)
		}
		for _, fs := range []fault.Fields{plain, word, prose, metadata} {
			if len(fs) > 1 || (len(fs) == 1 && n > 20 && strings.Contains(fs[0].Message, text)) {
				t.Errorf("%q is told as %v", text, fs)
			}
		}
	})
}

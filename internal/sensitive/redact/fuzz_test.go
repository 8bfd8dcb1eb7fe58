package redact_test

import (
	"testing"

	"svcpay/internal/sensitive"
	"svcpay/internal/sensitive/redact"
)

// FuzzRedact demands that nothing comes through in which a card number is seen, and that what is
// clean stays as it is.
func FuzzRedact(f *testing.F) {
	for _, text := range []string{"", "a=b&c=d", "number=4242424242424242", `{"card":{"number":"4242424242424242"}}`,
		"4242 4242 4242 4242", "%34242424242424242", "%3824242424242424", "sk_sandbox_abc", `{"a":4242424242424242}`,
		`{"a":"4242`, "1 4242-4242 4242-4242"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := redact.Text(text)
		if sensitive.HoldsPAN(plain) {
			t.Errorf("%q becomes %q", text, plain)
		}
		if again := redact.Text(plain); again != plain {
			t.Errorf("%q becomes %q, then %q", text, plain, again)
		}
		if out, ok := redact.JSON([]byte(text)); ok && sensitive.HoldsPAN(out) {
			t.Errorf("%q becomes %q", text, out)
		}
		if out := redact.Query(text); sensitive.HoldsPAN(out) {
			t.Errorf("%q becomes %q", text, out)
		}
	})
}

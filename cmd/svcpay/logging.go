package main

import (
	"io"
	"log/slog"
	"regexp"
	"strings"
)

// newLog writes JSON lines. Its last filter replaces what looks like a card number or a key,
// whoever let it get that far.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString:
			a.Value = slog.StringValue(redact(a.Value.String()))
		case slog.KindAny:
			if err, ok := a.Value.Any().(error); ok {
				a.Value = slog.StringValue(redact(err.Error()))
			}
		}
		return a
	}}))
}

var (
	digitRun = regexp.MustCompile(`\d(?:[ -]?\d){12,18}`)
	keyText  = regexp.MustCompile(`\b[srp]k_(?:sandbox|production)_[0-9A-Za-z]+|\bcs_[0-9A-Za-z_-]{20,}|\bwhsec_[0-9A-Za-z+/=]+`)
)

// redact replaces runs of digits that pass the Luhn check, and keys.
func redact(s string) string {
	s = keyText.ReplaceAllString(s, "[redacted]")
	return digitRun.ReplaceAllStringFunc(s, func(run string) string {
		if luhn(strings.NewReplacer(" ", "", "-", "").Replace(run)) {
			return "[redacted]"
		}
		return run
	})
}

// luhn is ISO/IEC 7812-1's check, for digits only.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d*2%10 + d*2/10
		}
		sum += d
	}
	return sum%10 == 0
}

package main

import (
	"io"
	"log/slog"
	"regexp"
	"strings"

	"svcpay/internal/sensitive"
)

// newLog writes JSON lines. Its last filter replaces what looks like a card number or a key,
// whoever let it get that far.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString, slog.KindInt64, slog.KindUint64, slog.KindAny:
			was := a.Value.String()
			if now := redact(was); now != was {
				a.Value = slog.StringValue(now)
			}
		}
		return a
	}}))
}

// Digits are looked at in every way in which a card number may stand beside others: a run by
// itself, in groups of four (or four, six, the rest), and with a space or dash anywhere.
var (
	digitRuns = []*regexp.Regexp{
		regexp.MustCompile(`\d{13,}`),
		regexp.MustCompile(`\b\d{4}(?:[ -]\d{4}){2}[ -]\d{1,7}|\b\d{4}[ -]\d{6}[ -]\d{4,5}`),
		regexp.MustCompile(`\d(?:[ -]?\d){12,18}`),
	}
	keyText = regexp.MustCompile(`\b[srp]k_(?:sandbox|production)_[0-9A-Za-z]+|\bcs_[0-9A-Za-z_-]{20,}|\bwhsec_[0-9A-Za-z+/=]+`)
)

// redact replaces runs of digits that pass the Luhn check, and keys.
func redact(s string) string {
	s = keyText.ReplaceAllString(s, "[redacted]")
	for _, runs := range digitRuns {
		s = runs.ReplaceAllStringFunc(s, func(run string) string {
			if digits := strings.NewReplacer(" ", "", "-", "").Replace(run); len(digits) <= 19 && sensitive.Luhn(digits) {
				return "[redacted]"
			}
			return run
		})
	}
	return s
}

// Package redact takes out of a text what nobody who reads logs may see: card numbers, keys, and the
// values of names that stand for secrets. It is the last filter, for what should not have come so far.
package redact

import (
	"regexp"
	"strings"

	"svcpay/internal/sensitive"
)

// Mark stands for what was taken out.
const Mark = "[redacted]"

// Digits are looked at in every way in which a card number may stand beside others: a run by
// itself, in groups of four (or four, six, the rest), and with a space or dash anywhere.
var (
	digitRuns = []*regexp.Regexp{
		regexp.MustCompile(`\d{13,}`),
		regexp.MustCompile(`\b\d{4}(?:[ -]\d{4}){2}[ -]\d{1,7}|\b\d{4}[ -]\d{6}[ -]\d{4,5}`),
		regexp.MustCompile(`\d(?:[ -]?\d){12,18}`),
	}
	anyRun  = regexp.MustCompile(`\d(?:[ -]?\d){12,}`)
	keyText = regexp.MustCompile(`\b[srp]k_(?:sandbox|production)_[0-9A-Za-z]+|\bcs_[0-9A-Za-z_-]{20,}|\bwhsec_[0-9A-Za-z+/=]+`)
)

// shortest is the length of the shortest text that can hold a card number.
const shortest = 13

// Text replaces runs of digits that pass the Luhn check, and keys.
func Text(s string) string {
	if strings.Contains(s, "k_") || strings.Contains(s, "cs_") || strings.Contains(s, "whsec_") {
		s = keyText.ReplaceAllString(s, Mark)
	}
	if !enoughDigits(s) {
		return s
	}
	for _, runs := range digitRuns {
		s = runs.ReplaceAllStringFunc(s, func(run string) string {
			if digits := strings.NewReplacer(" ", "", "-", "").Replace(run); len(digits) <= 19 && sensitive.Luhn(digits) {
				return Mark
			}
			return run
		})
	}
	if sensitive.HoldsPAN(s) { // in a longer row of digits
		s = anyRun.ReplaceAllString(s, Mark)
	}
	return s
}

// enoughDigits tells whether a text has as many digits as a card number; most have not.
func enoughDigits(s string) bool {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			if n++; n == shortest {
				return true
			}
		}
	}
	return false
}

// secretNames are parts of names whose values nobody may see, and secretWords whole ones. Names are
// compared in lowercase, without what divides their words.
var (
	secretNames = []string{
		"secret", "password", "passwd", "passphrase", "cvc", "cvv", "securitycode", "cardnumber", "accountnumber", "routingnumber",
		"apikey", "privatekey", "authorization", "credential", "magstripe", "trackdata",
	}
	secretWords = []string{"number", "pan", "pin", "iban", "ssn", "otp", "totp"}
)

// secret tells whether a name stands for a secret.
func secret(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, part := range secretNames {
		if strings.Contains(plain, part) {
			return true
		}
	}
	for _, word := range secretWords {
		if plain == word {
			return true
		}
	}
	return false
}

// Package redact removes card numbers, keys and named secrets from texts for logs. It is the last filter: nothing
// secret should reach it.
package redact

import (
	"regexp"
	"slices"
	"strings"

	"svcpay/internal/sensitive"
)

// Mark stands for what was taken out.
const Mark = "[redacted]"

var keyText = regexp.MustCompile(
	`\b[srp]k_(?:sandbox|production)_[0-9A-Za-z]+|\bcs_[0-9A-Za-z_-]{20,}|\bwhsec_[0-9A-Za-z+/=]+`)

// Text replaces card numbers and keys.
func Text(s string) string {
	if strings.Contains(s, "k_") || strings.Contains(s, "cs_") || strings.Contains(s, "whsec_") {
		s = keyText.ReplaceAllString(s, Mark)
	}
	// Digits that were a part of a longer run may be a number of their own once another has left it.
	for found := sensitive.FindPANs(s); len(found) > 0; found = sensitive.FindPANs(s) {
		for _, at := range slices.Backward(found) {
			s = s[:at.From] + Mark + s[at.To:]
		}
	}
	return s
}

// secretNames are parts of names whose values no one may see, and secretWords whole ones. Names are
// compared in lowercase, without what divides their words.
var (
	secretNames = []string{
		"secret", "password", "passwd", "passphrase", "cvc", "cvv", "securitycode", "cardnumber", "accountnumber",
		"routingnumber", "apikey", "privatekey", "authorization", "credential", "magstripe", "trackdata",
	}
	secretWords = []string{"number", "pan", "pin", "iban", "ssn", "otp", "totp"}
)

// secret reports whether a name stands for a secret.
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

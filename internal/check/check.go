// Package check validates the fields of a request with the same messages everywhere. Every mistake is added to the
// request's list under the name of its parameter. A nil value was not sent; only [Required] reports it.
package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
)

// Bounds of what requests may bring, in characters and pairs.
const (
	MaxExternalID    = 64
	MaxDescription   = 255
	maxMetadata      = 50
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// cardNumber is what a text is told that holds what could be a card number, which must not be kept in
// clear.
const cardNumber = "This looks like a card number. Card numbers belong in the payment fields only."

// HasCardNumber reports whether a request was refused because one of its texts holds what looks like a card number.
func HasCardNumber(f *fault.Error) bool {
	return slices.ContainsFunc(f.Fields, func(one fault.Field) bool { return one.Message == cardNumber })
}

// Required notes a member that must be sent and was not.
func Required(fs *fault.Fields, param string, given bool) {
	if !given {
		fs.Add(param, "parameter_missing", "This parameter is required.")
	}
}

// Text wants least to most characters, none of them a control character, and no card number.
func Text(fs *fault.Fields, param string, value *string, least, most int) {
	if value != nil && sensitive.HoldsPAN(*value) {
		fs.Add(param, "parameter_invalid", cardNumber)
		return
	}
	Word(fs, param, value, least, most)
}

// Word is Text for references of the caller's own: long numbers are common among them, and a refusal
// of those that look like a card number would stop the payments of some donors for nothing.
func Word(fs *fault.Fields, param string, value *string, least, most int) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < least || n > most || !utf8.ValidString(*value) ||
		strings.ContainsFunc(*value, unicode.IsControl) {
		fs.Add(param, "parameter_invalid", fmt.Sprintf("Use %s characters, all of them printable.", span(least, most)))
	}
}

// span is how many characters a text may have, in words.
func span(least, most int) string {
	if least == 0 {
		return fmt.Sprintf("at most %d", most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// ExternalID wants a reference of the caller's own system.
func ExternalID(fs *fault.Fields, value *string) { Word(fs, "external_id", value, 1, MaxExternalID) }

// Prose is Text that may have lines and tabs.
func Prose(fs *fault.Fields, param, value string, most int) {
	switch n := utf8.RuneCountInString(value); {
	case n < 1, n > most, !utf8.ValidString(value), strings.ContainsFunc(value, unprintable):
		fs.Add(param, "parameter_invalid",
			fmt.Sprintf("Use 1 to %d characters, all of them printable, or tabs and line breaks.", most))
	case sensitive.HoldsPAN(value):
		fs.Add(param, "parameter_invalid", cardNumber)
	}
}

func unprintable(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }

// Metadata wants at most 50 pairs of short texts without card numbers, and without the character NUL,
// which the database cannot hold.
func Metadata(fs *fault.Fields, m map[string]string) {
	if len(m) > maxMetadata {
		fs.Add("metadata", "parameter_invalid", fmt.Sprintf("At most %d pairs.", maxMetadata))
	}
	for k, v := range m {
		n := utf8.RuneCountInString(k)
		switch {
		case n == 0, n > maxMetadataKey, utf8.RuneCountInString(v) > maxMetadataValue, strings.Contains(k+v, "\x00"):
			fs.Add("metadata", "parameter_invalid",
				fmt.Sprintf("Keys have 1 to %d characters, values at most %d.", maxMetadataKey, maxMetadataValue))
			return
		case sensitive.HoldsPAN(k), sensitive.HoldsPAN(v):
			fs.Add("metadata", "parameter_invalid", cardNumber)
			return
		}
	}
}

// AllowedValues is what a request is told that has none of some words: "Allowed values: cc, ach, acss."
func AllowedValues[W ~string](words ...W) string {
	text := "Allowed values: "
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += string(w)
	}
	return text + "."
}

// OneOf wants one of some words.
func OneOf(fs *fault.Fields, param string, value *string, allowed ...string) {
	if value != nil && !slices.Contains(allowed, *value) {
		fs.Add(param, "parameter_invalid", AllowedValues(allowed...))
	}
}

// Choice is OneOf of a word that is required.
func Choice(fs *fault.Fields, param string, value *string, allowed ...string) {
	Required(fs, param, value != nil)
	OneOf(fs, param, value, allowed...)
}

// Amount wants 1 to 99,999,999 minor units.
func Amount(fs *fault.Fields, param string, amount *money.Amount) {
	switch {
	case amount == nil:
	case *amount < money.MinCharge:
		fs.Add(param, "amount_too_small",
			fmt.Sprintf("The amount must be at least %d, in minor units.", money.MinCharge))
	case *amount > money.MaxCharge:
		fs.Add(param, "amount_too_large",
			fmt.Sprintf("The amount must be at most %d, in minor units.", money.MaxCharge))
	}
}

// Currency wants a currency of ours in its lowercase code.
func Currency(fs *fault.Fields, param string, value *string) {
	if value == nil {
		return
	}
	if _, ok := money.ParseCurrency(*value); !ok {
		fs.Add(param, "currency_unsupported", AllowedValues(money.CurrencyNames()...)+" Use lowercase letters.")
	}
}

// Merchant wants what could be a merchant's id.
func Merchant(fs *fault.Fields, id *int64) {
	if id != nil && *id < 1 {
		fs.Add("merchant_id", "parameter_invalid", "A merchant's id is a positive integer.")
	}
}

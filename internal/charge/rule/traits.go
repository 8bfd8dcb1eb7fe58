package rule

import (
	"encoding/hex"
	"strings"
	"unicode"

	"svcpay/internal/platform/mailbox"
)

// Kind is what an entry of a list names.
type Kind string

// The kinds.
const (
	Card        Kind = "card"         // by the keyed fingerprint of its number
	BIN         Kind = "bin"          // the first six digits of the number
	Email       Kind = "email"        // the payer's address
	EmailDomain Kind = "email_domain" // all addresses of a domain, and none of its subdomains
	PostalCode  Kind = "postal_code"  // of the billing address
)

// Kinds lists every kind of entry.
func Kinds() []string {
	return []string{string(Card), string(BIN), string(Email), string(EmailDomain), string(PostalCode)}
}

// Traits are what lists and velocities know a payment by, in the form in which they are compared. Those that are not
// known are "".
type Traits struct {
	Card, BIN, Email, Domain, PostalCode, Address string
}

// TraitsOf makes the traits of a card with a billing address. line1 and postalCode together are the address that
// velocity counts.
func TraitsOf(fingerprint []byte, bin, email, line1, postalCode string) Traits {
	t := Traits{Card: hex.EncodeToString(fingerprint), BIN: bin, Email: strings.ToLower(mailbox.Normal(email)),
		PostalCode: plain(postalCode)}
	if at := strings.LastIndexByte(t.Email, '@'); at >= 0 {
		t.Domain = t.Email[at+1:]
	}
	if line := plain(line1); line != "" && t.PostalCode != "" {
		t.Address = line + " " + t.PostalCode
	}
	return t
}

// plain is a text without what people write differently: capitals, digits and other letters alone.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// trait is a value that a list may have.
type trait struct {
	kind  Kind
	value string
}

// listed are the traits that lists may have, those that are known.
func (t Traits) listed() (out []trait) {
	for _, one := range []trait{{Card, t.Card}, {BIN, t.BIN}, {Email, t.Email}, {EmailDomain, t.Domain},
		{PostalCode, t.PostalCode}} {
		if one.value != "" {
			out = append(out, one)
		}
	}
	return out
}

// of is the trait that a velocity counts.
func (t Traits) of(name Name) string {
	switch name {
	case CardVelocity:
		return t.Card
	case EmailVelocity:
		return t.Email
	case AddressVelocity:
		return t.Address
	}
	return ""
}

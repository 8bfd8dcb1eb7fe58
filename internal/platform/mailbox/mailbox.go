// Package mailbox parses email addresses. An address is stored, compared and sent in one form, with its domain in ASCII
// (punycode) and lowercase letters, because browsers send that form and many mail servers accept no other. People see
// the domain in its own script.
package mailbox

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Undeliverable says why mail cannot be sent to an address that is valid but not [Deliverable].
const Undeliverable = "Mail cannot be sent to this address: the part before @ may have unaccented letters, digits and punctuation only."

// maxAddress is how long an address may be, in bytes.
const maxAddress = 255

// domains maps a domain as browsers do.
var domains = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false),
	idna.VerifyDNSLength(true))

// Normal returns an address in the form in which it is stored, compared and sent. A text that is no address comes back
// as it is.
func Normal(text string) string {
	local, domain, ok := cut(text)
	if !ok {
		return text
	}
	domain, err := ascii(domain)
	if err != nil {
		return text
	}
	return norm.NFC.String(local) + "@" + domain
}

// Valid reports whether a text is one whole address, in any form.
func Valid(text string) bool {
	_, domain, ok := cut(text)
	if !ok || len(text) > maxAddress {
		return false
	}
	if _, err := ascii(domain); err != nil {
		return false
	}
	address := Normal(text)
	a, err := mail.ParseAddress(address)
	return err == nil && a.Address == address && len(address) <= maxAddress
}

// Deliverable reports whether mail can be sent to a valid address: letters beyond ASCII before the @ need an extension
// (SMTPUTF8, RFC 6531) that many mail servers lack.
func Deliverable(address string) bool {
	local, _, _ := cut(address)
	return isASCII(local)
}

// Shown returns an address as people read it, with its domain in Unicode. [Normal] of that is the address again.
func Shown(address string) string {
	local, domain, ok := cut(address)
	if !ok || !strings.Contains(domain, "xn--") {
		return address
	}
	domain, err := domains.ToUnicode(domain)
	if shown := local + "@" + domain; err == nil && Normal(shown) == Normal(address) {
		return shown
	}
	return address
}

// Forms lists an address in its normal form and, if they differ, as people read it: what a text may have of it.
func Forms(text string) []string {
	address := Normal(text)
	if shown := Shown(address); shown != address {
		return []string{address, shown}
	}
	return []string{address}
}

// Sought is the normal form of an address that a list is filtered by; nil is nil.
func Sought(text *string) *string {
	if text == nil {
		return nil
	}
	address := Normal(*text)
	return &address
}

func cut(text string) (local, domain string, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 1 || at == len(text)-1 || !utf8.ValidString(text) {
		return "", "", false
	}
	return text[:at], text[at+1:], true
}

// ascii returns a domain in ASCII. One that has no international label keeps what is not of a host's name, such as _.
func ascii(domain string) (string, error) {
	if lower := strings.ToLower(domain); isASCII(domain) && !strings.Contains(lower, "xn--") {
		return lower, nil
	}
	return domains.ToASCII(domain)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

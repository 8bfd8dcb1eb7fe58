// Package sensitive holds payment data in clear. Its values print as their last four digits at most, refuse to be
// marshaled, and give their content to Reveal only, so that a reader finds every such place by that one word.
package sensitive

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// ErrMarshal is what every attempt to serialize a sensitive value gets.
var ErrMarshal = errors.New("sensitive: this value must not be serialized")

// PAN is a card number: digits only.
type PAN struct{ secret }

// CVC is a card's verification code.
type CVC struct{ secret }

// NewPAN wraps digits.
func NewPAN(digits string) PAN { return PAN{keep(digits)} }

// NewCVC wraps digits; the empty string means that none was given.
func NewCVC(digits string) CVC { return CVC{keep(digits)} }

// Last4 gives the last four digits, which may be shown and kept.
func (p PAN) Last4() string { return last(p.Reveal(), 4) }

// BIN gives the first six digits, which may be shown and kept.
func (p PAN) BIN() string { s := p.Reveal(); return s[:min(6, len(s))] }

// String prints ••••4242.
func (p PAN) String() string { return "••••" + p.Last4() }

// Format prints the same for every verb, %d and %#v included.
func (p PAN) Format(f fmt.State, _ rune) { io.WriteString(f, p.String()) }

// LogValue keeps slog from looking inside.
func (p PAN) LogValue() slog.Value { return slog.StringValue(p.String()) }

// String prints no digit of the code.
func (c CVC) String() string { return "•••" }

// Format prints the same for every verb, %d and %#v included.
func (c CVC) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue keeps slog from looking inside.
func (c CVC) LogValue() slog.Value { return slog.StringValue(c.String()) }

// secret keeps its content behind a pointer: package fmt follows the unexported fields of
// a struct that holds us without asking our methods, but prints an inner pointer as an address.
type secret struct{ p *string }

func keep(s string) secret { return secret{&s} }

// Reveal gives the content in clear. Only the vault, the processors' adapters and the
// wallets' openers have a reason to call it.
func (s secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// IsZero reports whether nothing was given.
func (s secret) IsZero() bool { return s.Reveal() == "" }

// MarshalJSON always fails.
func (s secret) MarshalJSON() ([]byte, error) { return nil, ErrMarshal }

// MarshalText always fails.
func (s secret) MarshalText() ([]byte, error) { return nil, ErrMarshal }

func last(s string, n int) string { return s[max(0, len(s)-n):] }

// AccountNumber is the number of a bank account: digits only.
type AccountNumber struct{ secret }

// NewAccountNumber wraps digits.
func NewAccountNumber(digits string) AccountNumber { return AccountNumber{keep(digits)} }

// Last4 gives the last digits, which may be shown and kept: four, and fewer of a number so short that
// not half of it would stay hidden.
func (n AccountNumber) Last4() string { s := n.Reveal(); return last(s, min(4, len(s)/2)) }

// String prints ••••6789.
func (n AccountNumber) String() string { return "••••" + n.Last4() }

// Format prints the same for every verb, %d and %#v included.
func (n AccountNumber) Format(f fmt.State, _ rune) { io.WriteString(f, n.String()) }

// LogValue keeps slog from looking inside.
func (n AccountNumber) LogValue() slog.Value { return slog.StringValue(n.String()) }

// Credentials are what a counterparty knows us by: an API key, or several words of its own form.
type Credentials struct{ secret }

// NewCredentials wraps a text; the empty string means that there are none.
func NewCredentials(text string) Credentials { return Credentials{keep(text)} }

// Last4 gives the last characters, which may be shown and kept: four, or none of a text so short that not half of it
// would stay hidden.
func (c Credentials) Last4() string {
	if s := c.Reveal(); len(s) >= 8 {
		return last(s, 4)
	}
	return ""
}

// String prints •••• and the last characters.
func (c Credentials) String() string { return "••••" + c.Last4() }

// Format prints the same for every verb, %d and %#v included.
func (c Credentials) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue keeps slog from looking inside.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Cryptogram is a wallet's proof of one authorization.
type Cryptogram struct{ secret }

// NewCryptogram wraps a cryptogram; the empty string means that there is none.
func NewCryptogram(text string) Cryptogram { return Cryptogram{keep(text)} }

// String prints nothing of the cryptogram.
func (c Cryptogram) String() string { return "•••" }

// Format prints the same for every verb, %d and %#v included.
func (c Cryptogram) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue keeps slog from looking inside.
func (c Cryptogram) LogValue() slog.Value { return slog.StringValue(c.String()) }

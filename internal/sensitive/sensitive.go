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

// PAN is a card number: digits only. It prints as ••••4242.
type PAN struct{ secret }

// NewPAN wraps digits.
func NewPAN(digits string) PAN { return PAN{keep(digits, dots+last(digits, 4))} }

// Last4 gives the last four digits, which may be shown and kept.
func (p PAN) Last4() string { return last(p.Reveal(), 4) }

// BIN gives the first six digits, which may be shown and kept.
func (p PAN) BIN() string { s := p.Reveal(); return s[:min(6, len(s))] }

// CVC is a card's verification code. It prints no digit of the code.
type CVC struct{ secret }

// NewCVC wraps digits; the empty string means that none was given.
func NewCVC(digits string) CVC { return CVC{keep(digits, nothing)} }

// AccountNumber is the number of a bank account: digits only. It prints as ••••6789.
type AccountNumber struct{ secret }

// NewAccountNumber wraps digits.
func NewAccountNumber(digits string) AccountNumber {
	return AccountNumber{keep(digits, dots+accountLast4(digits))}
}

// Last4 gives the last digits, which may be shown and kept: four, and fewer of a number so short that
// not half of it would stay hidden.
func (n AccountNumber) Last4() string { return accountLast4(n.Reveal()) }

func accountLast4(digits string) string { return last(digits, min(4, len(digits)/2)) }

// Credentials are what a counterparty knows us by: an API key, or several words of its own form. They print as ••••
// and the last characters.
type Credentials struct{ secret }

// NewCredentials wraps a text; the empty string means that there are none.
func NewCredentials(text string) Credentials {
	return Credentials{keep(text, dots+credentialsLast4(text))}
}

// Last4 gives the last characters, which may be shown and kept: four, or none of a text so short that not half of it
// would stay hidden.
func (c Credentials) Last4() string { return credentialsLast4(c.Reveal()) }

func credentialsLast4(text string) string {
	if len(text) < 8 {
		return ""
	}
	return last(text, 4)
}

// Cryptogram is a wallet's proof of one authorization. It prints nothing of the cryptogram.
type Cryptogram struct{ secret }

// NewCryptogram wraps a cryptogram; the empty string means that there is none.
func NewCryptogram(text string) Cryptogram { return Cryptogram{keep(text, nothing)} }

// What stands for characters that are not shown: before those that are, and for all of a text.
const (
	dots    = "••••"
	nothing = "•••"
)

// secret keeps its content behind a pointer: package fmt follows the unexported fields of
// a struct that holds us without asking our methods, but prints an inner pointer as an address.
type secret struct {
	clear *string
	shown string // instead of it
}

func keep(clear, shown string) secret { return secret{&clear, shown} }

// Reveal gives the content in clear. Only the vault, the processors' adapters and the
// wallets' openers have a reason to call it.
func (s secret) Reveal() string {
	if s.clear == nil {
		return ""
	}
	return *s.clear
}

// IsZero reports whether nothing was given.
func (s secret) IsZero() bool { return s.Reveal() == "" }

// String prints what may be shown.
func (s secret) String() string {
	if s.clear == nil {
		return nothing
	}
	return s.shown
}

// Format prints the same for every verb, %d and %#v included.
func (s secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// LogValue keeps slog from looking inside.
func (s secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON always fails.
func (s secret) MarshalJSON() ([]byte, error) { return nil, ErrMarshal }

// MarshalText always fails.
func (s secret) MarshalText() ([]byte, error) { return nil, ErrMarshal }

func last(s string, n int) string { return s[max(0, len(s)-n):] }

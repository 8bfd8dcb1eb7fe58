// Package wallet opens wallet payloads, which the wallet's provider has signed and encrypted for this service alone. It
// verifies their origin before it uses anything in them.
//
// [A] opens wallet A's payment tokens (EC_v1), [B] wallet B's (ECv2), as the wallet gave them to the page. Neither
// remembers what it has opened: the caller stores a [Payment]'s ID, which no other payload of the wallet has, and
// refuses a second use.
package wallet

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
)

// maxPayload bounds a payload, in bytes; real ones have 2 to 6 KB.
const maxPayload = 32 << 10

// Payment is what a payload holds.
type Payment struct {
	// ID is the payload's own: anyone who sees it twice has been sent the payload twice.
	ID string
	// Number is the card's, or that of the device that stands for the card.
	Number   sensitive.PAN
	ExpMonth int
	ExpYear  int
	// Cryptogram proves that the device took part; it is good for one authorization. Empty where the wallet
	// gave the card's own number.
	Cryptogram sensitive.Cryptogram
	ECI        string // electronic commerce indicator, "" if there is none
	Holder     string // name of the cardholder, "" if the wallet does not say it
	// Amount and Currency are what the sheet showed, where the payload says it: 0 and "" of wallet B.
	Amount   money.Amount
	Currency money.Currency
}

// Faults of payloads. The cause is for our log; the payer can do no more than authorize again.
var (
	errSignature = fault.Invalid("wallet_signature_invalid",
		"The wallet’s payload could not be verified. Have the payer authorize the payment again.")
	errExpired = fault.Invalid("wallet_payload_expired",
		"The wallet’s payload has expired. Have the payer authorize the payment again.")
)

// unverified is the fault of a payload that is not what it should be.
func unverified(format string, args ...any) error {
	return errSignature.Because(fmt.Errorf("wallet: "+format, args...))
}

// expired is the fault of a payload that was good once.
func expired(format string, args ...any) error {
	return errExpired.Because(fmt.Errorf("wallet: "+format, args...))
}

// ErrBase64 is returned for text that is not the one way to write bytes in base64.
var ErrBase64 = errors.New("wallet: not canonical base64")

// canonical has one text for each sequence of bytes: a second spelling of a signed member would be another
// payload with the same signature.
type canonical []byte

// UnmarshalText reads standard base64 with padding, without line breaks or stray bits.
func (b *canonical) UnmarshalText(text []byte) error {
	decoded, err := base64.StdEncoding.Strict().DecodeString(string(text))
	if err != nil || base64.StdEncoding.EncodeToString(decoded) != string(text) {
		return ErrBase64
	}
	*b = decoded
	return nil
}

// read takes an object apart: member names in their exact case, none twice, nothing after it.
func read(text []byte, into any) error {
	if len(text) > maxPayload {
		return fmt.Errorf("it has %d bytes", len(text))
	}
	return json.Unmarshal(text, into)
}

// plausible checks a number and an expiry of what was decrypted.
func (p Payment) plausible() error {
	number := p.Number.Reveal()
	switch {
	case !sensitive.BrandOf(number).Fits(number), !sensitive.Luhn(number):
		return unverified("no card has such a number")
	case p.ExpMonth < 1 || p.ExpMonth > 12:
		return unverified("no card expires in month %d", p.ExpMonth)
	case p.ExpYear < 2000 || p.ExpYear > 2099:
		return unverified("no card expires in the year %d", p.ExpYear)
	}
	return nil
}

// currencies are those of a payload's ISO 4217 numbers.
var currencies = map[string]money.Currency{"840": money.USD, "124": money.CAD}

// milliseconds is a time as both wallets write it.
func milliseconds(n int64) time.Time { return time.UnixMilli(n).UTC() }

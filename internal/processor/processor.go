// Package processor is the port to whoever moves the money. An adapter never shares the caller's
// transaction; every call carries a reference of ours that was committed before.
package processor

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/sensitive"
)

// StoredCredential says how a card on file is used, in the card networks' sense.
type StoredCredential string

// The uses.
const (
	NotStored   StoredCredential = "none"        // the payer is present, nothing was kept before
	Initial     StoredCredential = "initial"     // the first of a series
	Recurring   StoredCredential = "recurring"   // merchant-initiated, in a series
	Unscheduled StoredCredential = "unscheduled" // a kept card, outside a series
)

// Authorization asks to reserve (and with Capture to take) an amount from a card.
type Authorization struct {
	Reference  string // ours, unique per call
	Amount     money.Amount
	Currency   money.Currency
	Capture    bool
	Descriptor string
	Card       Card
	Stored     StoredCredential
	// NetworkTransactionID links a stored credential to its first use; "" at the first.
	NetworkTransactionID string
}

// Card is what a processor needs of a card. CVC may be empty.
type Card struct {
	PAN        sensitive.PAN
	CVC        sensitive.CVC
	ExpMonth   int
	ExpYear    int
	Line1, Zip string
}

// CheckResult is what the issuer said of a submitted detail.
type CheckResult string

// The results.
const (
	Pass        CheckResult = "pass"
	Fail        CheckResult = "fail"
	Unavailable CheckResult = "unavailable" // nothing was submitted, or the issuer did not look
)

// Checks are the issuer's verifications.
type Checks struct {
	CVC          CheckResult `json:"cvc"`
	AddressLine1 CheckResult `json:"address_line_1"`
	AddressZip   CheckResult `json:"address_zip"`
}

// Answer is a final outcome.
type Answer struct {
	Approved bool `json:"approved"`
	// DeclineCode is the reason in the words of the API, "" when approved.
	DeclineCode          string `json:"decline_code,omitempty"`
	Checks               Checks `json:"checks"`
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
}

// Profile is what the card networks' tables tell of a BIN.
type Profile struct {
	Funding string // credit, debit, prepaid or unknown
	Country string // ISO 3166-1 alpha-2 of the issuer
}

// ErrNotFound is the answer of Lookup for a reference that has no outcome (yet).
var ErrNotFound = errors.New("processor: nothing is known of this reference")

// Processor moves money.
type Processor interface {
	// Name is how records call it.
	Name() string
	// Authorize submits once. Any error means that the outcome is unknown, never that it failed.
	Authorize(ctx context.Context, a Authorization) (Answer, error)
	// Lookup tells the outcome of a reference, or ErrNotFound.
	Lookup(ctx context.Context, reference string) (Answer, error)
	// SettleWindow is how long after the submission a reference may still turn up; one that is
	// not found after it was never received.
	SettleWindow() time.Duration
	// Profile describes a card by its BIN.
	Profile(ctx context.Context, bin string) (Profile, error)
}

// CallTimeout bounds every call to a processor.
const CallTimeout = 20 * time.Second

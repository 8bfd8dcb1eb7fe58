package processor

import (
	"context"
	"time"

	"svcpay/internal/money"
)

// Verification proves that a payer has the bank account that they typed: the counterparty sends two small deposits to
// it, and the payer says what arrived. The deposits are the counterparty's money.
type Verification interface {
	// Start asks for the deposits of a bank account, once per reference: the same reference again returns the first
	// answer. Approved means on their way; an [Event] tells if they come back. Declined means that the account cannot
	// be verified.
	Start(ctx context.Context, v VerificationRequest) (Answer, error)
	// Confirm checks what the payer says of the deposits. It can be repeated until it succeeds or fails for good.
	Confirm(ctx context.Context, c Confirmation) (Confirmed, error)
}

// VerificationRequest asks to verify a payer's bank account.
type VerificationRequest struct {
	Reference  string // ours, unique per bank account that is verified
	Account    Account
	Currency   money.Currency
	Descriptor string
	Bank       Bank
	Email      string // the holder's
	Mandate    MandateAcceptance
}

// MandateAcceptance is a payer's agreement to debits of a bank account. IP and UserAgent are those of the payer's
// browser, "" if unknown.
type MandateAcceptance struct {
	IP, UserAgent string
	AcceptedAt    time.Time // by the clock of the account
}

// Confirmation is what a payer says of the deposits of an account: their amounts, or the code of their descriptor.
type Confirmation struct {
	Reference string // ours, of this try
	Account   Account
	// Original is our reference of the start, and OriginalID the counterparty's id of it, "" if it gave none.
	Original, OriginalID string
	Amounts              [2]int64 // minor units, in either order; zero if Code is given
	Code                 string
}

// Verdict is what a confirmation led to.
type Verdict string

// The verdicts.
const (
	Verified      Verdict = "verified"
	WrongDeposits Verdict = "wrong"  // the payer may try again
	Unverifiable  Verdict = "failed" // for good: no tries are left, the deposits came back, or it took too long
)

// Confirmed is the answer to a [Confirmation].
type Confirmed struct {
	Verdict Verdict `json:"verdict"`
	// Remaining is how many tries are left after a wrong one; nil if the counterparty does not count.
	Remaining *int `json:"remaining,omitempty"`
}

// Verifies reports whether the adapter of that name can verify bank accounts.
func (r *Registry) Verifies(adapter string) bool {
	_, ok := r.adapters[adapter].(Verification)
	return ok
}

// Start implements [Verification].
func (r *Registry) Start(ctx context.Context, v VerificationRequest) (Answer, error) {
	return call(ctx, r, "start_verification", v.Account, v, Verification.Start)
}

// Confirm implements [Verification].
func (r *Registry) Confirm(ctx context.Context, c Confirmation) (Confirmed, error) {
	return ask(r, "confirm_verification", c.Account,
		func(v Verification) (Confirmed, error) { return v.Confirm(ctx, c) })
}

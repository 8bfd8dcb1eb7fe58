// Package processor is the port to processors, which move the money. An adapter never shares the caller's transaction;
// every call carries our reference, which was committed before.
//
// The port is split by capability: an adapter implements what its counterparty can do, and a [Registry] finds the
// adapter that serves an account.
package processor

import (
	"context"
	"errors"
	"net/http"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/sensitive"
)

// Answer is a final outcome.
type Answer struct {
	Approved bool `json:"approved"`
	// DeclineCode is the reason in the words of the API, "" when approved.
	DeclineCode          string `json:"decline_code,omitempty"`
	Checks               Checks `json:"checks"`
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
	// ExternalID is the counterparty's id of what the call made, "" if it has none. Follow-up calls pass it as their
	// OriginalID (see [FollowUp]).
	ExternalID string `json:"external_id,omitempty"`
	// RawCode is the reason in the counterparty's own words, for support staff; AuthorizationCode, the code that the
	// issuer gave.
	RawCode           string `json:"raw_code,omitempty"`
	AuthorizationCode string `json:"authorization_code,omitempty"`
	// ExpiresAt is when the authorization expires, in UTC. If it is zero, [Terms.AuthorizationLife] applies.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// IsApproved reports whether it was done.
func (a Answer) IsApproved() bool { return a.Approved }

// Profile is what the card networks' tables report a BIN.
type Profile struct {
	Funding string // credit, debit, prepaid or unknown
	Country string // ISO 3166-1 alpha-2 of the issuer, "" if it is not known
}

// ErrNotFound is the answer of Lookup for a reference that has no outcome (yet).
var ErrNotFound = errors.New("processor: nothing is known of this reference")

// Adapter speaks the protocol of one counterparty. What it can do is in the other interfaces, of which it implements
// some.
//
// Each call submits once, under our reference. An error means that the outcome is unknown, never that the call
// failed. The exception is [ErrUnsupported], which the registry returns without calling the adapter.
type Adapter interface {
	// Name identifies the adapter in our records.
	Name() string
	// Lookup returns the outcome of a reference that was used on an account, or ErrNotFound.
	Lookup(ctx context.Context, account Account, reference string) (Answer, error)
	// SettleWindow is how long after the submission a reference may still turn up; one that is
	// not found after it was never received.
	SettleWindow() time.Duration
	// Terms returns its time limits and settlement rules.
	Terms() Terms
}

// Payments are made by card.
type Payments interface {
	// Authorize reserves, and with Capture takes, an amount from a card.
	Authorize(ctx context.Context, a Authorization) (Answer, error)
	// Capture takes an authorized amount or a part of it; the rest is released.
	Capture(ctx context.Context, f FollowUp) (Answer, error)
	// Void releases an authorization that was not captured, or takes back a debit that was not
	// batched, whole.
	Void(ctx context.Context, f FollowUp) (Answer, error)
	// Refund returns a part of what was captured or debited. Approved means on its way to the payer: it may still fail,
	// which an [Event] tells.
	Refund(ctx context.Context, f FollowUp) (Answer, error)
}

// Debits are taken from bank accounts. [Payments.Void] and [Payments.Refund] return them.
type Debits interface {
	// Debit submits a debit of a bank account. Approved means accepted for submission: it may
	// still be returned, which an [Event] tells.
	Debit(ctx context.Context, d Debit) (Answer, error)
}

// The decline codes of payouts.
const (
	PayoutDeclined = "payout_declined"       // any other reason, or none
	BalanceTooLow  = "balance_too_low"       // the counterparty does not have enough money yet
	BankMismatch   = "bank_account_mismatch" // the counterparty does not have the merchant's bank account on file
)

// Payouts go to the bank accounts of merchants.
type Payouts interface {
	// Payout sends money to a merchant's bank account. Approved means on its way; an [Event] tells
	// how it ended.
	Payout(ctx context.Context, p Payout) (Answer, error)
}

// BankAccounts is an adapter whose counterparty has merchants' bank accounts on file and pays out to no others.
type BankAccounts interface {
	// HasBankAccount reports whether the counterparty has a bank account on file for payouts of an account in a
	// currency. It changes nothing there.
	HasBankAccount(ctx context.Context, account Account, bank Bank, currency money.Currency) (bool, error)
}

// Disputes are answered by merchants.
type Disputes interface {
	// Respond answers a dispute: with evidence, or by accepting it.
	Respond(ctx context.Context, r Response) (Answer, error)
}

// Feed reports what happens at the counterparty without our asking.
type Feed interface {
	// Messages returns what the counterparty reported after the message of that id ("" for all), oldest
	// first, at most limit; fewer than limit are all that there is by now. Anyone who goes on from the
	// last id of each answer misses nothing.
	Messages(ctx context.Context, after string, limit int) ([]notice.Message, error)
	// Events returns what a message reports; nothing if it is about something that we do not follow.
	Events(ctx context.Context, m notice.Message) ([]Event, error)
}

// Notices are requests in which the counterparty reports what its feed also has, but earlier.
type Notices interface {
	// Notice verifies a request about an account and returns its messages. It returns [notice.ErrSignature],
	// [notice.ErrUnreadable] or [ErrNoAccount] for one that is refused.
	Notice(ctx context.Context, account Account, header http.Header, body []byte) ([]notice.Message, error)
}

// Book is the counterparty's own record, which reconciliation compares with ours. [Terms.BookOfMoney] says which lines
// it has.
type Book interface {
	// Book returns the lines of the processor's book after that number, oldest first, at most limit.
	// A line may appear a while after its call, never before a line of a lower number.
	Book(ctx context.Context, after int64, limit int) ([]BookLine, error)
}

// Directory describes cards and banks by their numbers. "unknown" and "" are valid answers.
type Directory interface {
	// Profile describes a card by its BIN.
	Profile(ctx context.Context, bin string) (Profile, error)
	// BankName names the bank of a routing number, "" if it is not known.
	BankName(ctx context.Context, scheme Scheme, routing string) (string, error)
}

// Method is a kind of payment that an account serves. A card that a wallet holds is a card.
type Method string

// The methods.
const (
	MethodCard   Method = "cc"
	MethodACH    Method = "ach"
	MethodACSS   Method = "acss"
	MethodPayout Method = "payout"
)

// Methods lists every method.
func Methods() []Method { return []Method{MethodCard, MethodACH, MethodACSS, MethodPayout} }

// Onboarding is how far the counterparty has come with an account.
type Onboarding string

// The stages.
const (
	OnboardingComplete   Onboarding = "complete"
	OnboardingPending    Onboarding = "pending"    // the counterparty waits for the merchant, or looks at what it got
	OnboardingRestricted Onboarding = "restricted" // it does not let the account take payments
)

// Onboardings lists every stage.
func Onboardings() []Onboarding {
	return []Onboarding{OnboardingComplete, OnboardingPending, OnboardingRestricted}
}

// ErrNoAccount is the answer of Check for an account that the counterparty does not have, or not for these credentials.
var ErrNoAccount = errors.New("processor: there is no such account for these credentials")

// Connector has accounts that someone connects.
type Connector interface {
	// Check asks the counterparty how far an account has come, or returns ErrNoAccount. Nothing changes there.
	Check(ctx context.Context, account Account, credentials sensitive.Credentials) (Onboarding, error)
}

// Limited is an adapter with accounts that serve only some of its methods.
type Limited interface {
	// MethodsOf returns the adapter's methods that an account with these credentials can serve. It sends no request.
	MethodsOf(credentials sensitive.Credentials, served []Method) []Method
}

// Open has an account for every merchant without being connected, as a sandbox has.
type Open interface {
	// AccountOf is the external id of a merchant's account.
	AccountOf(applicationID, merchantID int64) string
}

// Processor can do everything, as the sandbox's does.
type Processor interface {
	Adapter
	Connector
	Open
	Payments
	Debits
	Payouts
	Verification
	Disputes
	Feed
	Notices
	Book
	Directory
}

// CallTimeout bounds every call to a processor.
const CallTimeout = 20 * time.Second

// Kinds of the book's lines that no call of ours has.
const (
	FailedRefund = "refund_failed" // of a refund that failed after it was approved
	Fee          = "fee"           // the processor charged its own fee
	FeeRefunded  = "fee_refunded"  // it refunded one
)

// BookLine is one movement as the processor wrote it down.
type BookLine struct {
	Number    int64
	Reference string // ours
	// Kind is authorize, debit, capture, void, refund, payout or respond; or refund_failed, the return of an approved
	// refund's money under the refund's reference; or fee or fee_refunded, whose reference is the processor's ID of it.
	Kind     string
	Account  string // as [Account.External]
	Amount   money.Amount
	Currency money.Currency
	Approved bool
	At       time.Time // by the clock of the account
}

// IsFee reports whether a line is of the processor's own fees.
func (l BookLine) IsFee() bool { return l.Kind == Fee || l.Kind == FeeRefunded }

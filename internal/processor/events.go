package processor

import (
	"time"

	"svcpay/internal/money"
)

// EventKind is what happened at the processor.
type EventKind string

// The kinds.
const (
	ChargeSettled    EventKind = "charge_settled"    // earlier than the calendar says
	DebitReturned    EventKind = "debit_returned"    // before or after settlement
	PayoutPaid       EventKind = "payout_paid"       // it arrived
	PayoutFailed     EventKind = "payout_failed"     // it was refused
	PayoutReturned   EventKind = "payout_returned"   // it had arrived and came back
	DisputeOpened    EventKind = "dispute_opened"    // a chargeback or a retrieval
	DisputeEscalated EventKind = "dispute_escalated" // a retrieval became a chargeback
	DisputeWon       EventKind = "dispute_won"
	DisputeLost      EventKind = "dispute_lost"
	DisputeClosed    EventKind = "dispute_closed"   // a retrieval ended without more
	RefundSucceeded  EventKind = "refund_succeeded" // confirms one that was approved
	RefundFailed     EventKind = "refund_failed"    // it was approved, and the payer's bank did not take the money
	// The reference of these is that of the start of the verification.
	BankAccountVerified EventKind = "bank_account_verified"
	VerificationFailed  EventKind = "verification_failed" // for good: the deposits came back, or it took too long
	// AccountUpdated has no reference: the counterparty changed what it reports about the account (see [Inspector]).
	AccountUpdated EventKind = "account_updated"
)

// RefundFailure is why a refund failed after it was approved.
type RefundFailure string

// The reasons.
const (
	// the card or bank account is closed, has expired or does not exist
	AccountClosed     RefundFailure = "account_closed"
	LostOrStolenCard  RefundFailure = "lost_or_stolen_card" // the payer reported the card
	ChargeDisputed    RefundFailure = "charge_disputed"     // the payer gets the money by a dispute instead
	InsufficientFunds RefundFailure = "insufficient_funds"  // the account at the processor did not have the money
	BankRefused       RefundFailure = "bank_refused"        // the payer's bank gave another reason, or none
)

// RefundFailures lists every reason.
func RefundFailures() []RefundFailure {
	return []RefundFailure{AccountClosed, LostOrStolenCard, ChargeDisputed, InsufficientFunds, BankRefused}
}

// Event is something that happened at the processor without a call from us.
type Event struct {
	ID      string // of the message that reports it
	Kind    EventKind
	Adapter string `json:"-"` // that reported it; the registry sets it
	Account string // as [Account.External]
	// Reference is ours, of the charge, refund, payout or verification that it happened to.
	Reference string
	// ExternalID is the counterparty's id of a verification, "" if it has none.
	ExternalID string `json:",omitempty"`
	// ReturnCode is the scheme's code of a returned debit, payout or verification deposit; "" for deposits whose
	// counterparty does not report it.
	ReturnCode string
	// Settled is of a debit that came back after [ChargeSettled] was notified of it, which may be heard later.
	Settled bool
	Dispute *DisputeNotice
	// Failure is why a refund failed. RawCode is the counterparty's own code of the reason why a refund or a
	// verification failed or a debit was returned; "" if it gave none.
	Failure RefundFailure
	RawCode string
	At      time.Time
}

// On is the account that it happened on.
func (e Event) On() Account { return Account{Adapter: e.Adapter, External: e.Account} }

// DisputeNotice is what a dispute's events report it.
type DisputeNotice struct {
	ID        string // the processor's
	Retrieval bool
	Reason    string // such as fraudulent, product_not_received, duplicate
	Amount    money.Amount
	Currency  money.Currency
	RespondBy time.Time
}

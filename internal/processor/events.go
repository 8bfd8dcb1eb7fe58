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
	DisputeClosed    EventKind = "dispute_closed" // a retrieval ended without more
)

// Event is something that happened at the processor without a call of ours.
type Event struct {
	ID      string // of the message that reports it
	Kind    EventKind
	Adapter string `json:"-"` // that reported it; the registry sets it
	Account string // as [Account.External]
	// Reference is ours, of the charge or payout that it happened to.
	Reference string
	// ReturnCode is the scheme's, of a debit or payout that came back.
	ReturnCode string
	// Settled is of a debit that came back after [ChargeSettled] was notified of it, which may be heard later.
	Settled bool
	Dispute *DisputeNotice
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

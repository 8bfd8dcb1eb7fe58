package charge

import (
	"slices"

	"svcpay/internal/lifecycle"
)

// Status is where a charge is in its life.
type Status string

// The statuses.
const (
	Processing Status = "processing"
	Authorized Status = "authorized"
	Captured   Status = "captured" // a card's, not yet available
	Pending    Status = "pending"  // a bank debit's, not yet available
	Settled    Status = "settled"
	Voided     Status = "voided"
	Expired    Status = "expired"
	Failed     Status = "failed"
	Returned   Status = "returned"
)

// Move is one allowed change and its event.
type Move = lifecycle.Move[Status]

// moves lists every allowed change. The database's CHECK names the same statuses.
var moves = lifecycle.Table[Status]{
	lifecycle.Allow("", Processing, "charge.created"),
	lifecycle.Allow(Processing, Authorized, "charge.authorized"),
	lifecycle.Allow(Processing, Captured, "charge.captured"),
	lifecycle.Allow(Processing, Pending, "charge.pending"),
	lifecycle.Allow(Processing, Failed, "charge.failed"),
	lifecycle.Allow(Authorized, Captured, "charge.captured"),
	lifecycle.Allow(Authorized, Voided, "charge.voided"),
	lifecycle.Allow(Authorized, Expired, "charge.expired"),
	lifecycle.Allow(Pending, Voided, "charge.voided"),
	lifecycle.Allow(Pending, Failed, "charge.failed"),
	lifecycle.Allow(Captured, Settled, "charge.settled"),
	lifecycle.Allow(Pending, Settled, "charge.settled"),
	lifecycle.Allow(Settled, Returned, "charge.returned"),
}

// Moves lists every allowed change.
func Moves() []Move { return slices.Clone(moves) }

// Statuses lists every status that a charge can have.
func Statuses() []string { return moves.Names(func(s Status) string { return string(s) }) }

// SettledAlready reports whether the charge's money is with what is available to the merchant
// rather than with what is pending.
func (c Charge) SettledAlready() bool { return c.Status == Settled || c.Status == Returned }

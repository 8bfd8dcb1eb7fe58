package refund

import (
	"slices"

	"svcpay/internal/lifecycle"
)

// Status is where a refund is in its life.
type Status string

// The statuses.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed" // also some days after it succeeded
	Canceled  Status = "canceled"
)

// PendingReason is why a pending refund has not been sent to the processor.
type PendingReason string

// ChargePending is the one reason: a bank debit must settle before anything of it can be returned.
const ChargePending PendingReason = "charge_pending"

// Move is one allowed change and its event.
type Move = lifecycle.Move[Status]

// moves lists every allowed change. The database's CHECK names the same statuses.
var moves = lifecycle.Table[Status]{
	lifecycle.Allow("", Pending, "refund.created"),
	lifecycle.Allow(Pending, Pending, "refund.updated"),
	lifecycle.Allow(Pending, Succeeded, "refund.succeeded"),
	lifecycle.Allow(Pending, Failed, "refund.failed"),
	lifecycle.Allow(Pending, Canceled, "refund.canceled"),
	lifecycle.Allow(Failed, Succeeded, "refund.succeeded"), // it never arrived, it seemed, and was made all the same
	lifecycle.Allow(Succeeded, Failed, "refund.failed"),    // it was approved, and the money came back
}

// Moves lists every allowed change.
func Moves() []Move { return slices.Clone(moves) }

// Statuses lists every status that a refund can have.
func Statuses() []string { return moves.Names(func(s Status) string { return string(s) }) }

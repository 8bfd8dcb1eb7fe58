package refund

import "slices"

// Status is where a refund is in its life.
type Status string

// The statuses.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
)

// PendingReason is why a pending refund has not been sent to the processor.
type PendingReason string

// ChargePending is the one reason: a bank debit must settle before anything of it can be given back.
const ChargePending PendingReason = "charge_pending"

// Move is one allowed change and the event that tells of it. From "" is creation; pending to pending
// is a waiting refund that is sent.
type Move struct {
	From, To Status
	Event    string
}

// Moves lists every allowed change. The database's CHECK names the same statuses.
func Moves() []Move {
	return []Move{
		{"", Pending, "refund.created"},
		{Pending, Pending, "refund.updated"},
		{Pending, Succeeded, "refund.succeeded"},
		{Pending, Failed, "refund.failed"},
		{Pending, Canceled, "refund.canceled"},
		{Failed, Succeeded, "refund.succeeded"}, // it never arrived, it seemed, and was made all the same
	}
}

// move returns the event of a change, and false for a change that is not allowed.
func move(from, to Status) (string, bool) {
	moves := Moves()
	i := slices.IndexFunc(moves, func(m Move) bool { return m.From == from && m.To == to })
	if i < 0 {
		return "", false
	}
	return moves[i].Event, true
}

// Statuses lists every status that a refund can have.
func Statuses() []string {
	var out []string
	for _, m := range Moves() {
		if !slices.Contains(out, string(m.To)) {
			out = append(out, string(m.To))
		}
	}
	return out
}

package charge

import "slices"

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

// Move is one allowed change of status and the event that tells of it. From "" is creation.
type Move struct {
	From, To Status
	Event    string
}

// Moves lists every allowed change. The database's CHECK names the same statuses.
func Moves() []Move {
	return []Move{
		{"", Processing, "charge.created"},
		{Processing, Authorized, "charge.authorized"},
		{Processing, Captured, "charge.captured"},
		{Processing, Pending, "charge.pending"},
		{Processing, Failed, "charge.failed"},
		{Authorized, Captured, "charge.captured"},
		{Authorized, Voided, "charge.voided"},
		{Authorized, Expired, "charge.expired"},
		{Pending, Voided, "charge.voided"},
		{Pending, Failed, "charge.failed"},
		{Captured, Settled, "charge.settled"},
		{Pending, Settled, "charge.settled"},
		{Settled, Returned, "charge.returned"},
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

// Statuses lists every status that a charge can have.
func Statuses() []string {
	var out []string
	for _, m := range Moves() {
		if !slices.Contains(out, string(m.To)) {
			out = append(out, string(m.To))
		}
	}
	return out
}

// SettledAlready tells whether the charge's money stands with what is available to the merchant
// rather than with what is pending.
func (c Charge) SettledAlready() bool { return c.Status == Settled || c.Status == Returned }

package dispute

import "slices"

// Kind says what a dispute does to the money.
type Kind string

// The kinds.
const (
	Chargeback Kind = "chargeback" // the money is taken back until it is decided
	Retrieval  Kind = "retrieval"  // the payer's bank asks for documents; no money moves
)

// Status is where a dispute is in its life.
type Status string

// The statuses.
const (
	NeedsResponse Status = "needs_response"
	UnderReview   Status = "under_review" // evidence was handed in
	Won           Status = "won"
	Lost          Status = "lost"
	Accepted      Status = "accepted" // by the merchant, with the effects of a loss
	Closed        Status = "closed"   // a retrieval that ended without more
)

// State is a status of one kind of dispute. The zero State is before the creation.
type State struct {
	Kind   Kind
	Status Status
}

// Move is one allowed change and the event that tells of it.
type Move struct {
	From, To State
	Event    string
}

// Moves lists every allowed change. The database's CHECK names the same states.
func Moves() []Move {
	chargeback := func(s Status) State { return State{Chargeback, s} }
	retrieval := func(s Status) State { return State{Retrieval, s} }
	return []Move{
		{State{}, chargeback(NeedsResponse), "dispute.created"},
		{State{}, retrieval(NeedsResponse), "dispute.created"},

		{chargeback(NeedsResponse), chargeback(UnderReview), "dispute.updated"},
		{chargeback(NeedsResponse), chargeback(Accepted), "dispute.accepted"},
		{chargeback(NeedsResponse), chargeback(Won), "dispute.won"},
		{chargeback(NeedsResponse), chargeback(Lost), "dispute.lost"},
		{chargeback(UnderReview), chargeback(Won), "dispute.won"},
		{chargeback(UnderReview), chargeback(Lost), "dispute.lost"},
		{chargeback(Lost), chargeback(Won), "dispute.won"}, // lost by its date here, won there

		{retrieval(NeedsResponse), retrieval(UnderReview), "dispute.updated"},
		{retrieval(NeedsResponse), retrieval(Closed), "dispute.closed"},
		{retrieval(UnderReview), retrieval(Closed), "dispute.closed"},
		{retrieval(NeedsResponse), chargeback(NeedsResponse), "dispute.updated"},
		{retrieval(UnderReview), chargeback(NeedsResponse), "dispute.updated"},
	}
}

// updated is the event of a change that is no move.
const updated = "dispute.updated"

// move returns the event of a change, and false for a change that is not allowed.
func move(from, to State) (string, bool) {
	if from == to {
		return updated, true
	}
	moves := Moves()
	i := slices.IndexFunc(moves, func(m Move) bool { return m.From == from && m.To == to })
	if i < 0 {
		return "", false
	}
	return moves[i].Event, true
}

func (d Dispute) state() State { return State{d.Kind, d.Status} }

// final tells whether the dispute is decided. Of a loss alone the processor may still think better.
func (d Dispute) final() bool { return d.Status != NeedsResponse && d.Status != UnderReview }

// Statuses lists every status that a dispute can have.
func Statuses() []string {
	var out []string
	for _, m := range Moves() {
		if !slices.Contains(out, string(m.To.Status)) {
			out = append(out, string(m.To.Status))
		}
	}
	return out
}

// Kinds lists every kind.
func Kinds() []string { return []string{string(Chargeback), string(Retrieval)} }

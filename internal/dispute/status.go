package dispute

import (
	"slices"

	"svcpay/internal/lifecycle"
)

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
	UnderReview   Status = "under_review" // evidence was submitted
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

// Move is one allowed change and its event.
type Move = lifecycle.Move[State]

// moves lists every allowed change. The database's CHECK names the same states.
var moves = func() lifecycle.Table[State] {
	chargeback := func(s Status) State { return State{Chargeback, s} }
	retrieval := func(s Status) State { return State{Retrieval, s} }
	return lifecycle.Table[State]{
		lifecycle.Allow(State{}, chargeback(NeedsResponse), "dispute.created"),
		lifecycle.Allow(State{}, retrieval(NeedsResponse), "dispute.created"),

		lifecycle.Allow(chargeback(NeedsResponse), chargeback(UnderReview), "dispute.updated"),
		lifecycle.Allow(chargeback(NeedsResponse), chargeback(Accepted), "dispute.accepted"),
		lifecycle.Allow(chargeback(NeedsResponse), chargeback(Won), "dispute.won"),
		lifecycle.Allow(chargeback(NeedsResponse), chargeback(Lost), "dispute.lost"),
		lifecycle.Allow(chargeback(UnderReview), chargeback(Won), "dispute.won"),
		lifecycle.Allow(chargeback(UnderReview), chargeback(Lost), "dispute.lost"),
		lifecycle.Allow(chargeback(Lost), chargeback(Won), "dispute.won"), // lost by its date here, won there

		lifecycle.Allow(retrieval(NeedsResponse), retrieval(UnderReview), "dispute.updated"),
		lifecycle.Allow(retrieval(NeedsResponse), retrieval(Closed), "dispute.closed"),
		lifecycle.Allow(retrieval(UnderReview), retrieval(Closed), "dispute.closed"),
		lifecycle.Allow(retrieval(NeedsResponse), chargeback(NeedsResponse), "dispute.updated"),
		lifecycle.Allow(retrieval(UnderReview), chargeback(NeedsResponse), "dispute.updated"),
	}
}()

// Moves lists every allowed change.
func Moves() []Move { return slices.Clone(moves) }

// updated is the event of a change that is no move.
const updated = "dispute.updated"

// move returns the event of a change, and false for a change that is not allowed.
func move(from, to State) (string, bool) {
	if from == to {
		return updated, true
	}
	return moves.Event(from, to)
}

func (d Dispute) state() State { return State{d.Kind, d.Status} }

// final reports whether the dispute is decided. Of a loss alone the processor may still think better.
func (d Dispute) final() bool { return d.Status != NeedsResponse && d.Status != UnderReview }

// Statuses lists every status that a dispute can have.
func Statuses() []string { return moves.Names(func(s State) string { return string(s.Status) }) }

// Kinds lists every kind.
func Kinds() []string { return []string{string(Chargeback), string(Retrieval)} }

package daf

import (
	"slices"

	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
)

// Status is where a donation is in its life.
type Status string

// The statuses. Unknown is of a donation that is not integrated and of which no one has told yet.
const (
	Unknown   Status = "unknown"
	Initiated Status = "initiated"
	Canceled  Status = "canceled"
	Completed Status = "completed"
)

// Statuses lists every status.
func Statuses() []string {
	return []string{string(Unknown), string(Initiated), string(Canceled), string(Completed)}
}

// Trigger is what makes a donation move.
type Trigger string

// The triggers.
const (
	ByCreation Trigger = "creation"
	ByHand     Trigger = "API or portal"
	ByProvider Trigger = "provider"
)

// Move is one allowed change of a kind of donation, by a trigger, and the events that report it in
// their order. From "" is creation.
type Move struct {
	Kind     Kind
	From, To Status
	By       Trigger
	Events   []string
}

// The events.
const (
	created = "daf_donation.created"
	updated = "daf_donation_updated" // spelled so
)

// events reports a move to a status, or of a change that is none: there to is "".
func events(from, to Status) []string {
	switch {
	case from == "" && to != "":
		return []string{created}
	case to == Completed || to == Canceled:
		return []string{updated, "daf_donation." + string(to)}
	}
	return []string{updated}
}

// moves is the table.
var moves = func() (all []Move) {
	add := func(k Kind, from, to Status, by Trigger) { all = append(all, Move{k, from, to, by, events(from, to)}) }
	add(Integrated, "", Initiated, ByCreation)
	add(Integrated, Initiated, Completed, ByProvider)
	add(Integrated, Initiated, Completed, ByHand)
	add(Integrated, Completed, Initiated, ByHand)
	add(Integrated, Initiated, Canceled, ByProvider)
	add(Integrated, Completed, Canceled, ByProvider)
	add(Integrated, Canceled, Completed, ByProvider)
	add(Integrated, Canceled, Initiated, ByProvider) // the grant seemed never to have arrived, and had
	add(Nonintegrated, "", Unknown, ByCreation)
	four := []Status{Unknown, Initiated, Canceled, Completed}
	for _, from := range four {
		for _, to := range four {
			if from != to {
				add(Nonintegrated, from, to, ByHand)
			}
		}
	}
	return all
}()

// Moves lists every allowed change. The database's CHECK names the same statuses of each kind.
func Moves() []Move { return slices.Clone(moves) }

func allowed(k Kind, from, to Status, by Trigger) bool {
	return slices.ContainsFunc(moves, func(m Move) bool {
		return m.Kind == k && m.From == from && m.To == to &&
			m.By == by
	})
}

// StatusChange is an entry of a donation's history: which status it got, from whom, and when.
type StatusChange struct {
	Status  Status       `json:"status"`
	Source  Source       `json:"source"`
	KeyName *string      `json:"key_name"` // of the key that asked, if a program did
	User    *string      `json:"user"`     // the person who did it, if one did
	Note    *string      `json:"note"`     // that came with the change
	At      instant.Time `json:"at"`
}

// Source is from where a donation got a status.
type Source string

// The sources.
const (
	FromAPI      = Source(outbox.API)
	FromPortal   = Source(outbox.Portal)
	FromProvider = Source("provider")
)

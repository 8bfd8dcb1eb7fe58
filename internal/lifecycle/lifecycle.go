// Package lifecycle describes which changes of state an object may make, and the event that each emits.
package lifecycle

import "slices"

// Move is an allowed change of state and its event. A creation comes from the zero state.
type Move[S comparable] struct {
	From, To S
	Event    string
}

// Allow is a move of a table.
func Allow[S comparable](from, to S, event string) Move[S] { return Move[S]{from, to, event} }

// Table lists every allowed change of an object.
type Table[S comparable] []Move[S]

// Event returns the event of a change; false means that the change is not allowed.
func (t Table[S]) Event(from, to S) (string, bool) {
	i := slices.IndexFunc(t, func(m Move[S]) bool { return m.From == from && m.To == to })
	if i < 0 {
		return "", false
	}
	return t[i].Event, true
}

// Names lists what name returns for the states that the object can have, each once, in the order of the table.
func (t Table[S]) Names(name func(S) string) []string {
	var out []string
	for _, m := range t {
		if n := name(m.To); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

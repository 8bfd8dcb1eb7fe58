// Package patch holds the members of a merge update, which change only what is sent.
package patch

import (
	"encoding/json"
	"reflect"
)

// Member is a member of an update that can be cleared: not sent, which leaves it alone; sent as null,
// which clears it; or a value.
type Member[T any] struct {
	Given bool
	Value *T // nil: null, or not given
}

// Set is a member that was sent with a value.
func Set[T any](value T) Member[T] { return Member[T]{Given: true, Value: &value} }

// Clear is a member that was sent as null.
func Clear[T any]() Member[T] { return Member[T]{Given: true} }

// UnmarshalJSON reads a value or null.
func (m *Member[T]) UnmarshalJSON(text []byte) error {
	m.Given, m.Value = true, nil
	return json.Unmarshal(text, &m.Value)
}

// Holds is the type of the values.
func (Member[T]) Holds() reflect.Type { return reflect.TypeFor[T]() }

// On is what a field becomes that the member is about.
func (m Member[T]) On(was *T) *T {
	if m.Given {
		return m.Value
	}
	return was
}

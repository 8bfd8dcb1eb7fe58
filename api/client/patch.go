package client

import "encoding/json"

// Patch is a member of an update: left as it is, unless it was made by [Set] or [Null].
type Patch[T any] struct {
	given bool
	value *T
}

// Set gives the member a value.
func Set[T any](value T) Patch[T] { return Patch[T]{given: true, value: &value} }

// Null clears the member.
func Null[T any]() Patch[T] { return Patch[T]{given: true} }

// IsZero reports whether the member stays as it is, and is not sent.
func (p Patch[T]) IsZero() bool { return !p.given }

// MarshalJSON implements json.Marshaler.
func (p Patch[T]) MarshalJSON() ([]byte, error) { return json.Marshal(p.value) }

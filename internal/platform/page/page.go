// Package page defines pages of lists: which page is wanted, what a page is, and the time span that a list may be
// limited to.
//
// A list is ordered by the ids of its objects, which are ordered by time. The use-case keeps two constant statements,
// one per direction (a plan with the order in a parameter could not use the index), reads [Input.Rows] rows beyond
// [Input.Cursor], and lets [Cut] make the page.
package page

import (
	"errors"
	"slices"
	"time"
)

// Input selects a page, newest first unless Ascending. Of After and Before at most one is set:
// the id next to which the page lies in the list's order; the zero ID is none.
type Input[ID comparable] struct {
	Limit         int
	After, Before ID
	Ascending     bool
}

// Backwards reports whether the page is the one before an object.
func (in Input[ID]) Backwards() bool {
	var none ID
	return in.Before != none
}

// Up says which statement to use: the one whose ids ascend from the cursor, or the one whose ids
// descend. A page before an object is read away from that object, too.
func (in Input[ID]) Up() bool { return in.Ascending != in.Backwards() }

// Cursor is the id beyond which rows are read; nil, which is NULL in SQL, for the list's end.
func (in Input[ID]) Cursor() *ID {
	var none ID
	switch {
	case in.Before != none:
		return &in.Before
	case in.After != none:
		return &in.After
	}
	return nil
}

// Rows is how many rows to read: one more than the page holds, to know whether there is more.
func (in Input[ID]) Rows() int { return in.Limit + 1 }

// Of is part of a list, in the list's order, with whether more lies beyond its far end. Items is
// never nil.
type Of[T any] struct {
	Items   []T
	HasMore bool
}

// Cut makes the page of the rows that were read for in, which are its own from then on.
func Cut[T any, ID comparable](in Input[ID], rows []T) Of[T] {
	out := Of[T]{Items: rows[:min(len(rows), in.Limit)], HasMore: len(rows) > in.Limit}
	if out.Items == nil {
		out.Items = []T{}
	}
	if in.Backwards() {
		slices.Reverse(out.Items)
	}
	return out
}

// Times is a span of time: from From (nil: ever) to just before Until (nil: for ever). In SQL:
//
//	(@from::timestamptz IS NULL OR created_at >= @from) AND (@until::timestamptz IS NULL OR created_at < @until)
type Times struct{ From, Until *time.Time }

// ErrTooMany says that there are too many objects to add up, or to look through, in the time that a page has.
var ErrTooMany = errors.New("page: too many objects")

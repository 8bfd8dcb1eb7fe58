package clock

import (
	"context"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
)

// Spans bounds the ids of records that were made within a span of time. This is what lets a list begin where the span
// does, instead of looking through all records for it: ids are in the order of time, and a list runs along them. In
// SQL, next to what [page.Times] has there, which is what decides:
//
//	AND (@oldest::uuid IS NULL OR id >= @oldest) AND (@newest::uuid IS NULL OR id < @newest)
type Spans[ID any] struct {
	// First is the least id of a time.
	First func(time.Time) ID
	// Apart is by how much the time of a record may differ from that of its id, which is the machine's, next to what
	// the application's clock was moved by.
	Apart time.Duration
}

// Oldest is at most the id of any record that was made at t or later. The application's time is ahead of the machine's
// by no more than it is at m, now.
func (s Spans[ID]) Oldest(t time.Time, m instant.Moment) ID {
	return s.First(t.Add(m.Machine.Sub(m.At) - s.Apart))
}

// Newest is above the id of any record that was made before t.
func (s Spans[ID]) Newest(t time.Time) ID { return s.First(t.Add(s.Apart)) }

// Within bounds the ids of an application's records of a span; the zero id is no bound. The present is asked for only
// if it matters.
func (s Spans[ID]) Within(ctx context.Context, present Present, applicationID int64, span page.Times) (oldest,
	newest ID, err error) {
	if span.Until != nil {
		newest = s.Newest(*span.Until)
	}
	if span.From == nil {
		return oldest, newest, nil
	}
	m, err := present(ctx, applicationID)
	return s.Oldest(*span.From, m), newest, err
}

// Present is the time of an application with every move of its clock that was made until now.
type Present func(ctx context.Context, applicationID int64) (instant.Moment, error)

// Present asks the database for moves, but not of a live deployment, where there are none.
func (c *Clock) Present(live bool) Present {
	if !live {
		return c.Fresh
	}
	return func(context.Context, int64) (instant.Moment, error) { return instant.Both(c.Machine()), nil }
}

// Unmoved is the present of records that go by the machine's time, as their ids do.
func Unmoved(context.Context, int64) (instant.Moment, error) { return instant.Moment{}, nil }

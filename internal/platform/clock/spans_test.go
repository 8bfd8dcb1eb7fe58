package clock_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
)

// Whatever a clock was moved by when a record was made and is now, the id is within the bounds of the record's time.
func TestIdsAreWithinTheBoundsOfTheirRecords(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		hours := func(label string, least int) int { return rapid.IntRange(least, 20_000).Draw(t, label) }
		then, later := hours("ahead then", 0), 0
		later = hours("ahead now", then)
		made := begin.Add(time.Duration(hours("made", 0)) * time.Minute)
		lag := time.Duration(rapid.IntRange(-60_000, 60_000).Draw(t, "lag")) * time.Millisecond
		at := made.Add(time.Duration(then)*time.Hour + lag)
		now := made.Add(time.Duration(hours("since", 0)) * time.Minute)
		present := func(context.Context, int64) (instant.Moment, error) {
			return instant.Moment{Machine: now, At: now.Add(time.Duration(later) * time.Hour)}, nil
		}
		id, from, until := ids.NewEntry(made).Bytes(), at, at.Add(time.Millisecond)
		oldest, newest, err := clock.Spans[ids.Entry]{First: ids.FirstEntry, Apart: time.Minute}.Within(t.Context(),
			present, 1, page.Times{From: &from, Until: &until})
		low, high := oldest.Bytes(), newest.Bytes()
		if err != nil || bytes.Compare(id[:], low[:]) < 0 || bytes.Compare(id[:], high[:]) >= 0 {
			t.Fatalf("the id of %v is not from %v until %v, %v", made, oldest.Time(), newest.Time(), err)
		}
	})
}

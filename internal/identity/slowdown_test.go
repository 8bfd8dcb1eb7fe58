package identity

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/testing/pgtest"
)

// More sign-ins a minute than a deployment has of browsers that are not known are delayed, and none is refused.
func TestAFloodOfSignInsIsDelayed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := New(pgtest.New(t), func() time.Time { return now }, nil)
	for n := range everywhereBound.most {
		if err := s.slowDown(t.Context()); err != nil {
			t.Fatalf("sign-in %d: %v", n, err)
		}
	}
	hurried, cancel := context.WithTimeout(t.Context(), everywhereDelay/3)
	defer cancel()
	if err := s.slowDown(hurried); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one too many was not delayed: %v", err)
	}
	if err := s.slowDown(t.Context()); err != nil {
		t.Errorf("one too many was refused: %v", err)
	}
	now = now.Add(everywhereBound.within)
	again, cancel := context.WithTimeout(t.Context(), everywhereDelay/3)
	defer cancel()
	if err := s.slowDown(again); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

package operation_test

import (
	"testing"
	"time"

	"svcpay/internal/operation"
)

func TestBackoffGrowsToFiveMinutes(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	for n := range 100 {
		d := operation.Backoff(n)
		if d < last || d > 5*time.Minute {
			t.Errorf("after %d look-ups %v, after one less %v", n, d, last)
		}
		last = d
	}
	if operation.Backoff(0) != 150*time.Millisecond || last != 5*time.Minute {
		t.Errorf("from %v to %v", operation.Backoff(0), last)
	}
}

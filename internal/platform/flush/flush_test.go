package flush_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"svcpay/internal/platform/flush"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The write in progress is not cut off, the last one comes after it and has a limit, and none follows.
func TestStopWaitsForTheWriteInProgress(t *testing.T) {
	var writes, busy atomic.Int32
	var limited atomic.Bool // the latest write
	begun, proceed := make(chan struct{}), make(chan struct{})
	stop := flush.Start(time.Millisecond, func(ctx context.Context) {
		if busy.Add(1) != 1 {
			t.Error("two writes at once")
		}
		defer busy.Add(-1)
		if writes.Add(1) == 1 {
			close(begun)
			<-proceed
			if ctx.Err() != nil {
				t.Error("the write in progress is cut off")
			}
			return
		}
		_, is := ctx.Deadline()
		limited.Store(is)
	})
	<-begun
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	select {
	case <-stopped:
		t.Error("stop did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(proceed)
	<-stopped
	if n := writes.Load(); n < 2 || !limited.Load() {
		t.Errorf("%d writes, the last with a limit: %t", n, limited.Load())
	}
}

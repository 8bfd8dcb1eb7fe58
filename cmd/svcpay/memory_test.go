package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// What the environment says of garbage goes before what we do.
func TestMemoryIsTunedUnlessTheEnvironmentSaysHow(t *testing.T) {
	growth, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() { debug.SetGCPercent(growth); debug.SetMemoryLimit(limit) }()
	for _, c := range []struct {
		env     []string
		growth  int
		bounded bool
	}{
		{[]string{"GOGC=50", "GOMEMLIMIT=1GiB"}, 100, false},
		{[]string{"GOMEMLIMIT=1GiB"}, heapGrowth, false},
		{[]string{"HOME=/root"}, heapGrowth, true}, // last: it goes on
	} {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
		tuneMemory(c.env)
		if got := debug.SetGCPercent(100); got != c.growth {
			t.Errorf("%s: %d, want %d", c.env, got, c.growth)
		}
		if got := debug.SetMemoryLimit(-1); (got < math.MaxInt64) != c.bounded {
			t.Errorf("%s: bounded by %d", c.env, got)
		}
	}
}

// A server that keeps much gets more, or it would do nothing but collect; and no more than it needs once it lets go.
func TestTheBoundOfMemoryFollowsWhatIsKept(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	boundMemory()
	const much = 100 << 20
	kept := make([]byte, much)
	becomes := func(when string, ok func(limit int64) bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !ok(debug.SetMemoryLimit(-1)); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %d", when, debug.SetMemoryLimit(-1))
			}
			runtime.GC()
		}
	}
	becomes("much is kept", func(limit int64) bool { return limit >= several*much })
	runtime.KeepAlive(kept)
	kept = nil
	becomes("it is let go", func(limit int64) bool { return limit < several*much })
}

func TestBoundIsModest(t *testing.T) {
	t.Parallel()
	for live, want := range map[int64]int64{0: modest, modest / several: modest, modest: several * modest} {
		if got := bound(live); got != want {
			t.Errorf("%d: %d, want %d", live, got, want)
		}
	}
}

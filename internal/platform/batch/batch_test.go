package batch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

func noKey(int) string { return "" }

// doubled returns twice the input.
func doubled(_ context.Context, ins []int) ([]int, error) {
	out := make([]int, len(ins))
	for i, in := range ins {
		out[i] = 2 * in
	}
	return out, nil
}

func TestEachCallGetsItsOwnResultOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	done, working, most, longest := map[int]int{}, map[string]bool{}, 0, 0
	running := 0
	key := func(in int) string { return fmt.Sprint(in % 7) }
	c := New(func(ctx context.Context, ins []int) ([]int, error) {
		mu.Lock()
		running++
		most, longest = max(most, running), max(longest, len(ins))
		for _, in := range ins {
			done[in]++
			if working[key(in)] {
				t.Errorf("two inputs of key %s are at work", key(in))
			}
			working[key(in)] = true
		}
		mu.Unlock()
		time.Sleep(rand.N(300 * time.Microsecond))
		mu.Lock()
		defer mu.Unlock()
		running--
		for _, in := range ins {
			working[key(in)] = false
		}
		return doubled(ctx, ins)
	}, key)
	var all sync.WaitGroup
	for in := range 500 {
		all.Go(func() {
			if out, err := c.Do(t.Context(), in); err != nil || out != 2*in {
				t.Errorf("%d gives %d, %v", in, out, err)
			}
		})
	}
	all.Wait()
	for in := range 500 {
		if done[in] != 1 {
			t.Errorf("%d was done %d times", in, done[in])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if most > 2*maxRunning || longest > 7 || longest < 2 || c.running != 0 || len(c.queue) != 0 || len(c.keys) != 0 {
		t.Errorf("%d batches at once, the longest of %d; left: %d running, %d queued, keys %v", most, longest,
			c.running, len(c.queue), c.keys)
	}
}

// held is a batcher whose batches run until they are released.
func held(limit int) (b *Batcher[int, int], release func(), taken *atomic.Int64) {
	gate, taken := make(chan struct{}), new(atomic.Int64)
	b = New(func(ctx context.Context, ins []int) ([]int, error) {
		taken.Add(int64(len(ins)))
		<-gate
		return doubled(ctx, ins)
	}, noKey)
	b.maxQueued = limit
	return b, func() { close(gate) }, taken
}

func (b *Batcher[In, Out]) state() (running, queued int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running, len(b.queue)
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func TestFullQueueRefusesAtOnce(t *testing.T) {
	t.Parallel()
	b, release, taken := held(3)
	var all sync.WaitGroup
	do := func(in int) {
		all.Go(func() {
			if out, err := b.Do(t.Context(), in); err != nil || out != 2*in {
				t.Errorf("%d, %v", out, err)
			}
		})
	}
	for in := range maxRunning { // each a batch of its own
		do(in)
		eventually(t, "a lone call waits", func() bool { return taken.Load() == int64(in+1) })
	}
	for in := range 3 {
		do(in)
		eventually(t, "the call is not queued", func() bool { _, queued := b.state(); return queued == in+1 })
	}
	if _, err := b.Do(t.Context(), 9); !fault.HasCode(err, "overloaded") {
		t.Errorf("one too many: %v", err)
	}
	release()
	all.Wait()
	if taken.Load() != int64(maxRunning+3) {
		t.Errorf("%d calls ran", taken.Load())
	}
}

// While batches run, only a full one starts next to them, and at most as many again.
func TestOnlyFullBatchesRunNextToOthers(t *testing.T) {
	t.Parallel()
	b, release, taken := held(1 << 20)
	var all sync.WaitGroup
	do := func(more int) {
		_, queued := b.state()
		before := queued + int(taken.Load())
		for in := range more {
			all.Go(func() { _, _ = b.Do(t.Context(), in) })
		}
		eventually(t, "not all calls arrive",
			func() bool { _, queued := b.state(); return queued+int(taken.Load()) == before+more })
	}
	running := func(want int) func() bool { return func() bool { n, _ := b.state(); return n == want } }
	for n := range maxRunning {
		do(1)
		eventually(t, "a lone call waits", running(n+1))
	}
	do(maxSize - 1)
	if !running(maxRunning)() {
		t.Errorf("%d calls started a batch next to another", maxSize-1)
	}
	do(1)
	eventually(t, "a full batch waits", running(maxRunning+1))
	do(2 * maxRunning * maxSize)
	if !running(2 * maxRunning)() {
		t.Error("not as many full batches as may run")
	}
	release()
	all.Wait()
	eventually(t, "batches do not end", running(0))
	if want := int64(maxRunning + maxSize + 2*maxRunning*maxSize); taken.Load() != want {
		t.Errorf("%d calls ran, want %d", taken.Load(), want)
	}
}

func TestWorkContinuesWithoutItsCaller(t *testing.T) {
	t.Parallel()
	b, release, taken := held(1 << 20)
	var all sync.WaitGroup
	for in := range maxRunning {
		all.Go(func() {
			if _, err := b.Do(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "no batch starts", func() bool { return taken.Load() == int64(in+1) })
	}
	canceled, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := b.Do(canceled, 2); ended <- err }()
	eventually(t, "the call is not queued", func() bool { _, queued := b.state(); return queued == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	release()
	all.Wait()
	if out, err := b.Do(t.Context(), 4); err != nil || out != 8 {
		t.Errorf("%d, %v", out, err)
	}
	if taken.Load() != int64(maxRunning+2) {
		t.Errorf("%d calls ran", taken.Load())
	}
}

var errBad = errors.New("bad")

func TestOneCallCannotFailTheOthers(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return Split(errBad) }, "a panic": func() error { panic("bad") },
	} {
		gate, taken := make(chan struct{}), new(atomic.Int64)
		c := New(func(ctx context.Context, ins []int) ([]int, error) {
			taken.Add(int64(len(ins)))
			<-gate
			for _, in := range ins {
				if in == 13 {
					return nil, fail()
				}
			}
			return doubled(ctx, ins)
		}, noKey)
		var all sync.WaitGroup
		for in := range maxSize {
			all.Go(func() {
				out, err := c.Do(t.Context(), in)
				if (err != nil) != (in == 13) || err == nil && out != 2*in {
					t.Errorf("%s: %d gives %d, %v", name, in, out, err)
				}
			})
		}
		eventually(t, "not all calls arrive",
			func() bool { _, queued := c.state(); return int(taken.Load())+queued >= maxSize })
		close(gate)
		all.Wait()
	}
}

func TestUnacknowledgedCommitIsNotRepeated(t *testing.T) {
	t.Parallel()
	for err, alone := range map[error]bool{pg.ErrCommit: false, context.DeadlineExceeded: false, errBad: true} {
		if got := Split(fmt.Errorf("outer: %w", err)); errors.Is(got, errSplit) != alone || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
	if Split(nil) != nil {
		t.Error("success is an error")
	}
	var calls atomic.Int64
	c := New(func(context.Context, []int) ([]int, error) { calls.Add(1); return nil, Split(pg.ErrCommit) }, noKey)
	if _, err := c.Do(t.Context(), 1); !errors.Is(err, pg.ErrCommit) || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

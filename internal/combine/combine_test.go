package combine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/pg"
)

func noKey(int) string { return "" }

// doubled answers twice the input.
func doubled(_ context.Context, ins []int) ([]int, error) {
	out := make([]int, len(ins))
	for i, in := range ins {
		out[i] = 2 * in
	}
	return out, nil
}

func TestEveryCallerGetsTheirOwnAnswerOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	done, working, most, longest := map[int]int{}, map[string]bool{}, 0, 0
	running := 0
	key := func(in int) string { return fmt.Sprint(in % 7) }
	c := New(new(Turns), func(ctx context.Context, ins []int) ([]int, error) {
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
	if most > rounds+1 || longest > 7 || longest < 2 || c.running != 0 || len(c.waiting) != 0 || c.mine != 0 || len(c.keys) != 0 {
		t.Errorf("%d rounds at a time, the longest of %d; left: %d running, %d waiting, keys %v", most, longest, c.running, len(c.waiting), c.keys)
	}
}

// held is a combiner whose rounds wait until they are let go.
func held(limit int) (c *Combiner[int, int], letGo func(), taken *atomic.Int64) {
	gate, taken := make(chan struct{}), new(atomic.Int64)
	c = New(new(Turns), func(ctx context.Context, ins []int) ([]int, error) {
		taken.Add(int64(len(ins)))
		<-gate
		return doubled(ctx, ins)
	}, noKey)
	c.limit = limit
	return c, func() { close(gate) }, taken
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
	c, letGo, taken := held(3)
	var all sync.WaitGroup
	ask := func(in int) {
		all.Go(func() {
			if out, err := c.Do(t.Context(), in); err != nil || out != 2*in {
				t.Errorf("%d, %v", out, err)
			}
		})
	}
	for in := range rounds { // each a round of its own
		ask(in)
		eventually(t, "a lone input waits", func() bool { return taken.Load() == int64(in+1) })
	}
	for in := range 3 {
		ask(in)
		eventually(t, "nothing waits", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.waiting) == in+1 })
	}
	if _, err := c.Do(t.Context(), 9); !fault.HasCode(err, "overloaded") {
		t.Errorf("one too many: %v", err)
	}
	letGo()
	all.Wait()
	if taken.Load() != int64(rounds+3) {
		t.Errorf("%d were done", taken.Load())
	}
}

// There is one round more than usual where enough wait for it, and only as long as they do.
func TestOneMoreRoundWhereEnoughWait(t *testing.T) {
	t.Parallel()
	c, letGo, taken := held(maxWaiting)
	var all sync.WaitGroup
	running := func(n int) func() bool {
		return func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.mine == n }
	}
	ask := func(more int) {
		c.mu.Lock()
		before := len(c.waiting) + int(taken.Load())
		c.mu.Unlock()
		for in := range more {
			all.Go(func() { _, _ = c.Do(t.Context(), in) })
		}
		eventually(t, "somebody does not queue", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.waiting)+int(taken.Load()) == before+more
		})
	}
	for n := range rounds {
		ask(1)
		eventually(t, "a lone input waits", running(n+1))
	}
	ask(enough - 1)
	if !running(rounds)() {
		t.Errorf("a round more for %d that wait", enough-1)
	}
	ask(1)
	eventually(t, "no round more", running(rounds+1))
	ask(3 * enough)
	if !running(rounds + 1)() {
		t.Error("more rounds than one more")
	}
	letGo()
	all.Wait()
	eventually(t, "rounds do not end", running(0))
	if want := int64(rounds + 4*enough); taken.Load() != want {
		t.Errorf("%d were done, want %d", taken.Load(), want)
	}
}

func TestWorkGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	c, letGo, taken := held(maxWaiting)
	first := make(chan error, 1)
	go func() { _, err := c.Do(t.Context(), 1); first <- err }()
	eventually(t, "no round begins", func() bool { return taken.Load() == 1 })
	gone, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := c.Do(gone, 2); ended <- err }()
	eventually(t, "nobody waits", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.waiting) == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	letGo()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if out, err := c.Do(t.Context(), 4); err != nil || out != 8 {
		t.Errorf("%d, %v", out, err)
	}
	if taken.Load() != 3 {
		t.Errorf("%d were done", taken.Load())
	}
}

// Who is alone does their round themselves; no goroutine is woken for it.
func TestALoneCallerDoesTheWork(t *testing.T) {
	t.Parallel()
	inside := 0
	c := New(new(Turns), func(ctx context.Context, ins []int) ([]int, error) {
		if strings.Contains(string(debug.Stack()), ").Do(") {
			inside++
		}
		return doubled(ctx, ins)
	}, noKey)
	for in := range 3 {
		if out, err := c.Do(t.Context(), in); err != nil || out != 2*in {
			t.Errorf("%d, %v", out, err)
		}
	}
	if inside != 3 {
		t.Errorf("%d of 3 rounds were done by who came with them", inside)
	}
}

var errBad = errors.New("bad")

func TestOnesFailureIsNobodyElses(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return Alone(errBad) }, "a panic": func() error { panic("bad") },
	} {
		gate, taken := make(chan struct{}), new(atomic.Int64)
		c := New(new(Turns), func(ctx context.Context, ins []int) ([]int, error) {
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
		for in := range enough {
			all.Go(func() {
				out, err := c.Do(t.Context(), in)
				if (err != nil) != (in == 13) || err == nil && out != 2*in {
					t.Errorf("%s: %d gives %d, %v", name, in, out, err)
				}
			})
		}
		eventually(t, "not all wait", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return int(taken.Load())+len(c.waiting) >= enough })
		close(gate)
		all.Wait()
	}
}

func TestLostCommitIsNotRepeated(t *testing.T) {
	t.Parallel()
	for err, alone := range map[error]bool{pg.ErrCommit: false, context.DeadlineExceeded: false, errBad: true} {
		if got := Alone(fmt.Errorf("outer: %w", err)); errors.Is(got, errAlone) != alone || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
	if Alone(nil) != nil {
		t.Error("success is an error")
	}
	var calls atomic.Int64
	c := New(new(Turns), func(context.Context, []int) ([]int, error) { calls.Add(1); return nil, Alone(pg.ErrCommit) }, noKey)
	if _, err := c.Do(t.Context(), 1); !errors.Is(err, pg.ErrCommit) || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

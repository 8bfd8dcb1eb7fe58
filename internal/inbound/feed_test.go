package inbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// told is an event of a counterparty that exists here alone.
type told struct{ ID, Kind string }

// line is its feed and who takes it in.
type line struct {
	*Feed[told]
	mu    sync.Mutex
	now   time.Time
	all   []told
	down  bool
	mute  bool
	waits map[string]int // how often an event cannot be understood yet
	took  []string
}

func newLine(t *testing.T, n int) *line {
	l := &line{now: time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC), waits: map[string]int{}}
	for i := range n {
		l.all = append(l.all, told{fmt.Sprintf("%03d", i+1), "happened"})
	}
	l.Feed = &Feed[told]{name: "line", point: "line", pool: pgtest.New(t), events: l.read, patience: time.Minute, handlers: map[string]Handle[told]{},
		machine: func() time.Time { l.mu.Lock(); defer l.mu.Unlock(); return l.now }, of: func(e told) entry { return entry{e.ID, e.Kind, "account"} }}
	l.on("happened", l.take)
	return l
}

func (l *line) read(ctx context.Context, after string, limit int) ([]told, error) {
	if l.mute {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errors.New("the feed is down")
	}
	from := slices.IndexFunc(l.all, func(e told) bool { return e.ID > after })
	if from < 0 {
		return nil, nil
	}
	return l.all[from:min(len(l.all), from+limit)], nil
}

func (l *line) take(_ context.Context, e told) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waits[e.ID] > 0 {
		l.waits[e.ID]--
		return errors.New("not understood yet")
	}
	l.took = append(l.took, e.ID)
	return nil
}

func (l *line) run(t *testing.T) {
	t.Helper()
	for {
		n, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func (l *line) want(t *testing.T, what string, ids ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.took, ids) {
		t.Errorf("%s: taken in %v, want %v", what, l.took, ids)
	}
}

// A counterparty that answers nothing holds up nothing that it told before.
func TestASilentFeedHoldsUpNothing(t *testing.T) {
	t.Parallel()
	l := newLine(t, 0)
	if err := l.Receive(t.Context(), told{"001", "happened"}); err != nil {
		t.Fatal(err)
	}
	l.mute, l.patience = true, 50*time.Millisecond
	if n, err := l.Run(t.Context()); n != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
	l.want(t, "while the feed is silent", "001")
}

func TestNoticesAndFeedTellEachEventOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	for _, id := range []string{"003", "002", "003"} { // in any order, and again
		if err := l.Receive(t.Context(), told{id, "happened"}); err != nil {
			t.Fatal(err)
		}
	}
	l.down = true
	if _, err := l.Run(t.Context()); err == nil {
		t.Error("a feed that is down is no error")
	}
	l.want(t, "while the feed is down", "003", "002")
	l.down = false
	l.run(t)
	l.want(t, "with the feed", "003", "002", "001")
	if err := l.Receive(t.Context(), told{"001", "happened"}); err != nil { // replayed
		t.Fatal(err)
	}
	l.run(t)
	l.want(t, "replayed", "003", "002", "001")
}

func TestWhatIsNotUnderstoodYetIsTriedAgain(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	l.waits["002"] = 2
	l.all = append(l.all, told{"004", "unheard"})
	l.run(t)
	l.want(t, "at first", "001", "003")
	for range 3 {
		l.mu.Lock()
		l.now = l.now.Add(time.Minute)
		l.mu.Unlock()
		l.run(t)
	}
	l.want(t, "later", "001", "003", "002")
	if n, err := pg.Value[int64](t.Context(), l.pool, `SELECT count(*) FROM inbound_events WHERE handled_at IS NULL AND kind = 'unheard'`, pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d wait for somebody who handles them, %v", n, err)
	}
}

func TestReadersAtOnceWriteEachEventOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t, 250) // more than a page
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { l.run(t) })
	}
	wg.Wait()
	l.run(t)
	seen := slices.Compact(slices.Sorted(slices.Values(l.took)))
	if len(seen) != 250 || len(l.took) != 250 {
		t.Errorf("%d of 250, %d times", len(seen), len(l.took))
	}
}

func TestTwoFeedsMayNumberAlike(t *testing.T) {
	t.Parallel()
	a := newLine(t, 2)
	b := *a.Feed
	b.name, b.handlers = "other", map[string]Handle[told]{}
	var others []string
	b.on("happened", func(_ context.Context, e told) error { others = append(others, e.ID); return nil })
	a.run(t)
	if _, err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.want(t, "one", "001", "002")
	if !slices.Equal(others, []string{"001", "002"}) {
		t.Errorf("the other: %v", others)
	}
}

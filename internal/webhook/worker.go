package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/crash"
	"svcpay/internal/ids"
)

const (
	// pace is how often a worker looks for events and deliveries of which nothing in it told.
	pace = 100 * time.Millisecond
	// trouble is the pause after an error of our own.
	trouble = time.Second
	// completeBatch is how many attempts one transaction writes.
	completeBatch = 128
	// atOnce is how many attempts are under way at once in one binary.
	atOnce = 1024
	// slow is when an attempt has taken long.
	slow = time.Second
	// lanesRemembered bounds the memory that endpoints take to which nothing is under way.
	lanesRemembered = 10_000
)

// Worker numbers events and sends them, beside those of other binaries.
type Worker struct {
	s *Service
	// more wakes the sending: events have been numbered, or attempts have made room.
	more chan struct{}
	done chan result
	runs sync.WaitGroup

	mu    sync.Mutex
	lanes map[ids.Endpoint]lane
	busy  map[int64]int // attempts under way, by application
	all   int
}

// lane is how many attempts to an endpoint are under way, and how many may be: one more after each that was
// quick, few after one that was not.
type lane struct{ busy, most int }

// NewWorker makes a worker that does nothing until it runs.
func (s *Service) NewWorker() *Worker {
	return &Worker{s: s, more: make(chan struct{}, 1), done: make(chan result, atOnce), lanes: make(map[ids.Endpoint]lane), busy: make(map[int64]int)}
}

// Run works until ctx ends; then it claims nothing more, lets the attempts under way end and writes them
// down. It must be called once.
func (w *Worker) Run(ctx context.Context) {
	rest := context.WithoutCancel(ctx)
	var loops, writer sync.WaitGroup
	loops.Go(func() { w.loop(ctx, "events could not be numbered", nil, w.number) })
	loops.Go(func() {
		w.loop(ctx, "deliveries could not be claimed", w.more, func(ctx context.Context) (bool, error) { return w.send(ctx, rest) })
	})
	writer.Go(func() { w.write(rest) })
	loops.Wait()
	w.runs.Wait()
	close(w.done)
	writer.Wait()
}

// loop does work for as long as there is some, and looks again at the pace, or when it is woken.
func (w *Worker) loop(ctx context.Context, failed string, woken <-chan struct{}, work func(context.Context) (bool, error)) {
	for ctx.Err() == nil {
		more, err := work(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			slog.WarnContext(ctx, failed, "error", err.Error())
			wait(ctx, trouble, nil)
		case !more:
			wait(ctx, pace, woken)
		}
	}
}

func wait(ctx context.Context, d time.Duration, woken <-chan struct{}) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-ctx.Done():
	case <-over.C:
	case <-woken:
	}
}

func (w *Worker) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *Worker) number(ctx context.Context) (bool, error) {
	n, err := w.s.Events.Number(ctx)
	if n > 0 {
		w.wake()
	}
	return n > 0, err
}

// send begins the attempts that are due and that there is room for. They may last longer than ctx.
func (w *Worker) send(ctx, attempts context.Context) (bool, error) {
	due, err := w.s.claim(ctx, w.room())
	if err != nil || len(due) == 0 {
		return false, err
	}
	crash.Point("webhook.claimed")
	w.begin(due)
	for _, d := range due {
		w.runs.Go(func() { w.attempt(attempts, d) })
	}
	return true, nil
}

func (w *Worker) attempt(ctx context.Context, d claimed) {
	slowness := time.AfterFunc(slow, func() { w.slowed(d.EndpointID) })
	defer func() { w.end(d, slowness.Stop()) }()
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	r, err := w.s.attempt(ctx, d)
	crash.Point("webhook.attempted")
	if err != nil {
		slog.WarnContext(ctx, "a delivery was not attempted", "delivery", d.ID.String(), "error", err.Error())
		return
	}
	if told := w.s.Attempted; told != nil {
		told(r.status)
	}
	w.done <- r
}

// room is where attempts may be begun.
func (w *Worker) room() room {
	w.mu.Lock()
	defer w.mu.Unlock()
	return room{
		all: atOnce - w.all,
		of: func(applicationID int64) int {
			w.mu.Lock()
			defer w.mu.Unlock()
			return perApplication - w.busy[applicationID]
		},
		to: func(e ids.Endpoint, most int) int {
			w.mu.Lock()
			defer w.mu.Unlock()
			l := w.lane(e)
			return min(most, l.most) - l.busy
		},
	}
}

// lane is an endpoint's, a new one if it has none. The caller holds the lock.
func (w *Worker) lane(e ids.Endpoint) lane {
	l, ok := w.lanes[e]
	if !ok {
		l.most = perSlow
	}
	return l
}

func (w *Worker) begin(due []claimed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range due {
		l := w.lane(d.EndpointID)
		l.busy++
		w.lanes[d.EndpointID] = l
		w.busy[d.ApplicationID]++
		w.all++
	}
}

// slowed notes that an attempt takes long, while it is still under way.
func (w *Worker) slowed(e ids.Endpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l, ok := w.lanes[e]; ok {
		l.most = perSlow
		w.lanes[e] = l
	}
}

// end notes that an attempt has ended, and whether it was quick.
func (w *Worker) end(d claimed, quick bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lane(d.EndpointID)
	l.busy--
	if quick {
		l.most = min(l.most+1, perEndpoint)
	}
	w.lanes[d.EndpointID] = l
	if l.busy == 0 && len(w.lanes) > lanesRemembered {
		delete(w.lanes, d.EndpointID)
	}
	w.all--
	if w.busy[d.ApplicationID]--; w.busy[d.ApplicationID] == 0 {
		delete(w.busy, d.ApplicationID)
	}
	w.wake()
}

// write writes down what attempts came to, as many as have ended meanwhile at a time.
func (w *Worker) write(ctx context.Context) {
	for r := range w.done {
		batch := []result{r}
		for len(batch) < completeBatch && len(w.done) > 0 {
			batch = append(batch, <-w.done)
		}
		w.settle(ctx, batch)
		crash.Point("webhook.completed")
	}
}

// settle writes some attempts down. If the database refuses them, each half is tried by itself, so that one
// which cannot be written takes no other with it. The leases' ends bring back what was not written.
func (w *Worker) settle(ctx context.Context, batch []result) {
	err := w.s.complete(ctx, batch)
	if refused := new(pgconn.PgError); errors.As(err, &refused) && len(batch) > 1 {
		half := len(batch) / 2
		w.settle(ctx, batch[:half])
		w.settle(ctx, batch[half:])
		return
	}
	if err != nil {
		slog.WarnContext(ctx, "attempts could not be written down", "count", len(batch), "error", err.Error())
	}
}

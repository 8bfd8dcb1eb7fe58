package webhook

import (
	"context"
	"log/slog"
	"sync"
	"time"

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
	atOnce = 512
)

// Worker numbers events and sends them, beside those of other binaries.
type Worker struct {
	s *Service
	// more wakes the sending: events have been numbered, or attempts have made room.
	more chan struct{}
	done chan result
	runs sync.WaitGroup

	mu   sync.Mutex
	busy map[ids.Endpoint]int
	all  int
}

// NewWorker makes a worker that does nothing until it runs.
func (s *Service) NewWorker() *Worker {
	return &Worker{s: s, more: make(chan struct{}, 1), done: make(chan result, atOnce), busy: make(map[ids.Endpoint]int)}
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
	defer w.end(d.EndpointID)
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	r, err := w.s.attempt(ctx, d)
	crash.Point("webhook.attempted")
	if err != nil {
		slog.WarnContext(ctx, "a delivery was not attempted", "delivery", d.ID.String(), "error", err.Error())
		return
	}
	w.done <- r
}

// room is where attempts may be begun.
func (w *Worker) room() room {
	w.mu.Lock()
	defer w.mu.Unlock()
	return room{all: atOnce - w.all, to: func(e ids.Endpoint, most int) int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return most - w.busy[e]
	}}
}

func (w *Worker) begin(due []claimed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range due {
		w.busy[d.EndpointID]++
		w.all++
	}
}

func (w *Worker) end(e ids.Endpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.busy[e]--; w.busy[e] == 0 {
		delete(w.busy, e)
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
		if err := w.s.complete(ctx, batch); err != nil { // the leases' ends bring them back
			slog.WarnContext(ctx, "attempts could not be written down", "count", len(batch), "error", err.Error())
		}
		crash.Point("webhook.completed")
	}
}

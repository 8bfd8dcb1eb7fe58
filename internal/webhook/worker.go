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
	// pace is how often a worker looks for events and deliveries.
	pace = 100 * time.Millisecond
	// trouble is the pause after an error of our own.
	trouble = time.Second
	// completeBatch is how many attempts one transaction writes.
	completeBatch = 64
	// atOnce is how many attempts are under way at once in one binary.
	atOnce = 256
)

// Worker numbers events and sends them, beside those of other binaries.
type Worker struct {
	s    *Service
	mu   sync.Mutex
	busy map[ids.Endpoint]int
	all  int
	done chan result
	runs sync.WaitGroup
}

// NewWorker makes a worker that does nothing until it runs.
func (s *Service) NewWorker() *Worker {
	return &Worker{s: s, busy: make(map[ids.Endpoint]int), done: make(chan result, atOnce)}
}

// Run works until ctx ends; then it lets the attempts under way end and writes them down.
func (w *Worker) Run(ctx context.Context) {
	attempts, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var loops sync.WaitGroup
	loops.Go(func() {
		w.loop(ctx, "events could not be numbered", func(ctx context.Context) (bool, error) {
			n, err := w.s.Events.Number(ctx)
			return n > 0, err
		})
	})
	loops.Go(func() {
		w.loop(ctx, "deliveries could not be claimed", func(ctx context.Context) (bool, error) { return w.send(ctx, attempts) })
	})
	var writer sync.WaitGroup
	writer.Go(func() { w.write(context.WithoutCancel(ctx)) })
	loops.Wait()
	w.runs.Wait()
	close(w.done)
	writer.Wait()
}

// loop does work whenever there is some.
func (w *Worker) loop(ctx context.Context, failed string, work func(context.Context) (bool, error)) {
	for ctx.Err() == nil {
		more, err := work(ctx)
		pause := pace
		switch {
		case err != nil && ctx.Err() == nil:
			slog.WarnContext(ctx, failed, "error", err.Error())
			pause = trouble
		case more:
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// send begins the attempts that are due and that there is room for.
func (w *Worker) send(ctx, attempts context.Context) (bool, error) {
	due, err := w.s.claim(ctx, w.free)
	if err != nil {
		return false, err
	}
	crash.Point("webhook.claimed")
	for _, d := range due {
		w.begin(d.EndpointID)
		w.runs.Go(func() {
			defer w.end(d.EndpointID)
			ctx, cancel := context.WithTimeout(attempts, attemptTimeout)
			defer cancel()
			r, err := w.s.attempt(ctx, d)
			crash.Point("webhook.attempted")
			if err != nil {
				slog.WarnContext(ctx, "a delivery was not attempted", "delivery", d.ID.String(), "error", err.Error())
				return
			}
			w.done <- r
		})
	}
	return len(due) > 0, nil
}

// free is how many more attempts to an endpoint may be begun.
func (w *Worker) free(e ids.Endpoint) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all >= atOnce {
		return 0
	}
	return perEndpoint - w.busy[e]
}

func (w *Worker) begin(e ids.Endpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[e]++
	w.all++
}

func (w *Worker) end(e ids.Endpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.busy[e]--; w.busy[e] == 0 {
		delete(w.busy, e)
	}
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

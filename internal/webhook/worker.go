package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/event"
	"svcpay/internal/testing/crash"
)

const (
	// pace is how often a worker looks for events and due deliveries when nothing wakes it.
	pace = 100 * time.Millisecond
	// trouble is the pause after an error of our own.
	trouble = time.Second
	// completeBatch is how many attempts one transaction writes. It waits for more up to linger, since a transaction
	// costs as much as some of them.
	completeBatch = 256
	linger        = 10 * time.Millisecond
)

// Worker numbers events and sends them, in parallel with those of other binaries.
type Worker struct {
	s *Service
	// more wakes the sending: events have been numbered, or attempts have made room.
	more  chan struct{}
	queue *queue
	done  chan result
	runs  sync.WaitGroup
}

// NewWorker makes a worker that does nothing until it runs.
func (s *Service) NewWorker() *Worker {
	w := &Worker{s: s, more: make(chan struct{}, 1), done: make(chan result, mostLeased)}
	w.queue = newQueue(s.deps.Now, s.deps.Client.Line, w.wake)
	return w
}

// Run works until ctx ends; then it claims nothing more, returns what it has not begun, lets the attempts under
// way end and writes them down. It must be called once.
func (w *Worker) Run(ctx context.Context) {
	rest := context.WithoutCancel(ctx)
	var loops, writer sync.WaitGroup
	loops.Go(func() { w.loop(ctx, "events could not be numbered", nil, w.number) })
	loops.Go(func() {
		w.loop(ctx, "deliveries could not be claimed", w.more,
			func(ctx context.Context) (bool, error) { return w.send(ctx, rest) })
	})
	writer.Go(func() { w.write(rest) })
	loops.Wait()
	w.queue.stop()
	if err := w.giveBack(rest); err != nil {
		slog.WarnContext(rest, "leased deliveries could not be returned", "error", err.Error())
	}
	w.runs.Wait()
	w.queue.close()
	close(w.done)
	writer.Wait()
}

// loop does work for as long as there is some, and looks again at the pace, or when it is woken.
func (w *Worker) loop(ctx context.Context, failed string, woken <-chan struct{},
	work func(context.Context) (bool, error)) {
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

// number numbers the events that were committed since its last run. It waits for the pace unless a batch was full: one
// large transaction costs less than many small ones.
func (w *Worker) number(ctx context.Context) (bool, error) {
	n, err := w.s.deps.Events.Number(ctx)
	if n > 0 {
		w.wake()
	}
	return n >= event.Batch, err
}

// send leases the deliveries that are due and that there is room for. Their attempts may last longer than ctx.
func (w *Worker) send(ctx, attempts context.Context) (bool, error) {
	w.queue.expire(w.s.deps.Now())
	if err := w.giveBack(ctx); err != nil {
		return false, err
	}
	due, err := w.s.claim(ctx, w.queue.portion)
	if err != nil || len(due) == 0 {
		return false, err
	}
	crash.Point("webhook.claimed")
	for _, d := range w.queue.begin(due) {
		w.runs.Go(func() { w.run(attempts, d) })
	}
	return false, nil // the queue wakes this loop when there is room
}

// giveBack releases what is leased and will not be begun. The leases' ends bring back what cannot be released.
func (w *Worker) giveBack(ctx context.Context) error {
	back := w.queue.takeBack()
	if len(back) == 0 {
		return nil
	}
	err := w.s.release(ctx, back)
	if err != nil {
		w.queue.again(back)
	}
	return err
}

// run makes an attempt, and then those that take its place.
func (w *Worker) run(ctx context.Context, d claimed) {
	for more := true; more; {
		took, succeeded := w.attempt(ctx, d)
		d, more = w.queue.end(d, took, succeeded)
	}
}

func (w *Worker) attempt(ctx context.Context, d claimed) (took time.Duration, succeeded bool) {
	r, err := w.s.attempt(ctx, d)
	crash.Point("webhook.attempted")
	if err != nil {
		slog.WarnContext(ctx, "a delivery was not attempted", "delivery", d.ID.String(), "error", err.Error())
		return 0, false
	}
	if report := w.s.Attempted; report != nil {
		report(r.status)
	}
	w.done <- r
	return r.took, r.succeeded()
}

// write writes down what attempts came to, as many as have ended in the meantime at a time.
func (w *Worker) write(ctx context.Context) {
	for r := range w.done {
		w.settle(ctx, w.gather(r))
		crash.Point("webhook.completed")
	}
}

// gather adds the results that follow, and waits a little for those of attempts in progress.
func (w *Worker) gather(first result) []result {
	batch := []result{first}
	over := time.After(linger)
	for len(batch) < completeBatch && (len(w.done) > 0 || w.queue.any()) {
		select {
		case r, more := <-w.done:
			if !more {
				return batch
			}
			batch = append(batch, r)
		case <-over:
			return batch
		}
	}
	return batch
}

// settle writes some attempts down. If the database refuses them, each half is tried on its own, so that one
// which cannot be written takes no other with it. The leases' ends bring back what was not written.
func (w *Worker) settle(ctx context.Context, batch []result) {
	changed, err := w.s.complete(ctx, batch)
	w.queue.changed(changed)
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

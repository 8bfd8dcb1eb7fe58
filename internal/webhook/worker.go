package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/testing/crash"
)

const (
	// pace is how often a worker looks for events and deliveries of which nothing in it told.
	pace = 100 * time.Millisecond
	// trouble is the pause after an error of our own.
	trouble = time.Second
	// completeBatch is how many attempts one transaction writes.
	completeBatch = 256
	// A few of them wait so long for more, while others are on their way: a transaction costs as much as some of them.
	few    = 192
	linger = 10 * time.Millisecond
	// mostUnlooked is how often in a row deliveries are leased to those that are known to have more, without a look for
	// others.
	mostUnlooked = 3
	// atOnce is how many attempts are under way at once in one binary.
	atOnce = 1024
	// slow is when an attempt has taken long.
	slow = time.Second
	// fast is what one takes at most that takes no time to speak of.
	fast = slow / 8
)

// Worker numbers events and sends them, beside those of other binaries.
type Worker struct {
	s *Service
	// more wakes the sending: events have been numbered, or attempts have made room.
	more  chan struct{}
	lanes *lanes
	done  chan result
	runs  sync.WaitGroup

	// eager are the endpoints for which there was more when deliveries to them were leased; news tells that others are to be
	// looked for, or how those do, and unlooked how often it was not.
	eager    []dueEndpoint
	news     atomic.Bool
	unlooked int
}

// NewWorker makes a worker that does nothing until it runs.
func (s *Service) NewWorker() *Worker {
	w := &Worker{s: s, more: make(chan struct{}, 1), done: make(chan result, atOnce)}
	w.lanes = newLanes(s.deps.Client.Line, w.wake)
	return w
}

// Run works until ctx ends; then it claims nothing more, gives back what it has not begun, lets the attempts under
// way end and writes them down. It must be called once.
func (w *Worker) Run(ctx context.Context) {
	rest := context.WithoutCancel(ctx)
	var loops, writer sync.WaitGroup
	loops.Go(func() { w.loop(ctx, "events could not be numbered", nil, w.number) })
	loops.Go(func() {
		w.loop(ctx, "deliveries could not be claimed", w.more, func(ctx context.Context) (bool, error) { return w.send(ctx, rest) })
	})
	writer.Go(func() { w.write(rest) })
	loops.Wait()
	w.lanes.stop()
	if err := w.giveBack(rest); err != nil {
		slog.WarnContext(rest, "deliveries could not be given back", "error", err.Error())
	}
	w.runs.Wait()
	w.lanes.close()
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
	n, err := w.s.deps.Events.Number(ctx)
	if n > 0 {
		w.news.Store(true)
		w.wake()
	}
	return n > 0, err
}

// send leases the deliveries that are due and that there is room for. Their attempts may last longer than ctx.
func (w *Worker) send(ctx, attempts context.Context) (bool, error) {
	if err := w.giveBack(ctx); err != nil {
		return false, err
	}
	due, eager, err := w.s.claim(ctx, w.lanes.room(), w.known())
	if w.eager = eager; err != nil || len(due) == 0 {
		return false, err
	}
	crash.Point("webhook.claimed")
	for _, d := range w.lanes.begin(due) {
		w.runs.Go(func() { w.run(attempts, d) })
	}
	return false, nil // whoever makes room tells
}

// known are the endpoints to which more is leased without a look for others; none if it is time to look.
func (w *Worker) known() []dueEndpoint {
	if w.unlooked++; w.news.Swap(false) || w.unlooked > mostUnlooked {
		w.eager, w.unlooked = nil, 0
	}
	return w.eager
}

// giveBack releases what is leased and will not be begun. The leases' ends bring back what cannot be released.
func (w *Worker) giveBack(ctx context.Context) error {
	back := w.lanes.takeBack()
	if len(back) == 0 {
		return nil
	}
	return w.s.release(ctx, back)
}

// run makes an attempt, and then those that wait for its place, to whichever endpoint they go.
func (w *Worker) run(ctx context.Context, d claimed) {
	for more := true; more; {
		to := d.EndpointID
		slowness := time.AfterFunc(slow, func() { w.lanes.slowed(to) })
		how := w.attempt(ctx, d, w.lanes.line(d))
		how.quick = slowness.Stop()
		if !how.succeeded { // the endpoint may have less from now on
			w.news.Store(true)
		}
		d, more = w.lanes.end(d, how)
	}
}

func (w *Worker) attempt(ctx context.Context, d claimed, by sender) end {
	r, err := w.s.attempt(ctx, d, by)
	crash.Point("webhook.attempted")
	if err != nil {
		slog.WarnContext(ctx, "a delivery was not attempted", "delivery", d.ID.String(), "error", err.Error())
		return end{}
	}
	if told := w.s.Attempted; told != nil {
		told(r.status)
	}
	w.done <- r
	return end{succeeded: r.succeeded(), atOnce: r.took <= fast}
}

// write writes down what attempts came to, as many as have ended meanwhile at a time.
func (w *Worker) write(ctx context.Context) {
	for r := range w.done {
		w.settle(ctx, w.gather(r))
		crash.Point("webhook.completed")
	}
}

// gather adds to a result those that have come, and waits a little for more if those are few and more are to come.
func (w *Worker) gather(first result) []result {
	batch := []result{first}
	var over <-chan time.Time
	for len(batch) < completeBatch {
		if len(w.done) == 0 {
			if len(batch) >= few || !w.lanes.any() {
				return batch
			}
			if over == nil {
				timer := time.NewTimer(linger)
				defer timer.Stop()
				over = timer.C
			}
		}
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

// settle writes some attempts down. If the database refuses them, each half is tried by itself, so that one
// which cannot be written takes no other with it. The leases' ends bring back what was not written.
func (w *Worker) settle(ctx context.Context, batch []result) {
	changed, err := w.s.complete(ctx, batch)
	w.lanes.outdated(changed)
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

package requestlog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/flush"
	"svcpay/internal/platform/pg"
)

// Bounds of the queue. Entries of one batch are written in one round trip.
const (
	maxQueued    = 4096
	maxQueuedRaw = 16 << 20 // bytes of bodies and answers
	batchSize    = 500
	flushEvery   = 250 * time.Millisecond
)

// queue holds the entries that wait, and counts those that found no place.
type queue struct {
	mu      sync.Mutex
	waiting []Entry
	raw     int // bytes of bodies and answers
	dropped int64
}

func (e Entry) raw() int { return len(e.Body) + len(e.Answer) }

// Add takes an entry, or counts it as dropped. It never waits. A body of more than 64 KiB is not kept.
func (s *Service) Add(e Entry) {
	if len(e.Body) > maxRawBody {
		e.Body = nil
	}
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= maxQueued || q.raw+e.raw() > maxQueuedRaw {
		q.dropped++
		return
	}
	q.waiting = append(q.waiting, e)
	q.raw += e.raw()
}

// Dropped is how many entries of this binary were lost so far.
func (s *Service) Dropped() int64 {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return s.queue.dropped
}

// next are the entries of the next batch. They stay in the queue, which only [Service.Flush] takes any out of.
func (q *queue) next() []Entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.waiting[:min(batchSize, len(q.waiting))])
}

// remove takes a batch out of the queue, of which some are lost.
func (q *queue) remove(batch []Entry, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.Delete(q.waiting, 0, len(batch))
	for _, e := range batch {
		q.raw -= e.raw()
	}
	q.dropped += lost
}

// Flush writes all entries that wait. While the database is not there they stay; what it does not take
// is dropped.
func (s *Service) Flush(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var errs []error
	for batch := s.queue.next(); len(batch) > 0; batch = s.queue.next() {
		var lost int64
		if err := s.write(ctx, batch); err != nil {
			if pg.Fault(err).Kind == fault.KindUnavailable || ctx.Err() != nil {
				return err
			}
			for _, e := range batch { // one of them is at fault
				if s.write(ctx, []Entry{e}) != nil {
					lost++
				}
			}
			errs = append(errs, err)
		}
		s.queue.remove(batch, lost)
	}
	return errors.Join(errs...)
}

// Start writes what waits four times a second until the function that it returns is called, which
// writes the rest.
func (s *Service) Start(log *slog.Logger) (stop func()) {
	return flush.Start(flushEvery, func(ctx context.Context) {
		if err := s.Flush(ctx); err != nil {
			log.WarnContext(ctx, "request logs were not written", "error", err.Error(), "dropped", s.Dropped())
		}
	})
}

// Package inbound receives events that counterparties start: from the processor, returned debits, disputes, and payouts
// that arrive or fail; from the provider of donor-advised funds, grants that end.
//
// A feed is read from its cursor and stored first; then each event is passed to its flow, in the order of arrival. A
// notice, which reports an event earlier, is stored likewise: the feed has it, too. Flows accept duplicates and any
// order. An event that cannot be applied yet is retried.
package inbound

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/processor"
)

// Service reads the counterparties' feeds.
type Service struct {
	Processors map[string]*Feed[processor.Event] // by the name of the adapter
	DAF        *Feed[provider.Event]
}

// New makes a reader whose events no one handles yet.
func New(pool *pgxpool.Pool, processors *processor.Registry, daf provider.Provider, machine func() time.Time) *Service {
	s := &Service{Processors: map[string]*Feed[processor.Event]{},
		DAF: &Feed[provider.Event]{name: "daf/" + daf.Name(), point: "daf_inbound", pool: pool, machine: machine,
			events: daf.Events, patience: readTimeout, handlers: map[string]Handle[provider.Event]{},
			of: func(e provider.Event) entry { return entry{e.ID, string(e.Kind), e.Account} }},
	}
	for name, feed := range processors.Feeds() {
		s.Processors[name] = &Feed[processor.Event]{name: "processor/" + name, point: "inbound", pool: pool, machine: machine,
			events: feed.Events, patience: readTimeout, handlers: map[string]Handle[processor.Event]{},
			of: func(e processor.Event) entry { return entry{e.ID, string(e.Kind), e.Account} }}
	}
	return s
}

// onEvent sets who handles events of a kind of every processor. Events carry the name of their adapter.
func (s *Service) onEvent(kind processor.EventKind, h Handle[processor.Event]) {
	for name, feed := range s.Processors {
		feed.on(string(kind), func(ctx context.Context, e processor.Event) error {
			e.Adapter = name
			return h(ctx, e)
		})
	}
}

// Run takes in what is new and handles a batch of what is due, of each feed, and says how many events it wrote down
// or handled. Feeds run in parallel: one that hangs or fails delays no other.
func (s *Service) Run(ctx context.Context) (int, error) {
	feeds := []func(context.Context) (int, error){s.DAF.Run}
	for _, feed := range s.Processors {
		feeds = append(feeds, feed.Run)
	}
	counts, errs := make([]int, len(feeds)), make([]error, len(feeds))
	var all sync.WaitGroup
	for i, run := range feeds {
		all.Go(func() { counts[i], errs[i] = guarded(ctx, run) })
	}
	all.Wait()
	n := 0
	for _, count := range counts {
		n += count
	}
	return n, errors.Join(errs...)
}

// guarded runs a feed. A panic is an error, as it is of a job: the binary goes on, and so do the other feeds.
func guarded(ctx context.Context, run func(context.Context) (int, error)) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("inbound: a feed panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return run(ctx)
}

// Package inbound passes what counterparties report to the flows that it concerns: from processors, returned debits,
// disputes, and payouts that arrive or fail; from the provider of donor-advised funds, grants that end.
//
// Each counterparty has an inbox, filled by its feed and by the notices that it sends. Flows accept duplicates and any
// order. A message that cannot be handled yet is retried.
package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/inbox"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// Handle does what an event requires. It accepts repetitions.
type Handle[E any] func(ctx context.Context, e E) error

// Service has the inboxes of the counterparties.
type Service struct {
	registry   *processor.Registry
	daf        provider.Provider
	processors map[string]source // by the name of the adapter
	grants     source
	handlers   handlers[processor.EventKind, processor.Event]
	donations  handlers[provider.EventKind, provider.Event]
}

// source is an inbox, what fills it, and what is done with its messages.
type source struct {
	box    *inbox.Box
	read   inbox.Read
	handle func(ctx context.Context, m notice.Message) error
}

// run stores what is new and handles a batch of what is due. It returns how many messages it read or handled.
func (s source) run(ctx context.Context) (int, error) {
	pulled, pullErr := s.box.Pull(ctx, s.read)
	handled, err := s.box.Handle(ctx, s.handle) // also while the feed cannot be read
	return pulled + handled, errors.Join(pullErr, err)
}

// receive stores the messages of a notice, if it was accepted.
func (s source) receive(ctx context.Context, messages []notice.Message, err error) error {
	switch {
	case errors.Is(err, notice.ErrSignature), errors.Is(err, notice.ErrUnreadable):
		return errors.Join(err, s.box.Refuse(ctx))
	case err != nil:
		return err
	}
	return s.box.Receive(ctx, messages)
}

// New makes a service whose events no one handles yet.
func New(pool *pgxpool.Pool, processors *processor.Registry, daf provider.Provider, machine func() time.Time) *Service {
	s := &Service{registry: processors, daf: daf, processors: map[string]source{},
		handlers:  handlers[processor.EventKind, processor.Event]{},
		donations: handlers[provider.EventKind, provider.Event]{}}
	s.grants = source{
		box: inbox.NewBox(pool, machine, "daf/"+daf.Name(), "daf_inbound"), read: daf.Messages,
		handle: func(ctx context.Context, m notice.Message) error {
			events, err := daf.Events(ctx, m)
			return s.donations.handle(ctx, events, err, func(e provider.Event) provider.EventKind { return e.Kind })
		},
	}
	for name, feed := range processors.Feeds() {
		s.processors[name] = source{
			box: inbox.NewBox(pool, machine, "processor/"+name, "inbound"), read: feed.Messages,
			handle: func(ctx context.Context, m notice.Message) error {
				events, err := feed.Events(ctx, m)
				return s.handlers.handle(ctx, events, err,
					func(e processor.Event) processor.EventKind { return e.Kind })
			},
		}
	}
	return s
}

// handlers handle events by their kind. They are set while the service is wired.
type handlers[K comparable, E any] map[K]Handle[E]

// handle passes the events of a message to their handlers, until one fails. err is that of reading the message.
func (hs handlers[K, E]) handle(ctx context.Context, events []E, err error, kind func(E) K) error {
	if err != nil {
		return err
	}
	for _, e := range events {
		h, ok := hs[kind(e)]
		if !ok {
			return fmt.Errorf("inbound: no handler for %v", kind(e))
		}
		if err := h(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// onEvent sets who handles events of a kind of every processor.
func (s *Service) onEvent(kind processor.EventKind, h Handle[processor.Event]) { s.handlers[kind] = h }

// onGrant sets who handles events of a kind of the provider of donor-advised funds.
func (s *Service) onGrant(kind provider.EventKind, h Handle[provider.Event]) { s.donations[kind] = h }

// Notice verifies and stores a notice that a processor sent for an account. It returns [notice.ErrNoSender],
// [notice.ErrSignature] or [notice.ErrUnreadable] for one that is refused. Nothing is handled yet.
func (s *Service) Notice(ctx context.Context, account processor.Account, header http.Header, body []byte) error {
	from, ok := s.processors[account.Adapter]
	if !ok {
		return notice.ErrNoSender
	}
	messages, err := s.registry.Notice(ctx, account, header, body)
	if errors.Is(err, processor.ErrUnsupported) || errors.Is(err, processor.ErrNoAccount) {
		return errors.Join(notice.ErrNoSender, err)
	}
	return from.receive(ctx, messages, err)
}

// GrantNotice verifies and stores a notice of the provider of donor-advised funds, as [Service.Notice] does.
func (s *Service) GrantNotice(ctx context.Context, name string, header http.Header, body []byte) error {
	if name != s.daf.Name() {
		return notice.ErrNoSender
	}
	messages, err := s.daf.Notice(ctx, header, body)
	return s.grants.receive(ctx, messages, err)
}

// Feeds are the names of the inboxes.
func (s *Service) Feeds() []string {
	var names []string
	for _, from := range s.sources() {
		names = append(names, from.box.Name())
	}
	slices.Sort(names)
	return names
}

// Run stores what is new and handles a batch of what is due, of each counterparty, and returns how many messages it
// stored or handled. Counterparties run in parallel: one that hangs or fails delays no other.
func (s *Service) Run(ctx context.Context) (int, error) {
	sources := s.sources()
	counts, errs := make([]int, len(sources)), make([]error, len(sources))
	var all sync.WaitGroup
	for i, from := range sources {
		all.Go(func() { counts[i], errs[i] = guarded(ctx, from.run) })
	}
	all.Wait()
	n := 0
	for _, count := range counts {
		n += count
	}
	return n, errors.Join(errs...)
}

// Drain stores and handles messages until no source has a new one, and waits while other workers handle theirs. It
// leaves failed messages to their retry.
func (s *Service) Drain(ctx context.Context) error {
	for {
		n, err := s.Run(ctx)
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		busy, err := s.busy(ctx)
		if err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(drainPause):
		}
	}
}

// drainPause is how long Drain waits between checks.
const drainPause = 20 * time.Millisecond

// busy reports whether another worker is handling a message.
func (s *Service) busy(ctx context.Context) (bool, error) {
	for _, from := range s.sources() {
		if busy, err := from.box.Busy(ctx); err != nil || busy {
			return busy, err
		}
	}
	return false, nil
}

// sources returns all sources of messages.
func (s *Service) sources() []source {
	all := []source{s.grants}
	for _, from := range s.processors {
		all = append(all, from)
	}
	return all
}

// guarded runs a source. A panic is an error, as it is of a job: the binary goes on, and so do the other sources.
func guarded(ctx context.Context, run func(context.Context) (int, error)) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("inbound: a counterparty's messages: panic: %v\n%s", r, debug.Stack())
		}
	}()
	return run(ctx)
}

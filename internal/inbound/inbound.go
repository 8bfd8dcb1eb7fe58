// Package inbound takes in what happens at a processor without a call of ours: debits that come
// back, disputes, payouts that arrive or fail.
//
// The feed is read by its cursor and written down first; then each event is handed to the flow that
// it concerns, in the order of arrival. Flows bear repetitions and any order: one that cannot be
// understood yet is tried again.
package inbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/crash"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

const (
	pullBatch    = 100
	handleBatch  = 50
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// worrying is after how many attempts a person should look.
	worrying = 10
)

// Handle makes of an event what it means. It bears repetitions.
type Handle func(ctx context.Context, e processor.Event) error

// Service reads a processor's feed.
type Service struct {
	pool      *pgxpool.Pool
	processor processor.Processor
	machine   func() time.Time
	handlers  map[processor.EventKind]Handle
}

// New makes a reader whose events nobody handles yet.
func New(pool *pgxpool.Pool, p processor.Processor, machine func() time.Time) *Service {
	return &Service{pool: pool, processor: p, machine: machine, handlers: make(map[processor.EventKind]Handle)}
}

// On sets who handles events of a kind. It is called while the service is wired.
func (s *Service) On(kind processor.EventKind, h Handle) { s.handlers[kind] = h }

// Run takes in what is new and handles a batch of what is due, and tells how many events it wrote
// down or handled.
func (s *Service) Run(ctx context.Context) (int, error) {
	pulled, pullErr := s.pull(ctx)
	handled, err := s.handle(ctx) // also while the feed cannot be read
	return pulled + handled, errors.Join(pullErr, err)
}

// pull writes down the feed's next events. Two readers at once write each event once, and the cursor
// never goes back.
func (s *Service) pull(ctx context.Context) (int, error) {
	name := s.processor.Name()
	cursors, err := pg.All[cursor](ctx, s.pool, `SELECT cursor FROM processor_feeds WHERE processor = @name`, pg.Args{"name": name})
	if err != nil {
		return 0, err
	}
	after := ""
	if len(cursors) > 0 {
		after = cursors[0].Cursor
	}
	events, err := s.processor.Events(ctx, after, pullBatch)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	crash.Point("inbound.pulled")
	return len(events), pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		moved, err := tx.Exec(ctx, `
			INSERT INTO processor_feeds AS f (processor, cursor) VALUES (@name, @last)
			ON CONFLICT (processor) DO UPDATE SET cursor = excluded.cursor WHERE f.cursor = @after`,
			pg.Args{"name": name, "last": events[len(events)-1].ID, "after": after})
		if err != nil || moved == 0 { // another reader was quicker
			return err
		}
		now := s.machine()
		for _, e := range events {
			tx.Later(`
				INSERT INTO processor_events (processor, id, kind, account, body, next_attempt_at, received_at)
				VALUES (@name, @id, @kind, @account, @body, @now, @now) ON CONFLICT DO NOTHING`,
				pg.Args{"name": name, "id": e.ID, "kind": e.Kind, "account": e.Account, "body": e, "now": now})
		}
		return nil
	})
}

type cursor struct {
	Cursor string `db:"cursor"`
}

type stored struct {
	ID       string          `db:"id"`
	Attempts int             `db:"attempts"`
	Body     processor.Event `db:"body"`
}

// handle leases a batch of events and hands each to its flow.
func (s *Service) handle(ctx context.Context) (int, error) {
	due, err := pg.All[stored](ctx, s.pool, `
		WITH due AS (
			SELECT processor, id, number FROM processor_events
			WHERE handled_at IS NULL AND next_attempt_at <= @now AND processor = @name
			ORDER BY next_attempt_at, number LIMIT @batch FOR UPDATE SKIP LOCKED
		), leased AS (
			UPDATE processor_events e SET attempts = e.attempts + 1,
				next_attempt_at = @now + least(@first::interval * power(2, least(e.attempts, 12)), @longest::interval)
			FROM due WHERE e.processor = due.processor AND e.id = due.id
			RETURNING e.id, e.attempts, e.body, e.number
		) SELECT id, attempts, body FROM leased ORDER BY number`,
		pg.Args{"now": s.machine(), "name": s.processor.Name(), "batch": handleBatch, "first": firstPause, "longest": longestPause})
	if err != nil {
		return 0, err
	}
	done := 0
	var errs []error
	for _, d := range due {
		if err := s.handleOne(ctx, d); err != nil {
			errs = append(errs, err)
			continue
		}
		done++
	}
	if len(errs) > 0 {
		slog.WarnContext(ctx, "events of the processor wait for another try", "count", len(errs), "error", errors.Join(errs...).Error())
	}
	return done, ctx.Err()
}

func (s *Service) handleOne(ctx context.Context, d stored) error {
	h, ok := s.handlers[d.Body.Kind]
	if !ok {
		return fmt.Errorf("inbound: nobody handles %s", d.Body.Kind)
	}
	if err := h(ctx, d.Body); err != nil {
		if d.Attempts == worrying {
			slog.ErrorContext(ctx, "an event of the processor cannot be understood", "event", d.ID, "kind", string(d.Body.Kind), "error", err.Error())
		}
		return fmt.Errorf("inbound: %s: %w", d.ID, err)
	}
	crash.Point("inbound.handled")
	_, err := pg.Exec(ctx, s.pool, `UPDATE processor_events SET handled_at = @now WHERE processor = @name AND id = @id`,
		pg.Args{"now": s.machine(), "name": s.processor.Name(), "id": d.ID})
	return err
}

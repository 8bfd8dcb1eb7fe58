package inbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

const (
	pullBatch    = 100
	handleBatch  = 50
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	readTimeout  = 10 * time.Second // of one page of what is new
	// worrying is after how many attempts a person should look.
	worrying = 10
)

// Handle makes of an event what it means. It bears repetitions.
type Handle[E any] func(ctx context.Context, e E) error

// Feed is what one counterparty tells. E is an event as its port has it.
type Feed[E any] struct {
	name     string // in the database
	point    string // begins the names of its crash points
	pool     *pgxpool.Pool
	machine  func() time.Time
	events   func(ctx context.Context, after string, limit int) ([]E, error)
	patience time.Duration // with one answer
	of       func(E) entry
	handlers map[string]Handle[E]
}

// entry is what the rows of events of any feed have.
type entry struct{ id, kind, account string }

// on sets who handles events of a kind. It is called while the service is wired.
func (f *Feed[E]) on(kind string, h Handle[E]) { f.handlers[kind] = h }

// Run takes in what is new and handles a batch of what is due, and says how many events it wrote
// down or handled.
func (f *Feed[E]) Run(ctx context.Context) (int, error) {
	pulled, pullErr := f.pull(ctx)
	handled, err := f.handle(ctx) // also while the feed cannot be read
	return pulled + handled, errors.Join(pullErr, err)
}

// pull writes down the feed's next events. Two readers at once write each event once, and the cursor
// never goes back.
func (f *Feed[E]) pull(ctx context.Context) (int, error) {
	cursors, err := pg.All[cursor](ctx, f.pool, `SELECT cursor FROM inbound_feeds WHERE feed = @name`,
		pg.Args{"name": f.name})
	if err != nil {
		return 0, err
	}
	after := ""
	if len(cursors) > 0 {
		after = cursors[0].Cursor
	}
	events, err := f.read(ctx, after)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	crash.Point(f.point + ".pulled")
	return len(events), pg.InTx(ctx, f.pool, func(tx *pg.Tx) error {
		moved, err := tx.Exec(ctx, `
			INSERT INTO inbound_feeds AS f (feed, cursor) VALUES (@name, @last)
			ON CONFLICT (feed) DO UPDATE SET cursor = excluded.cursor WHERE f.cursor = @after`,
			pg.Args{"name": f.name, "last": f.of(events[len(events)-1]).id, "after": after})
		if err != nil || moved == 0 { // another reader was quicker
			return err
		}
		for _, e := range events {
			f.storeTx(tx, e)
		}
		return nil
	})
}

// read asks the counterparty, who may be silent: what it told before is handled all the same.
func (f *Feed[E]) read(ctx context.Context, after string) ([]E, error) {
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	return f.events(ctx, after, pullBatch)
}

// Receive writes down an event of which a notice tells, whose signature fits. One that is there already stays as it
// is; the cursor stays where it is.
func (f *Feed[E]) Receive(ctx context.Context, e E) error {
	return pg.InTx(ctx, f.pool, func(tx *pg.Tx) error {
		f.storeTx(tx, e)
		return nil
	})
}

// storeTx queues an event to be handled.
func (f *Feed[E]) storeTx(tx *pg.Tx, e E) {
	is := f.of(e)
	tx.Later(`
		INSERT INTO inbound_events (feed, id, kind, account, body, next_attempt_at, received_at)
		VALUES (@name, @id, @kind, @account, @body, @now, @now) ON CONFLICT DO NOTHING`,
		pg.Args{"name": f.name, "id": is.id, "kind": is.kind, "account": is.account, "body": e, "now": f.machine()})
}

type cursor struct {
	Cursor string `db:"cursor"`
}

type stored[E any] struct {
	ID       string `db:"id"`
	Kind     string `db:"kind"`
	Attempts int    `db:"attempts"`
	Body     E      `db:"body"`
}

// handle leases a batch of events and hands each to its flow.
func (f *Feed[E]) handle(ctx context.Context) (int, error) {
	due, err := pg.All[stored[E]](ctx, f.pool, `
		WITH due AS (
			SELECT feed, id, number FROM inbound_events
			WHERE handled_at IS NULL AND next_attempt_at <= @now AND feed = @name
			ORDER BY next_attempt_at, number LIMIT @batch FOR UPDATE SKIP LOCKED
		), leased AS (
			UPDATE inbound_events e SET attempts = e.attempts + 1,
				next_attempt_at = @now + least(@first::interval * power(2, least(e.attempts, 12)), @longest::interval)
			FROM due WHERE e.feed = due.feed AND e.id = due.id
			RETURNING e.id, e.kind, e.attempts, e.body, e.number
		) SELECT id, kind, attempts, body FROM leased ORDER BY number`,
		pg.Args{"now": f.machine(), "name": f.name, "batch": handleBatch, "first": firstPause, "longest": longestPause})
	if err != nil {
		return 0, err
	}
	done := 0
	var errs []error
	for _, d := range due {
		if err := f.handleOne(ctx, d); err != nil {
			errs = append(errs, err)
			continue
		}
		done++
	}
	if len(errs) > 0 {
		slog.WarnContext(ctx, "events of a counterparty wait for another try", "feed", f.name, "count", len(errs),
			"error", errors.Join(errs...).Error())
	}
	return done, ctx.Err()
}

func (f *Feed[E]) handleOne(ctx context.Context, d stored[E]) error {
	h, ok := f.handlers[d.Kind]
	if !ok {
		return fmt.Errorf("inbound: no handler for %s of %s", d.Kind, f.name)
	}
	if err := h(ctx, d.Body); err != nil {
		if d.Attempts == worrying {
			slog.ErrorContext(ctx, "an event of a counterparty cannot be understood", "feed", f.name,
				"event", d.ID, "kind", d.Kind, "error", err.Error())
		}
		return fmt.Errorf("inbound: %s: %w", d.ID, err)
	}
	crash.Point(f.point + ".handled")
	_, err := pg.Exec(ctx, f.pool, `UPDATE inbound_events SET handled_at = @now WHERE feed = @name AND id = @id`,
		pg.Args{"now": f.machine(), "name": f.name, "id": d.ID})
	return err
}

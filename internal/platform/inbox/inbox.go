// Package inbox keeps what counterparties report until it is handled.
//
// A message is stored before anything is made of it: once for each counterparty, account and id, whether it was
// sent to us, read from a feed, or both. Then it is handed to its handler in the order of arrival, again and again
// until the handler returns no error. Handlers accept duplicates and any order, so messages can be handled again at any
// time (see [Service.Replay]). Handled messages are kept for [Retention].
package inbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

const (
	pullBatch    = 100
	handleBatch  = 50
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// worrying is after how many attempts someone should look.
	worrying = 10
	// seenEvery is how often it is recorded that a counterparty was heard.
	seenEvery = 30 * time.Second
	// longestFailure is how much of an error is kept, in characters.
	longestFailure = 500
)

// Box has the messages of one counterparty.
type Box struct {
	name    string // in the database, such as processor/sandbox
	point   string // begins the names of its crash points
	pool    *pgxpool.Pool
	machine func() time.Time
	// Patience is how long one read of the feed may take.
	Patience time.Duration
	refused  atomic.Int64 // when a refusal was last recorded here, in Unix seconds
}

// NewBox opens the box of a counterparty. Its crash points begin with point.
func NewBox(pool *pgxpool.Pool, machine func() time.Time, name, point string) *Box {
	return &Box{name: name, point: point, pool: pool, machine: machine, Patience: 10 * time.Second}
}

// Name is the box's name in the database.
func (b *Box) Name() string { return b.name }

// Read returns the messages of a feed after the one of that id ("" for all), oldest first, at most limit.
type Read func(ctx context.Context, after string, limit int) ([]notice.Message, error)

// Pull stores the next messages of the counterparty's feed and returns how many it read. Two readers at once store each
// message once, and the cursor never goes back.
func (b *Box) Pull(ctx context.Context, read Read) (int, error) {
	state, err := b.state(ctx)
	if err != nil {
		return 0, err
	}
	messages, err := b.read(ctx, read, state.Cursor)
	if err != nil {
		return 0, errors.Join(err, b.noteFailure(ctx, err))
	}
	if len(messages) == 0 {
		return 0, b.noteRead(ctx, state)
	}
	crash.Point(b.point + ".pulled")
	return len(messages), pg.InTx(ctx, b.pool, func(tx *pg.Tx) error {
		moved, err := tx.Exec(ctx, `
			INSERT INTO inbound_feeds AS f (feed, cursor, read_at) VALUES (@name, @last, @now)
			ON CONFLICT (feed) DO UPDATE SET cursor = excluded.cursor, read_at = excluded.read_at, failure = ''
				WHERE f.cursor = @after`,
			pg.Args{"name": b.name, "last": messages[len(messages)-1].ID, "after": state.Cursor, "now": b.machine()})
		if err != nil || moved == 0 { // another reader was faster
			return err
		}
		b.storeTx(tx, "feed", messages)
		return nil
	})
}

// feedState is how far a feed was read.
type feedState struct {
	Cursor string     `db:"cursor"`
	ReadAt *time.Time `db:"read_at"`
}

func (b *Box) state(ctx context.Context) (feedState, error) {
	rows, err := pg.All[feedState](ctx, b.pool, `SELECT cursor, read_at FROM inbound_feeds WHERE feed = @name`,
		pg.Args{"name": b.name})
	if err != nil || len(rows) == 0 {
		return feedState{}, err
	}
	return rows[0], nil
}

// read asks the counterparty, which may never answer: what it reported before is handled all the same.
func (b *Box) read(ctx context.Context, read Read, after string) ([]notice.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, b.Patience)
	defer cancel()
	return read(ctx, after, pullBatch)
}

// noteRead records, now and then, that the feed was read and had nothing new.
func (b *Box) noteRead(ctx context.Context, state feedState) error {
	now := b.machine()
	if state.ReadAt != nil && now.Sub(*state.ReadAt) < seenEvery {
		return nil
	}
	_, err := pg.Exec(ctx, b.pool, `
		INSERT INTO inbound_feeds (feed, cursor, read_at) VALUES (@name, '', @now)
		ON CONFLICT (feed) DO UPDATE SET read_at = excluded.read_at, failure = ''`, pg.Args{"name": b.name, "now": now})
	return err
}

// noteFailure records, now and then, that the feed could not be read.
func (b *Box) noteFailure(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return nil
	}
	_, err := pg.Exec(ctx, b.pool, `
		INSERT INTO inbound_feeds AS f (feed, cursor, failed_at, failure)
			VALUES (@name, '', @now, left(@failure, @longest))
		ON CONFLICT (feed) DO UPDATE SET failed_at = excluded.failed_at, failure = excluded.failure
			WHERE f.failure = '' OR f.failed_at < @before`,
		pg.Args{"name": b.name, "now": b.machine(), "failure": cause.Error(), "longest": longestFailure,
			"before": b.machine().Add(-seenEvery)})
	return err
}

// Receive stores messages that the counterparty sent, whose signature was checked. Those that are stored already stay
// as they are, and so does the feed's cursor.
func (b *Box) Receive(ctx context.Context, messages []notice.Message) error {
	return pg.InTx(ctx, b.pool, func(tx *pg.Tx) error {
		b.storeTx(tx, "notice", messages)
		tx.Later(`
			INSERT INTO inbound_feeds AS f (feed, cursor, noticed_at) VALUES (@name, '', @now)
			ON CONFLICT (feed) DO UPDATE SET noticed_at = excluded.noticed_at
				WHERE f.noticed_at IS NULL OR f.noticed_at < @before`,
			pg.Args{"name": b.name, "now": b.machine(), "before": b.machine().Add(-seenEvery)})
		return nil
	})
}

// Refuse records, now and then, that a notice was refused because its signature is wrong or it cannot be read. Anyone
// can send such a request, so most of them do not reach the database.
func (b *Box) Refuse(ctx context.Context) error {
	now := b.machine()
	last := b.refused.Load()
	if now.Sub(time.Unix(last, 0)) < seenEvery || !b.refused.CompareAndSwap(last, now.Unix()) {
		return nil
	}
	_, err := pg.Exec(ctx, b.pool, `
		INSERT INTO inbound_feeds (feed, cursor, refused_at) VALUES (@name, '', @now)
		ON CONFLICT (feed) DO UPDATE SET refused_at = excluded.refused_at`, pg.Args{"name": b.name, "now": now})
	return err
}

// storeTx queues messages to be handled.
func (b *Box) storeTx(tx *pg.Tx, source string, messages []notice.Message) {
	for _, m := range messages {
		tx.Later(`
			INSERT INTO inbound_events (feed, id, kind, account, body, source, next_attempt_at, received_at)
			VALUES (@name, @id, @kind, @account, @body, @source, @now, @now) ON CONFLICT DO NOTHING`,
			pg.Args{"name": b.name, "id": m.ID, "kind": m.Kind, "account": m.Account, "body": storable(m.Body),
				"source": source, "now": b.machine()})
	}
}

// storable is a body that PostgreSQL takes: jsonb refuses characters that JSON has, U+0000 and halves of surrogate
// pairs, and a message that cannot be stored would stop its feed. They become U+FFFD.
func storable(body json.RawMessage) json.RawMessage {
	if !bytes.Contains(body, []byte(`\u`)) {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body)) // which replaces halves of pairs
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return body
	}
	text, err := json.Marshal(printable(value))
	if err != nil {
		return body
	}
	return text
}

// printable is a JSON value without U+0000.
func printable(value any) any {
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "\uFFFD")
	case []any:
		for i := range v {
			v[i] = printable(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[strings.ReplaceAll(name, "\x00", "\uFFFD")] = printable(member)
		}
		return out
	}
	return value
}

// stored is a message that was leased.
type stored struct {
	ID       string `db:"id"`
	Kind     string `db:"kind"`
	Account  string `db:"account"`
	Body     []byte `db:"body"`
	Attempts int    `db:"attempts"`
}

func (s stored) message() notice.Message {
	return notice.Message{ID: s.ID, Kind: s.Kind, Account: s.Account, Body: s.Body}
}

// Handle passes messages that are due to the handler, each after it has leased it, and returns how many were handled.
// The others are tried again later. A server that dies delays only the message that it was handling.
func (b *Box) Handle(ctx context.Context, handle func(ctx context.Context, m notice.Message) error) (int, error) {
	done := 0
	var errs []error
	for range handleBatch {
		d, err := b.lease(ctx)
		if errors.Is(err, pg.ErrNone) {
			break
		}
		if err != nil {
			return done, errors.Join(append(errs, err)...)
		}
		if err := b.handleOne(ctx, d, handle); err != nil {
			errs = append(errs, err)
			continue
		}
		done++
	}
	if len(errs) > 0 {
		slog.WarnContext(ctx, "inbound messages could not be handled and are retried", "feed", b.name, "count",
			len(errs), "error", errors.Join(errs...).Error())
	}
	return done, ctx.Err()
}

// lease counts an attempt for the next message that is due, and makes it due again later, in case this server dies.
// It returns pg.ErrNone if none is due.
func (b *Box) lease(ctx context.Context) (stored, error) {
	return pg.One[stored](ctx, b.pool, `
		WITH due AS (
			SELECT feed, account, id FROM inbound_events
			WHERE handled_at IS NULL AND next_attempt_at <= @now AND feed = @name
			ORDER BY next_attempt_at, number LIMIT 1 FOR UPDATE SKIP LOCKED
		)
		UPDATE inbound_events e SET attempts = e.attempts + 1,
			next_attempt_at = @now + least(@first::interval * power(2, least(e.attempts, 12)), @longest::interval)
		FROM due WHERE e.feed = due.feed AND e.account = due.account AND e.id = due.id
		RETURNING e.id, e.kind, e.account, e.attempts, e.body`,
		pg.Args{"now": b.machine(), "name": b.name, "first": firstPause, "longest": longestPause})
}

// guarded passes a message to its handler. A panic is an error: other messages go on.
func guarded(ctx context.Context, m notice.Message,
	handle func(ctx context.Context, m notice.Message) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("inbox: panic: %v\n%s", r, debug.Stack())
		}
	}()
	return handle(ctx, m)
}

// Busy reports whether another worker is handling a message now.
func (b *Box) Busy(ctx context.Context) (bool, error) {
	return pg.Value[bool](ctx, b.pool, `
		SELECT EXISTS (SELECT FROM inbound_events
			WHERE feed = @name AND handled_at IS NULL AND attempts > 0 AND failure = '' AND next_attempt_at > @now)`,
		pg.Args{"name": b.name, "now": b.machine()})
}

func (b *Box) handleOne(ctx context.Context, d stored, handle func(ctx context.Context, m notice.Message) error) error {
	if err := guarded(ctx, d.message(), handle); err != nil {
		if d.Attempts == worrying {
			slog.ErrorContext(ctx, "an inbound message cannot be handled", "feed", b.name, "message", d.ID,
				"kind", d.Kind, "error", err.Error())
		}
		_, noted := pg.Exec(ctx, b.pool, `
			UPDATE inbound_events SET failure = left(@failure, @longest)
			WHERE feed = @name AND account = @account AND id = @id AND handled_at IS NULL
				AND failure <> left(@failure, @longest)`,
			pg.Args{"name": b.name, "account": d.Account, "id": d.ID, "failure": err.Error(),
				"longest": longestFailure})
		return fmt.Errorf("inbox: %s: %w", d.ID, errors.Join(err, noted))
	}
	crash.Point(b.point + ".handled")
	_, err := pg.Exec(ctx, b.pool, `
		UPDATE inbound_events SET handled_at = @now, failure = ''
		WHERE feed = @name AND account = @account AND id = @id
			AND attempts = @attempts`, // else it was leased again, or is replayed
		pg.Args{"name": b.name, "account": d.Account, "id": d.ID, "attempts": d.Attempts, "now": b.machine()})
	return err
}

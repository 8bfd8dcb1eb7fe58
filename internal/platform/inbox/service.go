package inbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
)

// Retention is how long a handled message is kept, from its arrival. Others are kept until they are handled.
const Retention = 30 * 24 * time.Hour

// Service has all boxes of a deployment.
type Service struct {
	pool    *pgxpool.Pool
	check   authz.Checker
	machine func() time.Time
}

// New opens the boxes of the deployment.
func New(pool *pgxpool.Pool, check authz.Checker, machine func() time.Time) *Service {
	return &Service{pool: pool, check: check, machine: machine}
}

// State is how a box is doing. Times are the machines', nil for never, and up to half a minute old.
type State struct {
	Feed      string     `db:"feed"`       // the box's name
	ReadAt    *time.Time `db:"read_at"`    // when the feed was last read
	NoticedAt *time.Time `db:"noticed_at"` // when a signed notice last came
	RefusedAt *time.Time `db:"refused_at"` // when a notice was last refused
	FailedAt  *time.Time `db:"failed_at"`  // when the feed last could not be read
	Failure   string     `db:"failure"`    // why it cannot be read; "" if it can
	Waiting   int64      `db:"waiting"`    // messages that are not handled
	Retried   int64      `db:"retried"`    // those of them that failed at least once
	Oldest    *time.Time `db:"oldest"`     // arrival of the first of them
}

// States returns how each box is doing, by name.
func (s *Service) States(ctx context.Context, actor authz.Actor) ([]State, error) {
	if err := s.check.Check(actor, authz.SystemRead); err != nil {
		return nil, err
	}
	return pg.All[State](ctx, s.pool, `
		SELECT f.feed, f.read_at, f.noticed_at, f.refused_at, f.failed_at, f.failure, coalesce(w.waiting, 0) AS waiting,
			coalesce(w.retried, 0) AS retried, w.oldest
		FROM inbound_feeds f LEFT JOIN (
			SELECT feed, count(*) AS waiting, count(*) FILTER (WHERE failure <> '') AS retried,
				min(received_at) AS oldest
			FROM inbound_events WHERE handled_at IS NULL GROUP BY feed) w USING (feed)
		ORDER BY f.feed`, pg.Args{})
}

// Failed is a message that could not be handled yet.
type Failed struct {
	Feed       string    `db:"feed"`
	Number     int64     `db:"number"`
	ID         string    `db:"id"`
	Kind       string    `db:"kind"`
	Account    string    `db:"account"`
	Source     string    `db:"source"` // feed or notice
	ReceivedAt time.Time `db:"received_at"`
	Attempts   int       `db:"attempts"`
	Failure    string    `db:"failure"`
}

// Failed returns the messages that could not be handled yet, the oldest first, at most limit.
func (s *Service) Failed(ctx context.Context, actor authz.Actor, limit int) ([]Failed, error) {
	if err := s.check.Check(actor, authz.SystemRead); err != nil {
		return nil, err
	}
	return pg.All[Failed](ctx, s.pool, `
		SELECT feed, number, id, kind, account, source, received_at, attempts, failure
		FROM inbound_events WHERE handled_at IS NULL AND failure <> ''
			ORDER BY number LIMIT @limit`, pg.Args{"limit": limit})
}

// replayBatch is about how many messages one statement of a replay may have.
const replayBatch = 2000

// Replay has the messages of a box ("" for all) that arrived at or after a time handled again, and those that wait
// handled at once. Those that an operator closed by hand stay closed: they keep the reason why they could not be
// handled. Replay returns how many messages there are.
func (s *Service) Replay(ctx context.Context, feed string, since time.Time) (n int64, err error) {
	for {
		next, err := pg.Column[time.Time](ctx, s.pool, `
			SELECT received_at FROM inbound_events WHERE received_at > @since
				ORDER BY received_at OFFSET @batch LIMIT 1`,
			pg.Args{"since": since, "batch": replayBatch})
		if err != nil {
			return n, err
		}
		var until *time.Time // of the last batch there is no end
		if len(next) > 0 {
			until = &next[0]
		}
		replayed, err := pg.Exec(ctx, s.pool, `
			UPDATE inbound_events SET handled_at = NULL, attempts = 0, failure = '', next_attempt_at = @now
			WHERE received_at >= @since AND (@until::timestamptz IS NULL OR received_at < @until)
				AND (@feed = '' OR feed = @feed) AND (handled_at IS NULL OR failure = '')`,
			pg.Args{"feed": feed, "since": since, "until": until, "now": s.machine()})
		n += replayed
		if err != nil || until == nil {
			return n, err
		}
		since = *until
	}
}

// Names returns the names of the boxes that exist.
func (s *Service) Names(ctx context.Context) ([]string, error) {
	return pg.Column[string](ctx, s.pool, `SELECT feed FROM inbound_feeds ORDER BY feed`, pg.Args{})
}

// Purge deletes a batch of handled messages that are older than [Retention] and returns how many it deleted.
func (s *Service) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.pool, `
		DELETE FROM inbound_events WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM inbound_events WHERE received_at <= @before AND handled_at IS NOT NULL
			ORDER BY received_at LIMIT @batch FOR UPDATE SKIP LOCKED))`,
		pg.Args{"before": s.machine().Add(-Retention), "batch": pg.PurgeBatch})
}

package ratelimit

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// Bound is how often something may happen within any while of a length. It is counted in the database, so that all
// binaries count together and a restart forgets nothing.
type Bound struct {
	What   string
	Most   int
	Within time.Duration
}

// LockTx says how often it may still happen to what the key names. Anyone who else asks waits for the end of the
// transaction: what is counted in it cannot be outrun by many at once.
func (b Bound) LockTx(ctx context.Context, tx *pg.Tx, applicationID int64, key []byte, now time.Time) (int, error) {
	return pg.Value[int](ctx, tx, `
		INSERT INTO counted_acts AS c (application_id, what, key, ends_at) VALUES (@application_id, @what, @key, @now)
		ON CONFLICT (application_id, what, key) DO UPDATE SET ends_at = c.ends_at
		RETURNING @most::int - (SELECT count(*)::int FROM unnest(c.times) AS t WHERE t > @old)`,
		pg.Args{"application_id": applicationID, "what": b.What, "key": key, "now": now, "old": now.Add(-b.Within),
			"most": b.Most})
}

// CountTx queues that it happened again, after [Bound.LockTx] in the same transaction.
func (b Bound) CountTx(tx *pg.Tx, applicationID int64, key []byte, now time.Time) {
	tx.Later(`
		UPDATE counted_acts SET times = (ARRAY[@now::timestamptz] || times)[:@most::int], ends_at = @ends
		WHERE application_id = @application_id AND what = @what AND key = @key`,
		pg.Args{"now": now, "most": b.Most, "ends": now.Add(b.Within), "application_id": applicationID, "what": b.What,
			"key": key})
}

// UncountTx queues that something which was counted at that time does not count after all.
func (b Bound) UncountTx(tx *pg.Tx, applicationID int64, key []byte, at time.Time) {
	tx.Later(`
		UPDATE counted_acts
			SET times = times[:array_position(times, @at::timestamptz) - 1] || times[array_position(times,
				@at::timestamptz) + 1:]
		WHERE application_id = @application_id AND what = @what AND key = @key AND @at::timestamptz = ANY (times)`,
		pg.Args{"at": at, "application_id": applicationID, "what": b.What, "key": key})
}

// Left says how often it may still happen, to someone who only wants to know.
func (b Bound) Left(ctx context.Context, q pg.Querier, applicationID int64, key []byte, now time.Time) (int, error) {
	return pg.Value[int](ctx, q, `
		SELECT @most::int - count(*)::int FROM counted_acts AS c, unnest(c.times) AS t
		WHERE c.application_id = @application_id AND c.what = @what AND c.key = @key AND t > @old`,
		pg.Args{"most": b.Most, "application_id": applicationID, "what": b.What, "key": key, "old": now.Add(-b.Within)})
}

// NextTx returns how long it takes until it may happen again, after [Bound.LockTx] found that none is left.
func (b Bound) NextTx(ctx context.Context, tx *pg.Tx, applicationID int64, key []byte,
	now time.Time) (time.Duration, error) {
	oldest, err := pg.Value[time.Time](ctx, tx, `
		SELECT coalesce(min(t), @now) FROM counted_acts AS c, unnest(c.times) AS t
		WHERE c.application_id = @application_id AND c.what = @what AND c.key = @key AND t > @old`,
		pg.Args{"application_id": applicationID, "what": b.What, "key": key, "now": now, "old": now.Add(-b.Within)})
	return oldest.Add(b.Within).Sub(now), err
}

// Purge forgets a batch of what happened too long ago to count and says how many rows that were. A row that counts
// again by the time that it is reached stays.
func Purge(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int64, error) {
	return pg.Exec(ctx, pool, `
		DELETE FROM counted_acts WHERE ends_at <= @now AND (application_id, what, key) IN (
			SELECT application_id, what, key FROM counted_acts WHERE ends_at <= @now LIMIT @batch)`,
		pg.Args{"now": now, "batch": pg.PurgeBatch})
}

// keptTimes is how many times a row remembers at least, for bounds that change.
const keptTimes = 64

// Take counts that something happened, unless it happened too often, and reports whether it counted. It is one
// statement of its own, so parallel calls can't exceed the bound.
func (b Bound) Take(ctx context.Context, pool *pgxpool.Pool, applicationID int64, key []byte,
	now time.Time) (bool, error) {
	n, err := pg.Exec(ctx, pool, `
		INSERT INTO counted_acts AS c (application_id, what, key, times, ends_at)
		VALUES (@application_id, @what, @key, ARRAY[@now::timestamptz], @ends)
		ON CONFLICT (application_id, what, key) DO UPDATE SET ends_at = @ends,
			times = (ARRAY[@now::timestamptz] || c.times)[:greatest(@most::int, @kept::int)]
		WHERE (c.times[@most::int] > @old) IS NOT TRUE`,
		pg.Args{"application_id": applicationID, "what": b.What, "key": key, "now": now, "ends": now.Add(b.Within),
			"most": b.Most, "kept": keptTimes, "old": now.Add(-b.Within)})
	return n == 1, err
}

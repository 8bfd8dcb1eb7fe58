package ratelimit

import (
	"context"
	"time"

	"svcpay/internal/platform/pg"
)

// Quota is how many bytes of a kind an application may store on a day (UTC). They are counted in the database, so that
// all binaries count together.
type Quota struct {
	Kind string
	Most int64
}

// stored is the sum of the day of a row s that exists. A binary whose clock is a day behind counts in the later day.
const stored = `CASE WHEN s.day >= @day::date THEN s.bytes ELSE 0 END`

// add counts bytes and replaces the sum of an earlier day.
const add = `
	INSERT INTO stored_bytes AS s (application_id, kind, day, bytes, most)
	VALUES (@application_id, @kind, @day::date, @bytes, @most)
	ON CONFLICT (application_id, kind) DO UPDATE SET day = greatest(s.day, @day::date),
		bytes = ` + stored + ` + @bytes, most = @most`

func (q Quota) args(applicationID, bytes int64, now time.Time) pg.Args {
	return pg.Args{"application_id": applicationID, "kind": q.Kind, "day": dayOf(now), "bytes": bytes, "most": q.Most}
}

// TakeTx counts bytes if the quota has room for them, and reports whether it has. Other callers for the same
// application wait for the end of the transaction, so parallel ones cannot exceed the quota. bytes is at most Most.
func (q Quota) TakeTx(ctx context.Context, tx *pg.Tx, applicationID, bytes int64, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, add+` WHERE `+stored+` + @bytes <= @most`, q.args(applicationID, bytes, now))
	return n == 1, err
}

// AddTx queues that bytes are counted, whether there is room for them or not.
func (q Quota) AddTx(tx *pg.Tx, applicationID, bytes int64, now time.Time) {
	tx.Later(add, q.args(applicationID, bytes, now))
}

// Left returns how many bytes the application may still store today; it is negative after [Quota.AddTx] exceeded the
// quota.
func (q Quota) Left(ctx context.Context, from pg.Querier, applicationID int64, now time.Time) (int64, error) {
	return pg.Value[int64](ctx, from, `
		SELECT @most::bigint - coalesce(sum(bytes), 0)::bigint FROM stored_bytes
		WHERE application_id = @application_id AND kind = @kind AND day >= @day::date`,
		pg.Args{"application_id": applicationID, "kind": q.Kind, "day": dayOf(now), "most": q.Most})
}

// UntilNextDay returns the time until quotas begin again.
func UntilNextDay(now time.Time) time.Duration { return dayOf(now).Add(24 * time.Hour).Sub(now) }

func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Question is a query that is not asked yet: by itself, or beside another that does not depend on it.
type Question[T any] struct {
	pool *pgxpool.Pool
	sql  string
	args Args
	how  []any // options that say how it is planned; nil: as queries are
	read func(pgx.Rows) (T, error)
}

// Answer asks the question by itself.
func (q Question[T]) Answer(ctx context.Context) (T, error) {
	return collect(ctx, q.pool, q.sql, q.args, q.read, q.how...)
}

// Both asks two questions of one pool in one journey. One that is planned for its arguments cannot go with another, and the
// two are asked one after the other.
func Both[A, B any](ctx context.Context, a Question[A], b Question[B]) (of A, beside B, err error) {
	if a.how != nil || b.how != nil {
		if of, err = a.Answer(ctx); err == nil {
			beside, err = b.Answer(ctx)
		}
		return of, beside, err
	}
	conn, err := acquire(ctx, a.pool)
	if err != nil {
		return of, beside, err
	}
	defer conn.Release()
	batch := new(pgx.Batch)
	askBeside(batch, a, &of)
	askBeside(batch, b, &beside)
	err = conn.SendBatch(ctx, batch).Close()
	return of, beside, err
}

func askBeside[T any](batch *pgx.Batch, q Question[T], into *T) {
	batch.Queue(q.sql, q.args).Query(func(rows pgx.Rows) (err error) {
		*into, err = q.read(rows)
		return err
	})
}

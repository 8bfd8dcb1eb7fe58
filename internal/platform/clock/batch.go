package clock

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// Batch is a sweep's work on records that become due, all of one batch in one transaction.
type Batch[R, K any] struct {
	// Due locks the records that are due, limit at most, but for some.
	Due func(ctx context.Context, tx *pg.Tx, limit int, except []K) ([]R, error)
	// Key is what a record is told from others by.
	Key func(R) K
	// Do does what is due.
	Do func(ctx context.Context, tx *pg.Tx, due []R) error
}

// Run does a batch of size records and says how many were done. When that fails, and it may be one record's
// fault, each has a transaction of its own: one that cannot be done keeps no other waiting. It is told, and due
// the next time again.
func (b Batch[R, K]) Run(ctx context.Context, pool *pgxpool.Pool, size int) (int, error) {
	all, err := b.once(ctx, pool, size, []K{})
	if len(all) == 0 || !pg.OfOneRow(err) {
		return done(all, err), err
	}
	n, except, errs := 0, []K{}, []error(nil)
	for range all {
		one, err := b.once(ctx, pool, 1, except)
		if len(one) == 0 {
			return n, errors.Join(append(errs, err)...)
		}
		n += done(one, err)
		if err != nil {
			errs, except = append(errs, err), append(except, b.Key(one[0]))
		}
		if err != nil && !pg.OfOneRow(err) {
			break
		}
	}
	return n, errors.Join(errs...)
}

// once says which records it did, or could not do.
func (b Batch[R, K]) once(ctx context.Context, pool *pgxpool.Pool, limit int, except []K) (due []R, err error) {
	err = pg.InTx(ctx, pool, func(tx *pg.Tx) (err error) {
		if due, err = b.Due(ctx, tx, limit, except); err != nil || len(due) == 0 {
			return err
		}
		return b.Do(ctx, tx, due)
	})
	return due, err
}

func done[R any](rs []R, err error) int {
	if err != nil {
		return 0
	}
	return len(rs)
}

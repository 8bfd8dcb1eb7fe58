package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
)

// Split makes an error of a batch's transaction one after which its calls run one by one, because one of them may be
// the cause: unless the database is unavailable, or the outcome of the transaction is unknown.
func Split(err error) error {
	if !pg.OfOneRow(err) {
		return err
	}
	return fmt.Errorf("%w: %w", errSplit, err)
}

// InTx makes the run function of a [Batcher] from do, which handles inputs in one transaction at the times of their
// applications. confirm finds out what a transaction wrote whose commit was not acknowledged; if it is nil, each caller
// gets the error.
func InTx[In, Out any](pool *pgxpool.Pool, c *clock.Clock, application func(In) int64,
	do func(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []In) ([]Out, error),
	confirm func(ctx context.Context, ins []In, out []Out, lost error) []Out,
) func(ctx context.Context, ins []In) ([]Out, error) {
	return func(ctx context.Context, ins []In) (out []Out, err error) {
		at, err := clock.MomentsOf(ctx, c, ins, application)
		if err != nil {
			return nil, err
		}
		err = pg.InBatch(ctx, pool, func(tx *pg.Tx) (err error) {
			out, err = do(ctx, tx, at, ins)
			return err
		})
		if errors.Is(err, pg.ErrCommit) && confirm != nil {
			return confirm(ctx, ins, out, err), nil
		}
		return out, Split(err)
	}
}

package history

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// Fits reports whether a database can be given a history: whether it has no payment yet. What happened weeks ago cannot
// be added before what is there.
func Fits(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	return pg.Value[bool](ctx, pool, `SELECT NOT EXISTS (SELECT FROM charges)`, pg.Args{})
}

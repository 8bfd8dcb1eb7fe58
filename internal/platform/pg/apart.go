package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	apartTimeout = 2 * time.Second // of a statement
	apartPart    = 4               // a quarter of the connections of [Open]
	apartFewest  = 2
)

// OpenApart connects to url as [Open] does, with a quarter of its connections in addition, for statements whose cost
// grows with a tenant's data. However many of these there are, all others find the connections of Open free. They end
// after two seconds, unless the URL sets its own time-out. The first connection is made when it is needed.
func OpenApart(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns, cfg.MinConns = max(cfg.MaxConns/apartPart, apartFewest), 0
	if params := cfg.ConnConfig.RuntimeParams; params["statement_timeout"] == milliseconds(statementTimeout) {
		params["statement_timeout"] = milliseconds(apartTimeout)
	}
	return newPool(ctx, cfg)
}

type apartKey struct{}

// Apart has all statements and transactions that get the context use a pool of their own, in place of the pool that
// they name. A nil pool changes nothing.
func Apart(ctx context.Context, pool *pgxpool.Pool) context.Context {
	if pool == nil {
		return ctx
	}
	return context.WithValue(ctx, apartKey{}, pool)
}

func apartOf(ctx context.Context) *pgxpool.Pool {
	pool, _ := ctx.Value(apartKey{}).(*pgxpool.Pool)
	return pool
}

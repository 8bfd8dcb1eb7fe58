//go:build planted

package pg

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/testing/planted"
)

// postponed is what a transaction leaves for after its commit.
type postponed struct{ batch pgx.Batch }

func (p *postponed) takes(sql string, args Args) bool {
	event := planted.Is(planted.EventAfterCommit) && strings.Contains(sql, "INSERT INTO events ")
	if event {
		p.batch.Queue(sql, args)
	}
	return event
}

func (p *postponed) execute(ctx context.Context, pool *pgxpool.Pool) {
	if p.batch.Len() > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = pool.SendBatch(ctx, &p.batch).Close()
	}
}

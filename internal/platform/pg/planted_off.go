//go:build !planted

package pg

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// postponed is nothing: every statement of a transaction is part of it.
type postponed struct{}

func (*postponed) takes(string, Args) bool                { return false }
func (*postponed) execute(context.Context, *pgxpool.Pool) {}

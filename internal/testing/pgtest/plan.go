package pgtest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// PlanOf is [Plan] of a statement that was sent, with its arguments.
func PlanOf(t *testing.T, pool *pgxpool.Pool, sent Statement) string {
	t.Helper()
	return Plan(t, pool, sent.SQL, sent.Args)
}

// Plan is how the server would execute a statement with these arguments if the tables were large: it reads none of
// them from end to end that it need not.
func Plan(t *testing.T, pool *pgxpool.Pool, sql string, args pg.Args) string {
	t.Helper()
	var lines []string
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL enable_seqscan = off`); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), `EXPLAIN `+sql, pgx.QueryExecModeCacheDescribe, args)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

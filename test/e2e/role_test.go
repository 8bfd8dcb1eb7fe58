package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/localpg"
	"svcpay/internal/platform/pg"
	"svcpay/migrations"
)

// TestServersHaveARoleThatOwnsNothing: all connections of a server have the role of servers, which makes charges, and
// can neither change nor delete entries of the append-only tables, nor disable what guards them.
func TestServersHaveARoleThatOwnsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	if made, err := s.charge("key", s.order(s.token(t, approvedCard), 12500)); err != nil || made.status != 201 {
		t.Fatalf("%v, %s", err, made)
	}
	onlyOwnsNothing(t, p.url)
}

// onlyOwnsNothing checks the role of all connections of servers to a database, and what it may do there.
func onlyOwnsNothing(t *testing.T, owner string) {
	t.Helper()
	conns, err := pg.Open(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	defer conns.Close()
	roles, err := pg.Value[[]string](t.Context(), conns, `
		SELECT coalesce(array_agg(DISTINCT usename::text), '{}') FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
			AND application_name <> 'audit'`, pg.Args{})
	if err != nil || !slices.Equal(roles, []string{migrations.ServerRole}) {
		t.Errorf("servers have the roles %v, %v", roles, err)
	}
	as, err := pg.Open(t.Context(), localpg.As(migrations.ServerRole, owner))
	if err != nil {
		t.Fatal(err)
	}
	defer as.Close()
	tables, refused := migrations.AppendOnly(), 0
	for _, table := range tables {
		for _, sql := range []string{
			fmt.Sprintf(`UPDATE %s SET application_id = application_id`, table),
			fmt.Sprintf(`DELETE FROM %s`, table),
			fmt.Sprintf(`TRUNCATE %s`, table),
			fmt.Sprintf(`ALTER TABLE %s DISABLE TRIGGER USER`, table),
		} {
			if denies(t.Context(), as, sql) {
				refused++
			} else {
				t.Errorf("the role of servers may: %s", sql)
			}
		}
		if denies(t.Context(), as, fmt.Sprintf(`INSERT INTO %s SELECT * FROM %s WHERE false`, table, table)) {
			t.Errorf("the role of servers may not add to %s", table)
		}
	}
	t.Logf("%d append-only tables: %d statements refused", len(tables), refused)
}

// denies reports whether the role lacks the right to a statement.
func denies(ctx context.Context, as *pgxpool.Pool, sql string) bool {
	_, err := as.Exec(ctx, sql)
	var of *pgconn.PgError
	return errors.As(err, &of) && of.Code == "42501"
}

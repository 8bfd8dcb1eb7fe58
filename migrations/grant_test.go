package migrations_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
)

// granted makes a role of a server, which is gone when the test ends, and returns the address with it.
func granted(t *testing.T, url string) (role, as string) {
	t.Helper()
	role = "runs_" + strings.ToLower(rand.Text())
	for range 2 { // as after an upgrade
		if err := migrations.Grant(t.Context(), url, role); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(ctx) }()
		if _, err := conn.Exec(ctx, `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	return role, strings.Replace(url, "://svcpay@", "://"+role+"@", 1)
}

// isDenied reports whether the role lacked a right.
func isDenied(err error) bool {
	var of *pgconn.PgError
	return errors.As(err, &of) && of.Code == "42501"
}

// TestTheRoleOfServersCannotChangeWhatIsAppendOnly walks all tables. A server's role reads and adds rows of each but
// the list of migrations, changes and deletes none of those that are append-only, truncates none and alters none.
func TestTheRoleOfServersCannotChangeWhatIsAppendOnly(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	_, as := granted(t, url)
	pool, err := pg.Open(t.Context(), as)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	type table struct {
		Name  string `db:"name"`
		First string `db:"first"` // column
	}
	tables, err := pg.All[table](t.Context(), pool, `
		SELECT c.relname AS name, (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0
			AND NOT attisdropped AND attgenerated = '' AND attidentity = '' ORDER BY attnum LIMIT 1) AS first
		FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`, pg.Args{})
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	guards, found := append(migrations.AppendOnly(), "audit_chains", "goose_db_version"), 0
	for _, one := range tables {
		if slices.Contains(guards, one.Name) {
			found++
		}
		denied := map[string]bool{
			`SELECT FROM ` + one.Name + ` LIMIT 1`:            false,
			`INSERT INTO ` + one.Name + ` SELECT WHERE false`: one.Name == "goose_db_version",
			`UPDATE ` + one.Name + ` SET ` + one.First + ` = ` + one.First + ` WHERE false`: slices.Contains(guards,
				one.Name) && one.Name != "audit_chains",
			`DELETE FROM ` + one.Name + ` WHERE false`:          slices.Contains(guards, one.Name),
			`TRUNCATE ` + one.Name + ` CASCADE`:                 true,
			`ALTER TABLE ` + one.Name + ` DISABLE TRIGGER USER`: true,
		}
		for sql, want := range denied {
			if _, err := pool.Exec(t.Context(), sql); isDenied(err) != want { // triggers may refuse more
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	if found != len(guards) {
		t.Errorf("%d of %d tables were found", found, len(guards))
	}
	for _, sql := range []string{`CREATE TABLE mine (id int)`, `SET session_replication_role = replica`} {
		if _, err := pool.Exec(t.Context(), sql); !isDenied(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestARoleWithoutRightsToNewTablesIsFound: a server does not start after an upgrade without --grant. Tables that are
// not of its version are not its own.
func TestARoleWithoutRightsToNewTablesIsFound(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	role, as := granted(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, c := range []struct {
		first string
		lacks bool
	}{
		{`CREATE TABLE of_a_version_to_come (id int)`, false},
		{`REVOKE ALL ON chariot_deposits FROM ` + role, true},
		{`GRANT SELECT ON chariot_deposits TO ` + role, false},
		{`REVOKE ALL ON merchants FROM ` + role, true},
	} {
		if _, err := conn.Exec(t.Context(), c.first); err != nil {
			t.Fatal(err)
		}
		pending, err := migrations.Pending(t.Context(), as)
		if found := err != nil && strings.Contains(err.Error(), "--grant"); pending || found != c.lacks {
			t.Errorf("%s: %v, %v", c.first, pending, err)
		}
	}
	if pending, err := migrations.Pending(t.Context(), url); err != nil || pending {
		t.Errorf("the owner: %v, %v", pending, err)
	}
}

// TestGrantRefusesOwners refuses the owner of the tables and its members.
func TestGrantRefusesOwners(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	role, _ := granted(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `GRANT svcpay TO `+role); err != nil {
		t.Fatal(err)
	}
	owner, _ := granted(t, url)
	if _, err := conn.Exec(t.Context(), `ALTER TABLE merchants OWNER TO `+owner); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), `ALTER TABLE merchants OWNER TO svcpay`)
		if err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{"svcpay", role, owner} {
		if err := migrations.Grant(t.Context(), url, name); err == nil ||
			!strings.Contains(err.Error(), "owns the tables") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

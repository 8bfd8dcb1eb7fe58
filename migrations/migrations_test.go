package migrations_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
)

// patience is how long a busy machine may take.
const patience = time.Minute

// at makes a database of one version of the schema, and nothing of the job queue's.
func at(t *testing.T, version int64) (url string, pool *pgxpool.Pool) {
	t.Helper()
	url = pgtest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	if _, err := pool.Exec(t.Context(), `DROP SCHEMA public, river CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	all, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	if err == nil {
		_, err = all.UpTo(t.Context(), version)
	}
	if err != nil {
		t.Fatal(err)
	}
	return url, pool
}

// await waits until as many sessions of the database as that are of a kind.
func await(t *testing.T, pool *pgxpool.Pool, what, of string, want int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var n int
		err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND `+of).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %d sessions, not %d", what, n, want)
		}
	}
}

// What sessions are at.
const (
	building = `query ~ '^\s*(CREATE|DROP) INDEX' AND state = 'active' AND wait_event_type = 'Lock'`
	queuing  = `query LIKE 'SELECT pg_try_advisory_lock%'`
)

// writes holds what a transaction holds that writes to a table, until it is told that it is over.
func writes(t *testing.T, pool *pgxpool.Pool) (over func()) {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err == nil {
		t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
		_, err = tx.Exec(t.Context(), `SET LOCAL lock_timeout = '2s'; UPDATE processor_operations SET kind = kind
			WHERE false`)
	}
	if err != nil {
		t.Fatalf("who writes is kept out: %v", err)
	}
	return func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func valid(t *testing.T, pool *pgxpool.Pool) (ok bool) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `SELECT indisvalid FROM pg_index
		WHERE indexrelid = 'processor_operations_reversals_given_up'::regclass`).Scan(&ok)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// TestServersWriteWhileAnIndexIsBuilt: an index on a table in use waits for transactions that write there, and others
// begin to meanwhile. A run that is broken off is made good by the next, and two at once wait for each other without
// end only if one does so within a statement.
func TestServersWriteWhileAnIndexIsBuilt(t *testing.T) {
	t.Parallel()
	url, pool := at(t, 60)
	over := writes(t, pool)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	up := func(ctx context.Context) { ended <- migrations.Up(ctx, url) }
	go up(ctx)
	await(t, pool, "the index waits", building, 1)
	writes(t, pool)()
	stop()
	if err := <-ended; err == nil {
		t.Error("who was stopped has done it all")
	}
	await(t, pool, "nobody waits", building, 0)
	over()
	if valid(t, pool) {
		t.Fatal("what was broken off is whole: nothing is tried")
	}
	over = writes(t, pool)
	go up(t.Context())
	go up(t.Context())
	await(t, pool, "one works, one waits for it", queuing, 2)
	await(t, pool, "the index waits again", building, 1)
	writes(t, pool)()
	over()
	for range 2 {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("two at once wait for each other")
		}
	}
	if pending, err := migrations.Pending(t.Context(), url); err != nil || pending || !valid(t, pool) {
		t.Errorf("pending: %v, valid: %v, %v", pending, valid(t, pool), err)
	}
}

// concurrentFrom is the first migration that is held to how it makes indexes.
const concurrentFrom = 60

var (
	comments   = regexp.MustCompile(`--.*`)
	newTables  = regexp.MustCompile(`(?i)\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`)
	newIndexes = regexp.MustCompile(
		`(?i)\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?:(\w+)\s+)?ON\s+(?:ONLY\s+)?(\w+)`)
	bodies = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	// of a backfill in batches
	repeatable = regexp.MustCompile(`(?i)^(?:CREATE\s+OR\s+REPLACE\s+PROCEDURE|CALL|DROP\s+PROCEDURE)\s`)
	ofIndexes  = regexp.MustCompile(`(?i)^(?:CREATE\s+(?:UNIQUE\s+)?|DROP\s+)INDEX\s+CONCURRENTLY\s`)
)

// mistakes says what is wrong with how a migration makes its indexes. Servers write to every table that it has not made
// itself. What is not in a transaction may stop anywhere, and is done again from its beginning.
func mistakes(text string) (out []string) {
	sql := comments.ReplaceAllString(text, "")
	var own []string
	for _, m := range newTables.FindAllStringSubmatch(sql, -1) {
		own = append(own, m[1])
	}
	for _, m := range newIndexes.FindAllStringSubmatchIndex(sql, -1) {
		name, table := "", sql[m[6]:m[7]]
		if m[4] >= 0 {
			name = sql[m[4]:m[5]]
		}
		switch concurrently := m[2] >= 0; {
		case !concurrently && !slices.Contains(own, table):
			out = append(out, fmt.Sprintf("keeps out who writes to %s while it builds %s: CREATE INDEX CONCURRENTLY",
				table, name))
		case concurrently && !strings.Contains(sql[:m[0]], "DROP INDEX CONCURRENTLY IF EXISTS "+name+";"):
			out = append(out,
				fmt.Sprintf("leaves %s as a run left it that was broken off: DROP INDEX CONCURRENTLY IF EXISTS before",
					name))
		}
	}
	if !strings.Contains(text, "-- +goose NO TRANSACTION") {
		return out
	}
	for s := range strings.SplitSeq(bodies.ReplaceAllString(sql, ""), ";") {
		if s = strings.TrimSpace(s); s != "" && !ofIndexes.MatchString(s) && !repeatable.MatchString(s) {
			out = append(out, "is not in a transaction: "+s)
		}
	}
	return out
}

func TestIndexesAreBuiltBesideServers(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if version, err := goose.NumericComponent(name); err != nil || version < concurrentFrom {
			continue
		}
		for _, m := range mistakes(string(text)) {
			t.Errorf("%s %s", name, m)
		}
	}
}

func TestMistakesOfMigrationsAreFound(t *testing.T) {
	t.Parallel()
	const outside = "-- +goose NO TRANSACTION\n"
	for text, want := range map[string]int{
		"CREATE TABLE a (id int);\nCREATE INDEX a_by_id ON a (id);":                                                 0,
		"CREATE INDEX a_by_id ON a (id);":                                                                           1,
		"create unique index if not exists a_by_id\n\ton only a (id);":                                              1,
		"CREATE INDEX ON a (id);":                                                                                   1,
		"CREATE TABLE b (id int); -- CREATE TABLE a\nCREATE INDEX a_by_id ON a (id);":                               1,
		outside + "DROP INDEX CONCURRENTLY IF EXISTS x;\nCREATE UNIQUE INDEX CONCURRENTLY x ON a (id);":             0,
		outside + "CREATE INDEX CONCURRENTLY x ON a (id);":                                                          1,
		outside + "CREATE INDEX CONCURRENTLY IF NOT EXISTS x ON a (id);\nDROP INDEX CONCURRENTLY IF EXISTS x;":      1,
		outside + "DROP INDEX CONCURRENTLY IF EXISTS x;\nCREATE INDEX CONCURRENTLY x ON a (id);\nUPDATE a SET b=1;": 1,
	} {
		if got := mistakes(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Databases are reused: creating and removing their 1,000 files takes longer than most tests.
const (
	// mostUses bounds how often a database is used: deleted rows stay in its files.
	mostUses = 25
	// othersEnd is how long the connections of a closed pool may take to end.
	othersEnd = 2 * time.Second
)

// errChanged means that a database differs from its template and can't be reset.
var errChanged = errors.New("the database is not as it was")

// database is a copy of a template, and how many tests have used it.
type database struct {
	name string
	uses int
}

// borrow returns a database in its template's state, which no other test uses.
func borrow(t testing.TB, source template) (dir string, d database) {
	t.Helper()
	dir, err := server()
	if err != nil {
		t.Fatal(err)
	}
	if d, err = source.take(t.Context(), dir); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return dir, d
}

// prepare makes the list of databases that tests are done with, if no process has.
func prepare(conn *pgx.Conn) error {
	_, err := conn.Exec(context.Background(), fmt.Sprintf(`BEGIN; SELECT pg_advisory_xact_lock(%d);
		CREATE UNLOGGED TABLE IF NOT EXISTS free_databases (
			name text PRIMARY KEY, print text NOT NULL, uses int NOT NULL);
		COMMIT`, templateLock))
	return err
}

// take claims a copy that another test is done with, or makes one.
func (m template) take(ctx context.Context, dir string) (d database, err error) {
	err = administer(ctx, dir, func(conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, `DELETE FROM free_databases WHERE name = (
				SELECT name FROM free_databases WHERE print = $1 LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING name, uses`, m.print).Scan(&d.name, &d.uses)
		if errors.Is(err, pgx.ErrNoRows) {
			d.name = newName()
			err = m.copy(ctx, conn, dir, d.name)
		}
		return err
	})
	d.uses++
	return d, err
}

// giveBack resets a database, and lists it for other tests, of this process or another. It drops a database that can't
// be reset, that was used mostUses times, or that comes without a connection.
func (m template) giveBack(ctx context.Context, dir string, d database, conn *pgx.Conn) error {
	again := false
	if conn != nil {
		again = d.uses < mostUses && m.reset(ctx, dir, conn) == nil
		_ = conn.Close(ctx)
	}
	return administer(ctx, dir, func(admin *pgx.Conn) error {
		if !again {
			return drop(ctx, admin, d.name)
		}
		_, err := admin.Exec(ctx, `INSERT INTO free_databases (name, print, uses) VALUES ($1, $2, $3)`,
			d.name, m.print, d.uses)
		return err
	})
}

// reset deletes what a test has written, and fails if the database then differs from its template.
func (m template) reset(ctx context.Context, dir string, conn *pgx.Conn) error {
	original, err := m.state(ctx, dir)
	if err != nil {
		return err
	}
	if err := alone(ctx, conn); err != nil {
		return err
	}
	if err := original.restore(ctx, conn); err != nil {
		return err
	}
	catalog, err := catalogOf(ctx, conn)
	if err == nil && catalog != original.Catalog {
		err = errChanged
	}
	return err
}

// alone waits until no one else is connected.
func alone(ctx context.Context, conn *pgx.Conn) error {
	for until := time.Now().Add(othersEnd); ; time.Sleep(pollEvery) {
		var others int
		err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).
			Scan(&others)
		if err != nil || others == 0 {
			return err
		}
		if time.Now().After(until) {
			return errChanged
		}
	}
}

// last closes a pool and returns one of its connections, which is outside it then, or nil if the pool was in use or
// had none.
func last(ctx context.Context, pool *pgxpool.Pool) (conn *pgx.Conn) {
	for _, idle := range pool.AcquireAllIdle(ctx) {
		if conn == nil {
			conn = idle.Hijack()
		} else {
			idle.Release()
		}
	}
	return conn
}

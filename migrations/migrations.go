// Package migrations holds the schema as numbered SQL and brings a database up to it.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// FS holds the numbered SQL files.
//
//go:embed *.sql
var FS embed.FS

// Grants is the source of [Grant], for who keeps databases that were migrated and granted.
//
//go:embed grant.go
var Grants embed.FS

// RiverSchema is where the job queue keeps its own tables.
const RiverSchema = "river"

// Up applies what is missing, ours first, then the job queue's. databaseURL must lead to the
// server directly, not through a pooler: a session lock keeps other runners out meanwhile.
func Up(ctx context.Context, databaseURL string) (err error) {
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	unlock, err := turn(ctx, db)
	if err != nil {
		return fmt.Errorf("migrations: waiting for another runner: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := ours(ctx, db); err != nil {
		return err
	}
	return queue(ctx, pool)
}

// turn waits until no other runner is at work; one that dies lets go by itself.
func turn(ctx context.Context, db *sql.DB) (unlock func() error, err error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := locker.SessionLock(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		return errors.Join(locker.SessionUnlock(context.WithoutCancel(ctx), conn), conn.Close())
	}, nil
}

// Pending tells whether the database lacks migrations of this version. It is an error if the role may not know, or has
// no rights to one of this version's tables, as after an upgrade without --grant.
func Pending(ctx context.Context, databaseURL string) (bool, error) {
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	defer pool.Close()
	var empty, readable bool
	if err := pool.QueryRow(ctx, versions).Scan(&empty, &readable); err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	switch {
	case empty:
		return true, nil
	case !readable:
		return false, errRights
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, FS, quiet)
	if err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	if pending {
		return true, nil
	}
	names, err := tables()
	if err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	var lacking bool
	if err := pool.QueryRow(ctx, lacks, names).Scan(&lacking); err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	if lacking {
		return false, errRights
	}
	return false, nil
}

var created = regexp.MustCompile(`CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)`)

// tables lists the tables that this version's migrations create; some of them are gone later. Others in the database,
// of a later version or of operators, are not for its servers.
func tables() (names []string, err error) {
	files, err := fs.Glob(FS, "*.sql")
	for _, name := range files {
		text, err := fs.ReadFile(FS, name)
		if err != nil {
			return nil, err
		}
		for _, found := range created.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names, err
}

// versions says whether there is no list of migrations, and whether the role may read it.
const versions = `SELECT count(*) = 0, coalesce(bool_and(has_schema_privilege(n.oid, 'USAGE')
		AND has_table_privilege(c.oid, 'SELECT')), false)
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'public' AND c.relname = 'goose_db_version'`

// lacks says whether the role may not read one of some tables. [Grant] gives it all its rights to a table together.
const lacks = `SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1)
	AND NOT has_table_privilege(oid, 'SELECT'))`

var errRights = errors.New("the database role in DATABASE_URL has no rights to some of the tables: " +
	"run svcpay migrate --grant ROLE first, with the role that owns them")

var quiet = goose.WithSlog(slog.New(slog.DiscardHandler))

func ours(ctx context.Context, db *sql.DB) error {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, FS, quiet)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

func queue(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: RiverSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("migrations: job queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrations: job queue: %w", err)
	}
	return nil
}

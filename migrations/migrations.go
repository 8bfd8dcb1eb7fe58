// Package migrations holds the schema as numbered SQL and brings a database up to it.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"log/slog"

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

// RiverSchema is where the job queue keeps its own tables.
const RiverSchema = "river"

// Up applies what is missing, ours first, then the job queue's. databaseURL must lead to the
// server directly, not through a pooler: a session lock keeps other runners out meanwhile.
func Up(ctx context.Context, databaseURL string) error {
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	if err := ours(ctx, db); err != nil {
		return err
	}
	return queue(ctx, pool)
}

// Pending tells whether the database lacks migrations of this version.
func Pending(ctx context.Context, databaseURL string) (bool, error) {
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return false, fmt.Errorf("migrations: %w", err)
	}
	defer pool.Close()
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
	return pending, nil
}

var quiet = goose.WithSlog(slog.New(slog.DiscardHandler))

func ours(ctx context.Context, db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, FS, goose.WithSessionLocker(locker), quiet)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// queue brings the job queue's schema up. Its migrator takes no lock of its own, so ours is
// a row of a table of one, locked for the length of the run.
func queue(ctx context.Context, pool *pgxpool.Pool) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SELECT 1 FROM migration_turn FOR UPDATE"); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: RiverSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("migrations: job queue: %w", err)
	}
	if _, err := m.MigrateTx(ctx, tx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrations: job queue: %w", err)
	}
	return tx.Commit(ctx)
}

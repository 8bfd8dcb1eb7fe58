// Package migrations holds the schema as numbered SQL and brings a database up to it.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
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

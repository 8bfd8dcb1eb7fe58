// Package pg is the access to PostgreSQL: the pool, transactions with retry and a queue that is sent with the commit,
// strict row mapping, and constraint names for faults.
package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fault"
)

// Limits of every statement and transaction, and how long a request may wait for a connection.
const (
	statementTimeout = 5 * time.Second
	lockTimeout      = 2 * time.Second
	idleInTx         = 10 * time.Second
	acquireTimeout   = 2 * time.Second
	poolPerCore      = 4 // more connections than this cost throughput
	fewestConns      = 4 // batches of claims and outcomes, a job and a request run in parallel
)

// Open connects to url and checks that the server answers. Bounds on statements are set as
// start-up parameters unless the URL sets its own, as is that none is compiled: ours are short, and those
// that PostgreSQL takes for long would wait longer for the compiler than they run. The pool has four connections a
// core, or as many as the URL's pool_max_conns says, but four.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	pool, err := newPool(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("pg: the database does not answer: %w", err)
	}
	return pool, nil
}

func newPool(ctx context.Context, cfg *pgxpool.Config) (*pgxpool.Pool, error) {
	cfg.AfterConnect = learnRows
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("pg: open: %w", err)
	}
	return pool, nil
}

func configOf(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("pg: the database URL cannot be read")
	}
	defaults := map[string]string{
		"statement_timeout":                   milliseconds(statementTimeout),
		"lock_timeout":                        milliseconds(lockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(idleInTx),
		"jit":                                 "off",
		"application_name":                    "svcpay",
	}
	for name, value := range defaults {
		if cfg.ConnConfig.RuntimeParams[name] == "" {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = int32(poolPerCore * runtime.NumCPU())
	}
	cfg.MaxConns = max(cfg.MaxConns, fewestConns)
	return cfg, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// PurgeBatch is how many rows one statement deletes of what is out of date: few enough for the
// time-out of a statement.
const PurgeBatch = 5000

// acquire waits a bounded time for a connection; a full pool is a fault that asks to come back.
func acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	if own := apartOf(ctx); own != nil {
		pool = own
	}
	wait, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := pool.Acquire(wait)
	if err == nil {
		return conn, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, overloaded(err)
}

func overloaded(cause error) *fault.Error {
	return fault.New(fault.KindUnavailable, "overloaded", "The service is busy. Try again shortly.").
		After(time.Second).Because(cause)
}

// Fault is what a caller may see of err: the fault in its chain; else overloaded, to try again in a
// second, when the database or the time was short, and internal_error for all that is our mistake.
func Fault(err error) *fault.Error {
	if f, ok := fault.As(err); ok {
		return f
	}
	if IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) {
		return overloaded(err)
	}
	return fault.Internal(err)
}

// FaultOf is what the response to a request says of err: the same as [Fault], but for a request that was cut short
// because its client hung up, which is no failure of the service. The context is the request's.
func FaultOf(ctx context.Context, err error) *fault.Error {
	f := Fault(err)
	failed := f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable
	if failed && errors.Is(ctx.Err(), context.Canceled) && wasCanceled(err) {
		return fault.Closed(err)
	}
	return f
}

// wasCanceled reports whether err comes from a canceled context: directly, as the database's notice that it stopped
// the statement, or as a connection that was closed under it.
func wasCanceled(err error) bool {
	var pe *pgconn.PgError
	return errors.Is(err, context.Canceled) || errors.Is(err, net.ErrClosed) || errors.As(err, &pe) &&
		pe.Code == "57014"
}

// OfOneRow reports the error of a transaction of several rows that one of them may be at fault, so that each by
// itself may do better: not when the database is not there, or no one knows what it did.
func OfOneRow(err error) bool {
	gone := IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	return err != nil && !errors.Is(err, ErrCommit) && (!gone || InTheWay(err))
}

// Violated returns the name of the constraint that err broke, or "".
func Violated(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.ConstraintName
	}
	return ""
}

func retryable(err error) bool {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		return false
	}
	return pe.Code == "40001" || pe.Code == "40P01" // serialization failure, deadlock
}

// Querier is what reads need: a pool or a [Tx].
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

package pg

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const maxAttempts = 5

// ErrCommit is in the chain of the error of a commit whose answer did not come: whether the
// transaction happened is unknown until someone looks.
var ErrCommit = errors.New("pg: commit")

// Tx is a transaction in progress. Statements whose answer no one needs are queued with
// [Tx.Later] or [Tx.Row] and leave in one batch with the commit; a [Batch] sends several queries at once.
type Tx struct {
	conn  *pgx.Conn
	begin []statement // what begins the transaction, until it is sent
	later queue
}

// InTx runs fn in a transaction at read committed and commits it. After a serialization
// failure or a deadlock it runs fn again, so fn must have no effect outside the transaction.
func InTx(ctx context.Context, pool *pgxpool.Pool, fn func(tx *Tx) error) error {
	return inTx(ctx, pool, beginPlain, fn)
}

// InBatch is InTx for statements over arrays. PostgreSQL would plan each of them at every execution, because it knows
// an array's length only then, and planning takes longer than most of them run. What they look up by keys has one good
// plan, which is kept: along the indexes, however small a table was when the plan was made.
func InBatch(ctx context.Context, pool *pgxpool.Pool, fn func(tx *Tx) error) error {
	return inTx(ctx, pool, beginBatch, fn)
}

// Statements that begin a transaction. They go out together with the first that fn sends.
var (
	beginPlain = []statement{{sql: "begin"}}
	beginBatch = []statement{
		{sql: "begin"},
		{sql: "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"}}
)

func inTx(ctx context.Context, pool *pgxpool.Pool, begin []statement, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := once(ctx, pool, begin, fn)
		if err == nil || !retryable(err) || attempt == maxAttempts {
			return err
		}
		pause := time.Duration(attempt*attempt)*2*time.Millisecond + rand.N(5*time.Millisecond)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func once(ctx context.Context, pool *pgxpool.Pool, begin []statement, fn func(tx *Tx) error) error {
	conn, err := acquire(ctx, pool)
	if err != nil {
		return err
	}
	defer conn.Release() // which closes a connection that is still in a transaction
	tx := &Tx{conn: conn.Conn(), begin: begin}
	// A panic or an error in fn rolls back; after a commit this does nothing.
	defer tx.rollback(ctx)
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	return nil
}

// open reports whether the server has begun the transaction and not ended it.
func (tx *Tx) open() bool { return !tx.conn.IsClosed() && tx.conn.PgConn().TxStatus() != 'I' }

func (tx *Tx) rollback(ctx context.Context) {
	if tx.open() {
		_, _ = tx.conn.Exec(context.WithoutCancel(ctx), "rollback")
	}
}

// ErrNone is returned by [One] when no row matches.
var ErrNone = pgx.ErrNoRows

// One returns the single row of a query as a T, matched by column name (db tags); ErrNone
// without a row.
func One[T any](ctx context.Context, q Querier, sql string, args Args) (T, error) {
	return collect(ctx, q, sql, args, func(rows pgx.Rows) (T, error) {
		return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	})
}

// All returns every row of a query as a T, matched by column name; never nil.
func All[T any](ctx context.Context, q Querier, sql string, args Args) ([]T, error) {
	return collect(ctx, q, sql, args, func(rows pgx.Rows) ([]T, error) { return rowsOf(rows, same[T]) })
}

// Value returns the single column of the single row of a query; ErrNone without a row.
func Value[T any](ctx context.Context, q Querier, sql string, args Args) (T, error) {
	return collect(ctx, q, sql, args, func(rows pgx.Rows) (T, error) {
		return pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	})
}

// Column returns the single column of every row of a query; never nil.
func Column[T any](ctx context.Context, q Querier, sql string, args Args) ([]T, error) {
	return collect(ctx, q, sql, args, func(rows pgx.Rows) ([]T, error) {
		return pgx.AppendRows([]T{}, rows, pgx.RowTo[T])
	})
}

// collect runs a query and reads its rows. A pool's connection is waited for as [InTx] waits.
func collect[T any](ctx context.Context, q Querier, sql string, args Args, read func(pgx.Rows) (T, error),
	options ...any) (out T, err error) {
	if pool, ok := q.(*pgxpool.Pool); ok {
		conn, err := acquire(ctx, pool)
		if err != nil {
			return out, err
		}
		defer conn.Release()
		q = conn
	}
	rows, err := q.Query(ctx, sql, append(options, args)...)
	if err != nil {
		return out, err
	}
	return read(rows)
}

// Exec runs one statement outside a transaction of ours and says how many rows it touched.
func Exec(ctx context.Context, pool *pgxpool.Pool, sql string, args Args) (int64, error) {
	conn, err := acquire(ctx, pool)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	tag, err := conn.Exec(ctx, sql, args)
	return tag.RowsAffected(), err
}

// InTheWay reports whether err says that the server took a transaction back because it waited too long for
// others, or for one statement.
func InTheWay(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && slices.Contains([]string{"40001", "40P01", "55P03", "57014"}, pe.Code)
}

// IsRejected reports whether the database rejected the connection itself: a wrong role, password or database name.
func IsRejected(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code[:2] == "28" || pe.Code[:2] == "3D")
}

// IsUnavailable reports whether err says that the database could not be reached, is going away or
// too busy, rather than that a statement was wrong: another try may do.
func IsUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &connect), pgconn.Timeout(err):
		return true
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err):
		return true // cut off: a server that was killed sends no code
	case errors.As(err, &pe):
		// Going away or out of resources, in each other's way too often, a lock or a client too slow.
		return slices.Contains([]string{"57", "53", "08", "40"}, pe.Code[:2]) || pe.Code == "55P03" ||
			pe.Code == "25P03"
	}
	return false
}

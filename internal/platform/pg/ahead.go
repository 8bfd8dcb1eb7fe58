package pg

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
)

// together is a statement that goes out with the next one of a transaction, in one message of both, and what
// reads its answer; nil if it has none.
type together struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

// Asked is a query that was not answered when the caller went on.
type Asked[T any] struct {
	tx   *Tx
	rows []T
	done bool
}

// Ahead has a query answered together with the transaction's next statement, and before it: two questions that do
// not depend on each other take one journey. Rows are matched by their columns' names, as by [All].
func Ahead[T any](tx *Tx, sql string, args Args) *Asked[T] {
	a := &Asked[T]{tx: tx}
	tx.ahead = append(tx.ahead, together{sql, []any{args}, a.read})
	return a
}

func (a *Asked[T]) read(rows pgx.Rows) (err error) {
	a.done = true
	a.rows, err = rowsOf(rows, same[T])
	return err
}

// Rows are the answer, which is waited for now if no other statement has brought it.
func (a *Asked[T]) Rows(ctx context.Context) ([]T, error) {
	if !a.done {
		if err := a.tx.begin(ctx); err != nil {
			return nil, err
		}
	}
	return a.rows, nil
}

func (a together) queue(batch *pgx.Batch) {
	queued := batch.Queue(a.sql, a.args...)
	if a.read != nil {
		queued.Query(a.read)
	}
}

// Exec runs a statement now and tells how many rows it touched.
func (tx *Tx) Exec(ctx context.Context, sql string, args Args) (int64, error) {
	if len(tx.ahead) == 0 {
		tag, err := tx.conn.Exec(ctx, sql, args)
		return tag.RowsAffected(), err
	}
	results, err := tx.withAhead(ctx, together{sql: sql, args: []any{args}})
	if err != nil {
		return 0, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), cmp.Or(err, results.Close())
}

// Query implements [Querier].
func (tx *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if len(tx.ahead) > 0 && len(args) > 1 { // an option is one of a query alone, not of those that go with it
		if err := tx.begin(ctx); err != nil {
			return nil, err
		}
	}
	if len(tx.ahead) == 0 {
		return tx.conn.Query(ctx, sql, args...)
	}
	results, err := tx.withAhead(ctx, together{sql: sql, args: args})
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, cmp.Or(err, results.Close())
	}
	return lastRows{rows, results}, nil
}

// begin sends what goes ahead of the next statement by itself.
func (tx *Tx) begin(ctx context.Context) error {
	batch := tx.takeAhead()
	return tx.conn.SendBatch(ctx, batch).Close()
}

func (tx *Tx) takeAhead() *pgx.Batch {
	batch := new(pgx.Batch)
	for _, a := range tx.ahead {
		a.queue(batch)
	}
	tx.ahead = nil
	return batch
}

// withAhead sends a statement behind what goes ahead of it and reads the answers but for its own.
func (tx *Tx) withAhead(ctx context.Context, last together) (pgx.BatchResults, error) {
	batch := tx.takeAhead()
	before := batch.QueuedQueries
	last.queue(batch)
	results := tx.conn.SendBatch(ctx, batch)
	for _, q := range before {
		if err := answer(q, results); err != nil {
			return nil, cmp.Or(err, results.Close())
		}
	}
	return results, nil
}

// answer reads the next answer of a batch as its statement asked for it.
func answer(q *pgx.QueuedQuery, results pgx.BatchResults) error {
	if q.Fn != nil {
		return q.Fn(results)
	}
	_, err := results.Exec()
	return err
}

// lastRows are those of a batch's last statement: to close them ends the batch.
type lastRows struct {
	pgx.Rows
	batch pgx.BatchResults
}

func (r lastRows) Close() {
	r.Rows.Close()
	_ = r.batch.Close() // whose errors are those of the rows
}

package pg

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
)

// Args are the arguments of a statement by the names that it has for them, as in @merchant. Each must be in the
// statement, and each name of the statement among them.
type Args = pgx.StrictNamedArgs

// statement is one of those that go out in one message, with what reads its answer; nil if it has none.
type statement struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

func (s statement) queue(batch *pgx.Batch) {
	queued := batch.Queue(s.sql, s.args...)
	if s.read != nil {
		queued.Query(s.read)
	}
}

// Batch collects queries of a transaction that do not depend on each other, so that [Batch.Run] can send them in one
// round trip.
type Batch struct {
	tx         *Tx
	statements []statement
}

// Answer is what a query of a [Batch] returns.
type Answer[T any] struct{ rows []T }

// Batch begins an empty batch.
func (tx *Tx) Batch() *Batch { return &Batch{tx: tx} }

// Ask adds a query to a batch. Rows are matched by their columns' names, as by [All].
func Ask[T any](b *Batch, sql string, args Args) *Answer[T] {
	a := new(Answer[T])
	b.statements = append(b.statements, statement{sql, []any{args}, func(rows pgx.Rows) (err error) {
		a.rows, err = rowsOf(rows, same[T])
		return err
	}})
	return a
}

// Run sends the queries in the order in which they were added and reads all answers. Each sees what the ones before it
// locked.
func (b *Batch) Run(ctx context.Context) error {
	batch := b.tx.started()
	for _, s := range b.statements {
		s.queue(batch)
	}
	b.statements = nil
	return b.tx.conn.SendBatch(ctx, batch).Close()
}

// Rows are the rows of the answer; nil before the batch has run.
func (a *Answer[T]) Rows() []T { return a.rows }

// Exec runs a statement now and returns how many rows it touched.
func (tx *Tx) Exec(ctx context.Context, sql string, args Args) (int64, error) {
	if len(tx.begin) == 0 {
		tag, err := tx.conn.Exec(ctx, sql, args)
		return tag.RowsAffected(), err
	}
	results, err := tx.beginWith(ctx, statement{sql: sql, args: []any{args}})
	if err != nil {
		return 0, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), cmp.Or(err, results.Close())
}

// Query implements [Querier].
func (tx *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if len(tx.begin) > 0 && len(args) > 1 { // an option applies to a query that is sent alone
		if err := tx.conn.SendBatch(ctx, tx.started()).Close(); err != nil {
			return nil, err
		}
	}
	if len(tx.begin) == 0 {
		return tx.conn.Query(ctx, sql, args...)
	}
	results, err := tx.beginWith(ctx, statement{sql: sql, args: args})
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, cmp.Or(err, results.Close())
	}
	return lastRows{rows, results}, nil
}

// started is a message that begins the transaction, unless one has done so already.
func (tx *Tx) started() *pgx.Batch {
	batch := new(pgx.Batch)
	for _, s := range tx.begin {
		s.queue(batch)
	}
	tx.begin = nil
	return batch
}

// beginWith begins the transaction with its first statement, whose answer is left to the caller.
func (tx *Tx) beginWith(ctx context.Context, first statement) (pgx.BatchResults, error) {
	batch := tx.started()
	begin := batch.Len()
	first.queue(batch)
	results := tx.conn.SendBatch(ctx, batch)
	for range begin {
		if _, err := results.Exec(); err != nil {
			return nil, cmp.Or(err, results.Close())
		}
	}
	return results, nil
}

// lastRows are those of a message's last statement: to close them ends the message.
type lastRows struct {
	pgx.Rows
	batch pgx.BatchResults
}

func (r lastRows) Close() {
	r.Rows.Close()
	_ = r.batch.Close() // its errors are those of the rows
}

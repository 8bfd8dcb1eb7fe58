package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// queue is what a transaction sends in one batch with its commit.
type queue struct {
	statements []queued
	rows       map[string]int // the place of the last statement of each text that takes rows
}

// queued is a statement with its arguments, or with rows of them.
type queued struct {
	sql   string
	args  Args
	rows  []Args
	about map[any]struct{}
}

// Later queues a statement for the batch with the commit, in order. Its failure fails the
// transaction.
func (tx *Tx) Later(sql string, args Args) {
	tx.later.statements = append(tx.later.statements, queued{sql: sql, args: args})
}

// Row is Later for a statement that takes several rows (see [Rows]). Rows of one statement leave together, where the
// first of them stands. about names what a row changes, nil for one that is added: since a statement changes nothing
// twice, a second row about the same thing begins the statement again.
func (tx *Tx) Row(about any, sql string, row Args) {
	q := &tx.later
	at, begun := q.rows[sql]
	if begun && about != nil {
		_, begun = q.statements[at].about[about]
		begun = !begun
	}
	if !begun {
		if q.rows == nil {
			q.rows = make(map[string]int)
		}
		at = len(q.statements)
		q.rows[sql] = at
		q.statements = append(q.statements, queued{sql: sql, about: make(map[any]struct{})})
	}
	s := &q.statements[at]
	s.rows = append(s.rows, row)
	if about != nil {
		s.about[about] = struct{}{}
	}
}

// Flush sends what Later and Row queued. Only code that must see those rows in the same
// transaction calls it; InTx does so with the commit.
func (tx *Tx) Flush(ctx context.Context) error {
	if len(tx.later.statements) == 0 {
		return nil
	}
	batch := tx.started()
	tx.takeLater(batch)
	return tx.conn.SendBatch(ctx, batch).Close()
}

func (tx *Tx) takeLater(batch *pgx.Batch) {
	for _, s := range tx.later.statements {
		if s.rows != nil {
			s.args = Rows(s.rows)
		}
		batch.Queue(s.sql, s.args)
	}
	tx.later = queue{}
}

// commit sends what is queued and the commit in one message. The server skips the commit if a statement before it
// fails; when it is not known whether the commit was reached the error has [ErrCommit] in its chain.
func (tx *Tx) commit(ctx context.Context) error {
	batch := tx.started()
	tx.takeLater(batch)
	before := batch.Len()
	batch.Queue("commit")
	results := tx.conn.SendBatch(ctx, batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return tx.uncommitted(err)
		}
	}
	tag, err := results.Exec()
	if err = cmp.Or(err, results.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrCommit, err)
	}
	if tag.String() != "COMMIT" { // an error that fn did not mind had ended the transaction
		return fmt.Errorf("pg: %w", pgx.ErrTxCommitRollback)
	}
	return nil
}

// uncommitted is the error of a statement before the commit. Only that nothing was sent, the server's word that the
// statement failed, or that it still holds the transaction, says that nothing was committed.
func (tx *Tx) uncommitted(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) || pgconn.SafeToRetry(err) || tx.open() {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCommit, err)
}

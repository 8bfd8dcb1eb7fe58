package pg_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/pg"
)

// newShelves gives a pool over tables each row of which tells when it was written, by transaction and order, and one of
// which refers to another.
func newShelves(t *testing.T) *pgxpool.Pool {
	pool := newPool(t)
	for _, sql := range []string{
		`CREATE SEQUENCE steps`,
		`CREATE TABLE shelves (id int PRIMARY KEY, text text NOT NULL, step bigint DEFAULT nextval('steps'))`,
		`CREATE TABLE books (id int PRIMARY KEY REFERENCES shelves (id), text text NOT NULL, step bigint DEFAULT nextval('steps'), made xid DEFAULT pg_current_xact_id()::xid)`,
		`CREATE TABLE loans (id int PRIMARY KEY, text text NOT NULL, step bigint DEFAULT nextval('steps'))`,
	} {
		if _, err := pg.Exec(t.Context(), pool, sql, pg.Args{}); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

const (
	newShelf = `INSERT INTO shelves (id, text) SELECT * FROM unnest(@rows::new_note[]) RETURNING id`
	newBook  = `INSERT INTO books (id, text) SELECT * FROM unnest(@rows::new_note[])`
	newLoan  = `INSERT INTO loans (id, text) SELECT * FROM unnest(@rows::new_note[])`
	lend     = `UPDATE books b SET text = b.text || r.text, step = nextval('steps') FROM unnest(@rows::new_note[]) AS r WHERE b.id = r.id`
	giveBack = `DELETE FROM loans l USING unnest(@rows::new_note[]) AS r WHERE l.id = r.id`
)

// What is given rows goes as one statement, as far as no table is changed twice, and is done in the order in which it was queued.
func TestStatementsOfRowsAreDoneInOrder(t *testing.T) {
	t.Parallel()
	pool := newShelves(t)
	type row struct {
		Table, Text string
		ID          int
	}
	err := pg.InRound(t.Context(), pool, func(tx *pg.Tx) error {
		tx.Later(newShelf, pg.Rows([]pg.Args{{"id": 1, "text": "s"}, {"id": 2, "text": "s"}}))
		tx.Row(nil, newBook, pg.Args{"id": 1, "text": "b"}) // which refers to a shelf
		tx.Row(nil, newLoan, pg.Args{"id": 1, "text": "l"})
		tx.Row(nil, newBook, pg.Args{"id": 2, "text": "b"})
		tx.Row(1, lend, pg.Args{"id": 1, "text": "+"}) // the table of books again: it sees them
		tx.Row(1, giveBack, pg.Args{"id": 1, "text": ""})
		tx.Later(`UPDATE loans SET text = @text`, pg.Args{"text": "none is left"})
		tx.Row(nil, insertRows, pg.Args{"id": 1, "text": "n"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := pg.All[row](t.Context(), pool, `
		SELECT "table", text, id FROM (SELECT 'shelves' AS "table", text, id, step FROM shelves UNION ALL SELECT 'books', text, id, step FROM books
			UNION ALL SELECT 'loans', text, id, step FROM loans) a ORDER BY step`, pg.Args{})
	want := []row{{"shelves", "s", 1}, {"shelves", "s", 2}, {"books", "b", 2}, {"books", "b+", 1}}
	if err != nil || !slices.Equal(got, want) || !slices.Equal(texts(t, pool), []string{"n"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// The order is that of the queue within one statement, too: transactions that lock the same rows in one order do not wait for each other.
func TestOneStatementKeepsTheOrder(t *testing.T) {
	t.Parallel()
	pool := newShelves(t)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		for id := range 3 {
			tx.Row(nil, newShelf, pg.Args{"id": id, "text": "s"})
			tx.Row(nil, newBook, pg.Args{"id": id, "text": "b"})
			tx.Row(nil, newLoan, pg.Args{"id": id, "text": "l"})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	type firsts struct{ Shelves, Books, Loans, Statements int }
	got, err := pg.One[firsts](t.Context(), pool, `SELECT (SELECT max(step)::int FROM shelves) AS shelves, (SELECT max(step)::int FROM books) AS books,
		(SELECT max(step)::int FROM loans) AS loans, (SELECT count(DISTINCT (s.cmin::text, b.cmin::text))::int FROM shelves s, books b
			WHERE s.cmin = b.cmin AND s.xmin = b.made) AS statements`, pg.Args{})
	if err != nil || got != (firsts{3, 6, 9, 1}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What one of them may not do, none of them does, and the error tells which.
func TestOneOfOneStatementFails(t *testing.T) {
	t.Parallel()
	pool := newShelves(t)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		tx.Row(nil, newShelf, pg.Args{"id": 1, "text": "s"})
		tx.Row(nil, newLoan, pg.Args{"id": 1, "text": "l"})
		tx.Row(nil, newBook, pg.Args{"id": 2, "text": "no such shelf"})
		return nil
	})
	n, counted := pg.Value[int](t.Context(), pool, `SELECT ((SELECT count(*) FROM shelves) + (SELECT count(*) FROM loans))::int`, pg.Args{})
	if pg.Violated(err) != "books_id_fkey" || n != 0 || counted != nil {
		t.Errorf("%v; %d rows, %v", err, n, counted)
	}
}

package pg_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// journeys counts how often a connection sends something.
type journeys struct {
	net.Conn
	n *atomic.Int64
}

func (c journeys) Write(b []byte) (int, error) {
	c.n.Add(1)
	return c.Conn.Write(b)
}

func counted(t *testing.T) (*pgxpool.Pool, *atomic.Int64) {
	t.Helper()
	n, cfg := new(atomic.Int64), newPool(t).Config()
	cfg.MaxConns = 1
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return journeys{conn, n}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, n
}

type number struct {
	N int `db:"n"`
}

const countNotes = `SELECT count(*)::int AS n FROM notes`

// A transaction that asks once and writes once takes two journeys, with its begin and its commit, and what was asked
// ahead costs none.
func TestWhatGoesTogetherTakesOneJourney(t *testing.T) {
	t.Parallel()
	pool, n := counted(t)
	for id := range 3 {
		before := n.Load()
		err := pg.InBatch(t.Context(), pool, func(tx *pg.Tx) error {
			first, second := pg.Ahead[number](tx, countNotes, pg.Args{}), pg.Ahead[number](tx, `SELECT 7 AS n`, pg.Args{})
			if _, err := tx.Exec(t.Context(), insert, pg.Args{"id": id, "text": "now"}); err != nil {
				return err
			}
			tx.Later(insert, pg.Args{"id": 100 + id, "text": "later"})
			a, err := first.Rows(t.Context())
			b, err2 := second.Rows(t.Context())
			if len(a) != 1 || len(b) != 1 || a[0].N != 2*id || b[0].N != 7 {
				t.Errorf("asked ahead: %v, %v", a, b)
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := n.Load() - before; id > 0 && took != 2 { // the first time, statements are prepared
			t.Errorf("%d journeys", took)
		}
	}
	if got := texts(t, pool); len(got) != 6 {
		t.Errorf("%v", got)
	}
}

func TestWhatWasAskedAheadIsAnsweredWithoutAnotherStatement(t *testing.T) {
	t.Parallel()
	err := pg.InTx(t.Context(), newPool(t), func(tx *pg.Tx) error {
		asked := pg.Ahead[number](tx, countNotes, pg.Args{})
		for range 2 { // the second time it is known
			if rows, err := asked.Rows(t.Context()); err != nil || len(rows) != 1 {
				t.Errorf("%v, %v", rows, err)
			}
		}
		none := pg.Ahead[number](tx, countNotes+` HAVING count(*) > 0`, pg.Args{})
		// An option is one of a query alone.
		rows, err := tx.Query(t.Context(), `SELECT 1`, pgx.QueryExecModeCacheDescribe, pg.Args{})
		if err != nil {
			return err
		}
		rows.Close()
		if rows, err := none.Rows(t.Context()); err != nil || rows == nil || len(rows) != 0 {
			t.Errorf("%v, %v", rows, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Whatever of a message fails, it fails the transaction, and the error is that of the statement at fault.
func TestAnErrorAheadFailsTheTransaction(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	wrong := func(tx *pg.Tx) { pg.Ahead[number](tx, `SELECT 1 / count(*)::int AS n FROM notes`, pg.Args{}) }
	unlike := func(tx *pg.Tx) { pg.Ahead[number](tx, `SELECT 'x' AS n, 2 AS m`, pg.Args{}) }
	for name, ask := range map[string]func(tx *pg.Tx){"refused": wrong, "unlike": unlike} {
		for last, then := range map[string]func(tx *pg.Tx) error{
			"statement": func(tx *pg.Tx) error {
				_, err := tx.Exec(t.Context(), insert, pg.Args{"id": 1, "text": "never"})
				return err
			},
			"query": func(tx *pg.Tx) error {
				_, err := pg.All[number](t.Context(), tx, countNotes, pg.Args{})
				return err
			},
			"batch": func(tx *pg.Tx) error {
				tx.Later(insert, pg.Args{"id": 1, "text": "never"})
				return tx.Flush(t.Context())
			},
			"option": func(tx *pg.Tx) error {
				_, err := tx.Query(t.Context(), countNotes, pgx.QueryExecModeCacheDescribe, pg.Args{})
				return err
			},
		} {
			err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
				ask(tx)
				return then(tx)
			})
			if err == nil || errors.Is(err, pg.ErrCommit) {
				t.Errorf("%s, %s: %v", name, last, err)
			}
		}
	}
	if got := texts(t, pool); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// What the server refuses before the commit is known not to have happened; when the answer to all is lost, nobody knows.
func TestOnlyALostCommitIsUnknown(t *testing.T) {
	t.Parallel()
	pool, armed := pgtest.Lossy(t, newPool(t))
	write := func(id int) error {
		return pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
			tx.Later(insert, pg.Args{"id": id, "text": "noted"})
			return nil
		})
	}
	if err := write(1); err != nil {
		t.Fatal(err)
	}
	if err := write(1); pg.Violated(err) != "notes_pkey" || errors.Is(err, pg.ErrCommit) {
		t.Errorf("%v", err)
	}
	armed.Store(true)
	if err := write(2); !errors.Is(err, pg.ErrCommit) || armed.Load() {
		t.Errorf("%v", err)
	}
	armed.Store(true)
	if err := write(2); !errors.Is(err, pg.ErrCommit) { // refused, but who was to hear it?
		t.Errorf("%v", err)
	}
	// An error that the function did not mind.
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		_, _ = tx.Exec(t.Context(), insert, pg.Args{"id": 1, "text": "again"})
		return nil
	})
	if !errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pg.ErrCommit) {
		t.Errorf("%v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	err = pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		cancel()
		_, err := tx.Exec(over, insert, pg.Args{"id": 3, "text": "late"})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := texts(t, pool); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

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

// A transaction of one batch takes two round trips: its begin goes with the batch, and its commit with what is written
// later.
func TestABatchTakesOneRoundTrip(t *testing.T) {
	t.Parallel()
	pool, n := counted(t)
	for id := range 3 {
		before := n.Load()
		err := pg.InBatch(t.Context(), pool, func(tx *pg.Tx) error {
			b := tx.Batch()
			notes, seven := pg.Ask[number](b, countNotes, pg.Args{}), pg.Ask[number](b, `SELECT 7 AS n`, pg.Args{})
			if err := b.Run(t.Context()); err != nil {
				return err
			}
			tx.Later(insert, pg.Args{"id": id, "text": "later"})
			if a, b := notes.Rows(), seven.Rows(); len(a) != 1 || len(b) != 1 || a[0].N != id || b[0].N != 7 {
				t.Errorf("the answers are %v, %v", a, b)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := n.Load() - before; id > 0 && took != 2 { // the first time, statements are prepared
			t.Errorf("%d round trips", took)
		}
	}
	if got := texts(t, pool); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func TestABatchBetweenOtherStatements(t *testing.T) {
	t.Parallel()
	err := pg.InTx(t.Context(), newPool(t), func(tx *pg.Tx) error {
		// An option applies to a query that is sent alone, even the transaction's first.
		rows, err := tx.Query(t.Context(), `SELECT 1`, pgx.QueryExecModeCacheDescribe, pg.Args{})
		if err != nil {
			return err
		}
		rows.Close()
		b := tx.Batch()
		none := pg.Ask[number](b, countNotes+` HAVING count(*) > 0`, pg.Args{})
		if none.Rows() != nil {
			t.Error("an answer before the question")
		}
		if err := b.Run(t.Context()); err != nil || none.Rows() == nil || len(none.Rows()) != 0 {
			t.Errorf("%v, %v", none.Rows(), err)
		}
		if err := tx.Batch().Run(t.Context()); err != nil { // an empty one
			t.Error(err)
		}
		_, err = tx.Exec(t.Context(), insert, pg.Args{"id": 1, "text": "after it"})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Whichever query of a batch fails, the batch fails, and nothing of the transaction is kept.
func TestAnErrorInABatchFailsTheTransaction(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	for name, wrong := range map[string]string{"refused": `SELECT 1 / count(*)::int AS n
		FROM notes`, "of another shape": `SELECT 'x' AS n, 2 AS m`} {
		for place := range 3 {
			err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
				tx.Later(insert, pg.Args{"id": 1, "text": "never"})
				b := tx.Batch()
				for i := range 3 {
					if i == place {
						pg.Ask[number](b, wrong, pg.Args{})
					} else {
						pg.Ask[number](b, countNotes, pg.Args{})
					}
				}
				return b.Run(t.Context())
			})
			if err == nil || errors.Is(err, pg.ErrCommit) {
				t.Errorf("%s, query %d: %v", name, place, err)
			}
		}
	}
	if got := texts(t, pool); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// What the server refuses before the commit is known not to have happened; when the answer to all is lost, no one
// knows.
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

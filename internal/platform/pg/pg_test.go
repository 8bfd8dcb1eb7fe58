package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// newPool gives a pool over a database with one empty table, and types of rows.
func newPool(t *testing.T) *pgxpool.Pool {
	pool := pgtest.New(t)
	for _, sql := range []string{
		`CREATE TABLE notes (id int PRIMARY KEY, text text NOT NULL)`,
		`CREATE TYPE new_note AS (id int, text text)`,
		`CREATE TYPE many AS (amount bigint, gone int, kind text, document jsonb, bytes bytea)`,
		`ALTER TYPE many DROP ATTRIBUTE gone`,
	} {
		if _, err := pg.Exec(t.Context(), pool, sql, pg.Args{}); err != nil {
			t.Fatal(err)
		}
	}
	pool.Reset() // a connection knows the types that there were when it was made
	return pool
}

func texts(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	type note struct{ Text string }
	rows, err := pg.All[note](t.Context(), pool, `SELECT text FROM notes ORDER BY id`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Text)
	}
	return out
}

const insert = `INSERT INTO notes (id, text) VALUES (@id, @text)`

func TestLaterRunsInOrderBeforeTheCommit(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		tx.Later(insert, pg.Args{"id": 1, "text": "first"})
		tx.Later(`UPDATE notes SET text = text || '+' WHERE id = @id`, pg.Args{"id": 1})
		if n, err := pg.Value[int](t.Context(), tx, `SELECT count(*)::int FROM notes`, pg.Args{}); err != nil ||
			n != 0 {
			t.Errorf("before the batch there are %d rows, %v", n, err)
		}
		if err := tx.Flush(t.Context()); err != nil {
			return err
		}
		tx.Later(`UPDATE notes SET text = text || '!' WHERE id = @id`, pg.Args{"id": 1})
		n, err := tx.Exec(t.Context(), insert, pg.Args{"id": 2, "text": "second"})
		if n != 1 {
			t.Errorf("touched %d rows", n)
		}
		return err
	})
	if got := texts(t, pool); err != nil || !slices.Equal(got, []string{"first+!", "second"}) {
		t.Errorf("%v, %v", got, err)
	}
}

const (
	insertRows = `INSERT INTO notes (id, text) SELECT * FROM unnest(@rows::new_note[])`
	changeRows = `UPDATE notes n SET text = n.text || c.text FROM unnest(@rows::new_note[]) AS c WHERE n.id = c.id`
)

func TestRowsOfAStatementLeaveTogether(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		for id, text := range []string{"a", "b", "c"} {
			tx.Row(nil, insertRows, pg.Args{"id": id, "text": text})
			tx.Row(id, changeRows, pg.Args{"id": id, "text": "1"})
		}
		tx.Row(1, changeRows, pg.Args{"id": 1, "text": "2"}) // of what was changed: later
		tx.Row(2, changeRows, pg.Args{"id": 2, "text": "2"})
		tx.Row(1, changeRows, pg.Args{"id": 1, "text": "3"})
		return nil
	})
	if got := texts(t, pool); err != nil || !slices.Equal(got, []string{"a1", "b123", "c12"}) {
		t.Errorf("%v, %v", got, err)
	}
	err = pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		tx.Row(nil, insertRows, pg.Args{"id": 3, "text": "d"})
		tx.Row(nil, insertRows, pg.Args{"id": 0, "text": "taken"})
		return nil
	})
	if got := texts(t, pool); pg.Violated(err) != "notes_pkey" || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestWhateverFailsRollsBack(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	boom := errors.New("boom")
	ctx := t.Context()
	cases := map[string]func(tx *pg.Tx) error{
		"an error":          func(tx *pg.Tx) error { tx.Later(insert, pg.Args{"id": 1, "text": "x"}); return boom },
		"an error at once":  func(tx *pg.Tx) error { _, _ = tx.Exec(ctx, insert, pg.Args{"id": 1, "text": "x"}); return boom },
		"a later statement": func(tx *pg.Tx) error { tx.Later(insert, pg.Args{"id": 1, "text": nil}); return nil },
		"a later one of several": func(tx *pg.Tx) error {
			tx.Later(insert, pg.Args{"id": 1, "text": "x"})
			tx.Later(insert, pg.Args{"id": 1, "text": "same id"})
			tx.Later(insert, pg.Args{"id": 2, "text": "y"})
			return nil
		},
		"a missing argument": func(tx *pg.Tx) error { tx.Later(insert, pg.Args{"id": 1}); return nil },
		"an extra argument": func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, insert, pg.Args{"id": 1, "text": "x", "more": 1})
			return err
		},
	}
	for name, fn := range cases {
		if err := pg.InTx(ctx, pool, fn); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is swallowed")
			}
		}()
		_ = pg.InTx(ctx, pool,
			func(tx *pg.Tx) error { _, _ = tx.Exec(ctx, insert, pg.Args{"id": 1, "text": "x"}); panic("boom") })
	}()
	if got := texts(t, pool); len(got) != 0 || pool.Stat().AcquiredConns() != 0 {
		t.Errorf("left behind: %v, %d connections", got, pool.Stat().AcquiredConns())
	}
}

func TestBrokenConstraintHasItsName(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		tx.Later(insert, pg.Args{"id": 1, "text": "x"})
		tx.Later(insert, pg.Args{"id": 1, "text": "x"})
		return nil
	})
	if got := pg.Violated(err); got != "notes_pkey" || pg.Violated(errors.New("x")) != "" || pg.IsUnavailable(err) {
		t.Errorf("violated %q: %v", got, err)
	}
}

func TestRetriesSerializationFailures(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	for _, c := range []struct {
		code  string
		times int // how often it fails
		want  int // how often it runs
		ok    bool
	}{{"40001", 2, 3, true}, {"40P01", 1, 2, true}, {"40001", 99, 5, false}, {"23505", 1, 1, false}} {
		runs := 0
		err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
			if runs++; runs <= c.times {
				return &pgconn.PgError{Code: c.code}
			}
			return nil
		})
		if runs != c.want || (err == nil) != c.ok {
			t.Errorf("%s, %d times: ran %d times, %v", c.code, c.times, runs, err)
		}
	}
}

func TestDeadlockEndsWithBothDone(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	for i, text := range []string{"a", "b"} {
		if _, err := pg.Exec(t.Context(), pool, insert, pg.Args{"id": i, "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	var both, done sync.WaitGroup
	both.Add(2)
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		first := sync.OnceFunc(func() { both.Done(); both.Wait() })
		done.Go(func() {
			err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
				for _, id := range order {
					if _, err := tx.Exec(t.Context(), `UPDATE notes SET text = text || '.'
						WHERE id = @id`, pg.Args{"id": id}); err != nil {
						return err
					}
					first()
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if got := texts(t, pool); !slices.Equal(got, []string{"a..", "b.."}) {
		t.Errorf("%v", got)
	}
}

func TestFullPoolIsAFault(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	for range pool.Config().MaxConns {
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
	ways := map[string]func(context.Context) error{
		"InTx": func(ctx context.Context) error { return pg.InTx(ctx, pool, func(*pg.Tx) error { return nil }) },
		"Value": func(ctx context.Context) error {
			_, err := pg.Value[int](ctx, pool, `SELECT 1`, pg.Args{})
			return err
		},
		"Exec": func(ctx context.Context) error { _, err := pg.Exec(ctx, pool, `SELECT 1`, pg.Args{}); return err },
	}
	var all sync.WaitGroup
	for name, way := range ways {
		all.Go(func() {
			if f, ok := fault.As(way(t.Context())); !ok || f.Code != "overloaded" || f.RetryAfter == 0 {
				t.Errorf("%s: %v", name, f)
			}
		})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := way(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("%s for a caller who is gone: %v", name, err)
		}
	}
	all.Wait()
}

func TestRowsAreMappedStrictly(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	type two struct{ A, B int }
	ctx := t.Context()
	if v, err := pg.One[two](ctx, pool, `SELECT 1 AS a, 2 AS b`, pg.Args{}); err != nil || v != (two{1, 2}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := pg.One[two](ctx, pool, `SELECT 1 AS a, 2 AS b WHERE false`, pg.Args{}); !errors.Is(err, pg.ErrNone) {
		t.Errorf("no row: %v", err)
	}
	for _, sql := range []string{`SELECT 1 AS a`, `SELECT 1 AS a,
		2 AS b, 3 AS c`, `SELECT 1 AS a, 2 AS b
		UNION ALL SELECT 3, 4`, `SELECT 1 AS a, NULL::int AS b`} {
		if v, err := pg.One[two](ctx, pool, sql, pg.Args{}); err == nil {
			t.Errorf("%s gives %v", sql, v)
		}
	}
	if all, err := pg.All[two](ctx, pool, `SELECT 1 AS a, 2 AS b WHERE false`, pg.Args{}); err != nil || all == nil ||
		len(all) != 0 {
		t.Errorf("no rows: %v, %v", all, err)
	}
}

// Rows of one answer have nothing in common, whatever their columns are read into.
func TestRowsShareNothing(t *testing.T) {
	t.Parallel()
	type row struct {
		Number *int
		Words  []string
		Pairs  map[string]string
		Bytes  []byte
	}
	got, err := pg.All[row](t.Context(), pgtest.New(t), `
		SELECT CASE WHEN i < 3 THEN i END AS number, CASE WHEN i < 3 THEN ARRAY['w' || i] END AS words,
			jsonb_build_object('k' || i, i::text) AS pairs, ('b' || i)::bytea AS bytes
		FROM generate_series(1, 3) i`, pg.Args{})
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	one, two := 1, 2
	want := []row{{&one, []string{"w1"}, map[string]string{"k1": "1"}, []byte("b1")},
		{&two, []string{"w2"}, map[string]string{"k2": "2"}, []byte("b2")},
		{nil, nil, map[string]string{"k3": "3"}, []byte("b3")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestEveryConnectionIsBounded(t *testing.T) {
	t.Parallel()
	pool, err := pg.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for name, want := range map[string]string{"statement_timeout": "5s", "lock_timeout": "2s",
		"idle_in_transaction_session_timeout": "10s", "jit": "off", "application_name": "svcpay"} {
		if got, err := pg.Value[string](t.Context(), pool, `SELECT current_setting(@name)`,
			pg.Args{"name": name}); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, want)
		}
	}
}

func TestUnreachableDatabase(t *testing.T) {
	t.Parallel()
	_, err := pg.Open(t.Context(), "postgres://nobody:hunter2@127.0.0.1:1/none?connect_timeout=1")
	if !pg.IsUnavailable(err) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("nothing listens: %v", err)
	}
	if _, err := pg.Open(t.Context(), "postgres://x:hunter2@["); err == nil ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("unreadable address: %v", err)
	}
	for _, cut := range []error{io.ErrUnexpectedEOF, &net.OpError{Op: "read", Err: syscall.ECONNRESET}} {
		if !pg.IsUnavailable(fmt.Errorf("pg: commit: %w", cut)) {
			t.Errorf("%v is said to be our mistake", cut)
		}
	}
	for code, want := range map[string]bool{"28P01": true, "28000": true, "3D000": true, "57P03": false} {
		if pg.IsRejected(fmt.Errorf("pg: %w", &pgconn.PgError{Code: code})) != want {
			t.Errorf("%s: want %v", code, want)
		}
	}
	for code, want := range map[string]bool{"57P01": true, "53300": true, "08006": true, "40001": true, "55P03": true,
		"25P03": true, "23505": false, "42P01": false} {
		if pg.IsUnavailable(&pgconn.PgError{Code: code}) != want {
			t.Errorf("%s: want %v", code, want)
		}
	}
}

func TestFaultOfAnyError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		kind  fault.Kind
		code  string
		retry int
	}{
		{fault.Refused("no", "No."), fault.KindRefused, "no", 0},
		{io.ErrUnexpectedEOF, fault.KindUnavailable, "overloaded", 1},
		{context.DeadlineExceeded, fault.KindUnavailable, "overloaded", 1},
		{errors.New("secret"), fault.KindInternal, "internal_error", 0},
	} {
		f := pg.Fault(fmt.Errorf("outer: %w", c.err))
		if f.Kind != c.kind || f.Code != c.code || f.RetrySeconds() != c.retry ||
			strings.Contains(f.Message, "secret") || !errors.Is(f, c.err) {
			t.Errorf("%v is told as %+v", c.err, f)
		}
	}
}

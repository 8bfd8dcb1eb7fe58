package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"svcpay/internal/testing/pgtest"
)

// sample is a table with two rows of one charge, a second table that refers to it, and what its copies are made of.
const sample = `
	CREATE TABLE sample (shop bigint, id uuid, name text, created_at timestamptz, PRIMARY KEY (shop, id),
		UNIQUE (shop, name));
	CREATE INDEX sample_by_time ON sample (created_at);
	CREATE TABLE referring (shop bigint, id uuid, FOREIGN KEY (shop, id) REFERENCES sample (shop, id));
	INSERT INTO sample SELECT 1, md5(n::text)::uuid, 'first-' || n, now() FROM generate_series(1, 2) n;
	CREATE SCHEMA scale;
	CREATE TABLE scale.chosen AS SELECT 0::bigint AS template, 1 AS charge;
	CREATE TABLE scale.stream AS SELECT 0::bigint AS last_sequence, date_trunc('hour', now()) AS hour;
	CREATE TABLE scale.sample AS SELECT 0::bigint AS template, 1 AS charge, row_number() OVER () AS nth, x.*
		FROM sample x`

func sampled(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	return conn
}

// look says how many rows there are, and how many indexes are not as they are usually.
func look(t *testing.T, conn *pgx.Conn) (rows, odd int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM sample WHERE created_at > now() - interval '366 days'),
			(SELECT count(*) FROM pg_index WHERE indrelid = 'sample'::regclass
				AND NOT (indisvalid AND indisready AND indislive AND NOT indisclustered))`).
		Scan(&rows, &odd); err != nil {
		t.Fatal(err)
	}
	return rows, odd
}

func TestCopiesHaveTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := sampled(t)
	copies := copied{table: "sample", but: "i = 7",
		set: map[string]string{"id": scaleID("sample"), "name": named("copy-") + " || '-' || t.nth",
			"created_at": "at"}}
	if err := copies.copy(t.Context(), conn, batch+10); err != nil {
		t.Fatal(err)
	}
	if rows, odd := look(t, conn); rows != 2+2*(batch+9) || odd != 0 {
		t.Errorf("%d rows, %d indexes are odd", rows, odd)
	}
	if _, err := conn.Exec(t.Context(), "SET enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	var known int
	if err := conn.QueryRow(t.Context(), `
		SELECT count(*) FROM sample
			WHERE shop = 1 AND name IN ('first-1', 'copy-1000000001-1', 'copy-1000100010-2', 'copy-1000000007-1')`).
		Scan(&known); err != nil || known != 3 {
		t.Errorf("by their names %d are found, %v", known, err)
	}
	if _, err := conn.Exec(t.Context(),
		"INSERT INTO sample VALUES (1, md5('x')::uuid, 'copy-1000000008-1', now())"); err == nil {
		t.Error("a name was given twice")
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO referring VALUES (1, md5('x')::uuid)"); err == nil {
		t.Error("what is not there was referred to")
	}
}

func TestCopiesThatBreakAConstraintAreNone(t *testing.T) {
	t.Parallel()
	conn := sampled(t)
	copies := copied{table: "sample", set: map[string]string{"id": scaleID("sample"), "created_at": "at"}}
	if err := copies.copy(t.Context(), conn, 10); err == nil {
		t.Error("names were given twice")
	}
	if rows, odd := look(t, conn); rows != 2 || odd != 0 {
		t.Errorf("%d rows, %d indexes are odd", rows, odd)
	}
}

func TestAtOnce(t *testing.T) {
	t.Parallel()
	var sum atomic.Int64
	failed := errors.New("five")
	err := atOnce([]int64{1, 2, 3, 4, 5}, func(n int64) error {
		sum.Add(n)
		if n == 5 {
			return failed
		}
		return nil
	})
	if sum.Load() != 15 || !errors.Is(err, failed) {
		t.Errorf("%d, %v", sum.Load(), err)
	}
}

// What is measured after databases were filled is measured with the settings of every other measurement.
func TestHasteEndsWithTheFilling(t *testing.T) {
	t.Parallel()
	c, err := startCluster(t.Context(), pgtest.StateDir(t), options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	settings := func() []string {
		all, err := value[[]string](t.Context(), c, floorDatabase,
			"SELECT array_agg(name || '=' || setting ORDER BY name) FROM pg_settings WHERE name NOT LIKE 'in_%'")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before, pid := settings(), c.pid
	if err := c.hastily(t.Context(), func() error {
		if now := settings(); !slices.Contains(now, "wal_level=minimal") || !slices.Contains(now, "autovacuum=off") ||
			!slices.Contains(now, "fsync=on") {
			t.Errorf("it is not hasty: %s", cmp.Diff(before, now))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, settings()); diff != "" || c.pid == pid {
		t.Errorf("afterwards: %s", diff)
	}
}

func TestRoomForCharges(t *testing.T) {
	t.Parallel()
	impossible := options{scale: true, rows: 1_000_000_000_000}
	for _, o := range []options{{scale: true, rows: 1}, {rows: impossible.rows}} {
		if err := roomFor(o, t.TempDir()); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if roomFor(impossible, t.TempDir()) == nil || roomFor(options{}, t.TempDir()+"/missing") == nil {
		t.Error("there is room that there is not")
	}
}

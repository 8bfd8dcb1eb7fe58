package pgtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
)

// state is what a database has.
type state struct {
	Catalog   string            // a summary of its tables, functions, triggers and the like
	Rows      map[string]string // of the tables that migrations filled, as JSON arrays
	Sequences map[string]int64  // the last values of those that migrations used
}

// stateOf reads the state of a new template.
func stateOf(ctx context.Context, conn *pgx.Conn) (s state, err error) {
	if s.Catalog, err = catalogOf(ctx, conn); err != nil {
		return s, err
	}
	tables, err := filledTables(ctx, conn)
	if err != nil {
		return s, err
	}
	s.Rows = make(map[string]string)
	for _, table := range tables {
		if s.Rows[table], err = rowsOf(ctx, conn, table); err != nil {
			return s, err
		}
	}
	s.Sequences = make(map[string]int64)
	used, err := usedSequences(ctx, conn)
	for _, q := range used {
		s.Sequences[q.Name] = q.Last
	}
	return s, err
}

// describe keeps the state of a new template as its comment, which copies don't have.
func (m template) describe(ctx context.Context, admin *pgx.Conn, dir, name string) error {
	conn, err := pgx.Connect(ctx, localpg.URL(dir, name))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	s, err := stateOf(ctx, conn)
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	var statement string
	err = admin.QueryRow(ctx, `SELECT format('COMMENT ON DATABASE %I IS %L', $1::text, $2::text)`, name, string(text)).
		Scan(&statement)
	if err != nil {
		return err
	}
	_, err = admin.Exec(ctx, statement)
	return err
}

// states are those of the templates that this process has asked about, by their names.
var states sync.Map

// state is that of the template.
func (m template) state(ctx context.Context, dir string) (s state, err error) {
	if known, ok := states.Load(m.name()); ok {
		return known.(state), nil
	}
	err = administer(ctx, dir, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT shobj_description(oid, 'pg_database')::jsonb FROM pg_database
			WHERE datname = $1`, m.name()).Scan(&s)
	})
	if err == nil {
		states.Store(m.name(), s)
	}
	return s, err
}

// restore deletes the rows that were added, writes those that were changed, and sets sequences and statistics back.
// Triggers and foreign keys don't see any of it.
func (s state) restore(ctx context.Context, conn *pgx.Conn) error {
	filled, err := filledTables(ctx, conn)
	if err != nil {
		return err
	}
	batch := new(pgx.Batch)
	batch.Queue(`SET session_replication_role = replica`)
	for _, table := range filled {
		if _, before := s.Rows[table]; !before {
			batch.Queue(`DELETE FROM ` + table)
		}
	}
	for table, before := range s.Rows {
		switch now, err := rowsOf(ctx, conn, table); {
		case err != nil:
			return err
		case now != before:
			batch.Queue(`DELETE FROM ` + table)
			batch.Queue(fmt.Sprintf(`INSERT INTO %[1]s SELECT * FROM jsonb_populate_recordset(NULL::%[1]s, $1)`, table),
				before)
		}
	}
	used, err := usedSequences(ctx, conn)
	if err != nil {
		return err
	}
	for _, q := range used {
		if last, before := s.Sequences[q.Name]; !before {
			batch.Queue(`SELECT setval($1::text::regclass, $2, false)`, q.Name, q.Start)
		} else if q.Last != last {
			batch.Queue(`SELECT setval($1::text::regclass, $2)`, q.Name, last)
		}
	}
	batch.Queue(`SELECT pg_stat_reset()`)
	return conn.SendBatch(ctx, batch).Close()
}

// catalogOf changes with whatever is made, changed or removed in a database's catalog, and with what is known of its
// tables for the planner.
func catalogOf(ctx context.Context, conn *pgx.Conn) (summary string, err error) {
	err = conn.QueryRow(ctx, `
		SELECT string_agg(concat_ws(' ', part, count, sum), E'\n' ORDER BY part) FROM (
			SELECT part, count(*), sum(version::text::bigint) FROM (
				SELECT 'class', xmin FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
				UNION ALL SELECT 'estimate', (reltuples::bigint + 1)::text::xid FROM pg_class WHERE oid >= 16384
				UNION ALL SELECT 'column', xmin FROM pg_attribute WHERE attrelid >= 16384
				UNION ALL SELECT 'default', xmin FROM pg_attrdef
				UNION ALL SELECT 'constraint', xmin FROM pg_constraint WHERE oid >= 16384
				UNION ALL SELECT 'trigger', xmin FROM pg_trigger
				UNION ALL SELECT 'function', xmin FROM pg_proc WHERE oid >= 16384
				UNION ALL SELECT 'type', xmin FROM pg_type WHERE oid >= 16384
				UNION ALL SELECT 'rule', xmin FROM pg_rewrite WHERE oid >= 16384
				UNION ALL SELECT 'policy', xmin FROM pg_policy
				UNION ALL SELECT 'schema', xmin FROM pg_namespace
				UNION ALL SELECT 'default right', xmin FROM pg_default_acl
				UNION ALL SELECT 'statistics', xmin FROM pg_statistic WHERE starelid >= 16384
				UNION ALL SELECT 'extension', xmin FROM pg_extension
				UNION ALL SELECT 'setting', xmin FROM pg_db_role_setting WHERE setdatabase = (
					SELECT oid FROM pg_database WHERE datname = current_database())
			) AS one (part, version) GROUP BY part) AS parts`).Scan(&summary)
	return summary, err
}

// filledTables are those that have, or had, rows.
func filledTables(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `SELECT oid::regclass::text FROM pg_class
		WHERE relkind IN ('r', 'm') AND oid >= 16384 AND relpersistence <> 't' AND pg_relation_size(oid) > 0`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func rowsOf(ctx context.Context, conn *pgx.Conn, table string) (rows string, err error) {
	err = conn.QueryRow(ctx, `SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t::text), '[]')::text FROM `+table+` t`).
		Scan(&rows)
	return rows, err
}

// sequence is one from which values were taken.
type sequence struct {
	Name        string
	Start, Last int64
}

func usedSequences(ctx context.Context, conn *pgx.Conn) ([]sequence, error) {
	rows, err := conn.Query(ctx, `SELECT * FROM (SELECT seqrelid::regclass::text AS name, seqstart AS start,
		pg_sequence_last_value(seqrelid) AS last FROM pg_sequence) q WHERE last IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[sequence])
}

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the copies of charges are like.
const (
	templates = 400 // charges that are copied
	payerHas  = 10  // charges
	matches   = 100 // charges with one name, or with the same last digits, in the small database: more than a page
	span      = 365 * 24 * time.Hour
	batch     = 100_000
)

// copied is a table that has rows of every charge, and what differs in a copy: of, the column that names the
// charge; set, expressions for columns, in which i is the copy's number, at its time, it its charge, t the row that is copied and
// t.nth its number among the rows of its charge; but, which rows a failed charge has none of.
type copied struct {
	table, of string
	set       map[string]string
	but       string
}

// One charge of fifty was declined.
const isFailed = "i % 50 = 0"

func unless(captured, failed string) string {
	return "CASE WHEN " + isFailed + " THEN " + failed + " ELSE " + captured + " END"
}

// different is how many names and last digits there are, where the large database has so many charges.
func different(rows int) int { return max(1, min(10_000, rows/tenth/matches)) }

// copies are the tables, charges first. Keys are those of the last day, since older ones have been purged.
func copies(rows, different int) []copied {
	subject := func(of string) string {
		return "CASE WHEN t." + of + " = t.charge THEN it ELSE scale_id('subject' || t.nth, i, at) END"
	}
	return []copied{
		{table: "charges", of: "id", set: map[string]string{
			"id": "it", "external_id": "'order-' || i", "metadata": "jsonb_build_object('campaign', (i % 1000)::text)",
			"billing": fmt.Sprintf(`t.billing || jsonb_build_object('first_name', 'Given' || i %% 997, 'last_name', 'Family' || i / 7 %% %d,
				'email', 'payer' || i %% %d || '@example.org')`, different, max(1, rows/payerHas)),
			"payment_method":      fmt.Sprintf("t.payment_method || jsonb_build_object('last4', lpad((i / 7 %% %d)::text, 4, '0'))", different),
			"processor_reference": "'scale-' || i", "created_at": "at", "updated_at": "at",
			"status":            unless("t.status", "'failed'"),
			"amount_authorized": unless("t.amount_authorized", "0"), "amount_captured": unless("t.amount_captured", "0"),
			"authorized_at": unless("at", "NULL"), "captured_at": unless("at", "NULL"), "failed_at": unless("NULL", "at"),
			"fee_total": unless("t.fee_total", "0"), "fees": unless("t.fees", "'[]'"), "available_on": unless("t.available_on", "NULL"),
			"next_step_at": unless("at + interval '10 years'", "NULL"), // nothing is to become of them
			"failure": unless("NULL", `'{"code": "card_declined", "decline_code": "generic_decline", "message": "The card was declined.",
				"advice": "use_another_method", "retryable": false}'::jsonb`),
		}},
		{table: "processor_operations", of: "charge_id", set: map[string]string{
			"id": "scale_id('operation' || t.nth, i, at)", "charge_id": "it", "subject_id": subject("subject_id"), "reference": "'scale-' || t.nth || '-' || i",
			"idempotency_key": "'scale-' || i", "created_at": "at", "finished_at": "at", "state": unless("t.state", "'declined'"),
		}},
		{table: "ledger_entries", of: "charge_id", but: isFailed, set: map[string]string{
			"id": "scale_id('entry' || t.nth, i, at)", "business_key": "'scale-' || t.nth || '-' || i", "source_id": subject("source_id"), "charge_id": "it",
			"created_at": "at",
		}},
		{table: "fee_events", of: "source_id", but: isFailed, set: map[string]string{"source_id": "it", "occurred_at": "at"}},
		{table: "events", of: "object_id", set: map[string]string{
			"id": "scale_id('event' || t.nth, i, at)", "object_id": "it", "created_at": "at",
			"sequence": "(SELECT last_sequence FROM scale_stream) + 2 * i + t.nth",
		}},
		{table: "idempotency_keys", of: "object_id", but: fmt.Sprintf("i < %d", rows-rows/365), set: map[string]string{
			"key": "'scale-' || i", "object_id": "it", "created_at": "at", "expires_at": "now() + interval '1 day'",
		}},
	}
}

// filled makes a database of so many charges, and the server for it.
func (b *bench) filled(ctx context.Context, name string, rows, different int, to io.Writer) (*product, error) {
	began := time.Now()
	if err := b.cluster.exec(ctx, floorDatabase, "CREATE DATABASE "+name+" TEMPLATE "+productDatabase); err != nil {
		return nil, err
	}
	if err := b.cluster.fill(ctx, name, rows, different); err != nil {
		return nil, err
	}
	if err := b.cluster.exec(ctx, name, "VACUUM ANALYZE"); err != nil {
		return nil, err
	}
	if err := b.cluster.audit(ctx, name, books[1:]); err != nil { // copies are as good as what was copied
		return nil, err
	}
	size, err := value[int64](ctx, b.cluster, name, "SELECT pg_database_size(current_database())")
	fmt.Fprintf(to, "%s: %d charges in %v, %d MB\n", name, rows, time.Since(began).Round(time.Second), size>>20)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := *b.server
	p.cmd, p.name, p.database, p.addr, p.listens = nil, name, b.cluster.url(name), l.Addr().String(), l.Addr().String()
	return &p, l.Close()
}

// fill copies charges with all that they left, a part at a time, while no index but those of constraints is there.
func (c *cluster) fill(ctx context.Context, database string, rows, different int) error {
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tables := copies(rows, different)
	indexes, err := dropIndexes(ctx, conn, tables)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, prepareCopies); err != nil {
		return err
	}
	for _, t := range tables {
		columns, err := t.prepare(ctx, conn)
		if err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
		for from := 1; from <= rows; from += batch {
			if _, err := conn.Exec(ctx, t.statement(columns, rows, from, min(rows, from+batch-1))); err != nil {
				return fmt.Errorf("%s: %w", t.table, err)
			}
		}
	}
	for _, index := range append(indexes, balanced) {
		if _, err := conn.Exec(ctx, index); err != nil {
			return fmt.Errorf("%s: %w", index, err)
		}
	}
	return nil
}

// prepareCopies chooses the charges to copy. References are not checked: they are whole by construction.
var prepareCopies = fmt.Sprintf(`
	SET session_replication_role = replica;
	SET maintenance_work_mem = '512MB';
	CREATE TEMP TABLE scale_chosen AS SELECT row_number() OVER (ORDER BY id) - 1 AS template, id AS charge
		FROM (SELECT id FROM charges WHERE status = 'captured' ORDER BY id LIMIT %d) c;
	CREATE TEMP TABLE scale_stream AS SELECT max(last_sequence) AS last_sequence FROM event_streams;
	CREATE FUNCTION pg_temp.scale_id(salt text, i bigint, at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE
		RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || substr(md5(salt || i), 1, 20))::uuid`, templates)

// balanced brings up to date what is kept of sums: the number of the last event, and the totals of the ledger. Those
// of charges the service makes, as after an upgrade.
const balanced = `
	DELETE FROM charge_totals;
	DELETE FROM charge_cutoffs;
	UPDATE event_streams s SET last_sequence = (SELECT max(sequence) FROM events e WHERE e.application_id = s.application_id);
	INSERT INTO ledger_cutoffs (application_id, through)
		SELECT a.id, (SELECT l.id FROM ledger_entries l WHERE l.application_id = a.id ORDER BY l.id DESC LIMIT 1) FROM applications a
		ON CONFLICT (application_id) DO UPDATE SET through = excluded.through;
	DELETE FROM ledger_totals;
	INSERT INTO ledger_totals (application_id, merchant_id, account, currency, balance) SELECT application_id, merchant_id, account, currency, balance FROM ledger_balances`

// prepare gathers the rows to copy, and names the table's columns that can be written.
func (t copied) prepare(ctx context.Context, conn *pgx.Conn) (columns []string, err error) {
	if _, err := conn.Exec(ctx, fmt.Sprintf(`
		CREATE TEMP TABLE scale_%s AS SELECT s.template, s.charge, row_number() OVER (PARTITION BY s.charge) AS nth, x.*
		FROM %s x JOIN scale_chosen s ON s.charge = x.%s; ANALYZE scale_%s`, t.table, t.table, t.of, t.table)); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, `
		SELECT attname::text FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = '' ORDER BY attnum`, t.table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// statement copies a part of the rows.
func (t copied) statement(columns []string, rows, from, to int) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		if values[i] = "t." + c; t.set[c] != "" {
			values[i] = t.set[c]
		}
	}
	but := ""
	if t.but != "" {
		but = "WHERE NOT (" + t.but + ")"
	}
	step := span / time.Duration(rows)
	return fmt.Sprintf(`
		INSERT INTO %s (%s)
		SELECT %s FROM (SELECT i, at, pg_temp.scale_id('charge', i, at) AS it FROM generate_series(%d, %d) i
			CROSS JOIN LATERAL (SELECT date_trunc('hour', now()) - (%d - i) * interval '%d us' AS at) made) made
		JOIN scale_%s t ON t.template = i %% (SELECT count(*) FROM scale_chosen) %s`,
		t.table, strings.Join(columns, ", "), strings.ReplaceAll(strings.Join(values, ", "), "scale_id(", "pg_temp.scale_id("), from, to, rows,
		step.Microseconds(), t.table, but)
}

// dropIndexes drops those that no constraint has, and returns what makes them again.
func dropIndexes(ctx context.Context, conn *pgx.Conn, of []copied) (again []string, err error) {
	var names []string
	for _, t := range of {
		names = append(names, t.table)
	}
	rows, err := conn.Query(ctx, `
		SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY ($1)
			AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)`, names)
	if err != nil {
		return nil, err
	}
	if again, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	for _, index := range again {
		words := strings.Fields(index) // CREATE [UNIQUE] INDEX name ON
		if _, err := conn.Exec(ctx, "DROP INDEX "+words[slices.Index(words, "INDEX")+1]); err != nil {
			return nil, err
		}
	}
	return again, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"svcpay/test/rig"
)

// hasty are the cluster's settings while databases are filled, which no one needs who loses them: a file that began
// with its transaction is not logged next to, and no checkpoint writes what is written again soon.
var hasty = []string{
	"wal_level = minimal", "max_wal_senders = 0", "full_page_writes = off", "synchronous_commit = off",
	"max_wal_size = '4GB'", "checkpoint_timeout = '1h'", "autovacuum = off", "maintenance_work_mem = '512MB'",
	"work_mem = '128MB'",
}

// hastily does something under those settings. Afterwards they are what they are everywhere, and all is on the disk.
func (c *cluster) hastily(ctx context.Context, do func() error) error {
	for _, setting := range hasty {
		if err := c.exec(ctx, floorDatabase, "ALTER SYSTEM SET "+setting); err != nil {
			return err
		}
	}
	if err := c.restart(ctx); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := c.exec(ctx, floorDatabase, "ALTER SYSTEM RESET ALL"); err != nil {
		return err
	}
	return c.restart(ctx)
}

func (c *cluster) restart(ctx context.Context) error {
	if err := c.exec(ctx, floorDatabase, "CHECKPOINT"); err != nil { // a stop waits for one, but not for long
		return err
	}
	if err := c.server.Stop(ctx); err != nil {
		return err
	}
	return c.start(ctx)
}

// settings are those of PostgreSQL: where there are many charges, what the handbook (docs/operations.md) has it start
// with, a quarter of the machine's memory for its pages and room in its log; otherwise the little that it takes on its
// own.
func (o options) settings() ([]string, error) {
	if o.written {
		return []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=10000"}, nil
	}
	if !o.scale {
		return nil, nil
	}
	var machine syscall.Sysinfo_t
	if err := syscall.Sysinfo(&machine); err != nil {
		return nil, fmt.Errorf("the machine's memory: %w", err)
	}
	buffers := fmt.Sprintf("shared_buffers=%dMB", machine.Totalram*uint64(machine.Unit)/4>>20)
	return []string{buffers, "max_wal_size=8GB", "wal_compression=lz4"}, nil
}

// remember has the indexes of charges read from their files: a machine whose server has run for a while has them in
// memory, and one on which that was just filled has what was written last.
func (c *cluster) remember(ctx context.Context, database string) error {
	if err := c.exec(ctx, database, "CREATE EXTENSION IF NOT EXISTS pg_prewarm"); err != nil {
		return err
	}
	return c.exec(ctx, database,
		"SELECT pg_prewarm(indexrelid, 'read') FROM pg_index WHERE indrelid = 'charges'::regclass")
}

// chargeTakes is how many bytes of disk a charge takes with what it leaves and its indexes, and while they are made.
const chargeTakes = 10_500

// roomFor fails where a disk has no room for the charges that are asked for.
func roomFor(o options, dir string) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil || !o.scale {
		return err
	}
	const each = chargeTakes * (tenth + 1) / tenth
	if free := int(disk.Bavail) * int(disk.Bsize); free < o.rows*each {
		return fmt.Errorf(
			"%d charges and a tenth take %d GB, and %s has %d: TMPDIR names another place, -rows %d would fit",
			o.rows, o.rows*each/1e9, dir, free/1e9, free/each/1000*1000)
	}
	return nil
}

// filled makes a database of so many charges, and the server for it.
func (b *bench) filled(ctx context.Context, name string, rows, different int, to io.Writer) (*product, error) {
	began, before := time.Now(), b.spent()
	if err := b.cluster.exec(ctx, floorDatabase, "CREATE DATABASE "+name+" TEMPLATE "+productDatabase); err != nil {
		return nil, err
	}
	if err := b.cluster.fill(ctx, name, rows, different); err != nil {
		return nil, err
	}
	if err := b.cluster.audit(ctx, name, books[1:]); err != nil { // copies are as good as what was copied
		return nil, err
	}
	size, err := value[int64](ctx, b.cluster, name, "SELECT pg_database_size(current_database())")
	fmt.Fprintf(to, "%s: %d charges in %v, %v of PostgreSQL's processor time, %d MB\n", name, rows,
		time.Since(began).Round(time.Second), b.spent().since(before).database.Round(time.Second), size>>20)
	if err != nil {
		return nil, err
	}
	addr, err := rig.FreeAddr()
	p := *b.server
	p.cmd, p.name, p.database, p.addr, p.listens = nil, name, b.cluster.url(name), addr, addr
	return &p, err
}

// fill copies charges with all that they left, a table on each processor.
func (c *cluster) fill(ctx context.Context, database string, rows, different int) error {
	tables := copies(rows, different)
	gathers := []string{chosen}
	for _, t := range tables {
		gathers = append(gathers, t.gathers())
	}
	for _, sql := range gathers {
		if err := c.exec(ctx, database, sql); err != nil {
			return err
		}
	}
	if err := atOnce(tables, func(t copied) error {
		conn, err := pgx.Connect(ctx, c.url(database))
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		if err := t.copy(ctx, conn, rows); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
		_, err = conn.Exec(ctx, "VACUUM ANALYZE "+t.table)
		return err
	}); err != nil {
		return err
	}
	for _, sql := range []string{balanced, "DROP SCHEMA scale CASCADE", "VACUUM ANALYZE"} {
		if err := c.exec(ctx, database, sql); err != nil {
			return err
		}
	}
	return nil
}

// atOnce does something for each, on as many processors as there are.
func atOnce[T any](all []T, do func(T) error) error {
	errs, busy := make([]error, len(all)), make(chan struct{}, runtime.NumCPU())
	var workers sync.WaitGroup
	for i, one := range all {
		busy <- struct{}{}
		workers.Go(func() {
			defer func() { <-busy }()
			errs[i] = do(one)
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// chosen are the charges to copy, captured and nothing else since, and where their times and numbers begin.
var chosen = fmt.Sprintf(`
	CREATE SCHEMA scale;
	CREATE TABLE scale.chosen AS SELECT row_number() OVER (ORDER BY id) - 1 AS template, id AS charge
		FROM (SELECT id FROM charges WHERE status = 'captured' AND version = 2 ORDER BY id LIMIT %d) c;
	CREATE TABLE scale.stream AS SELECT max(last_sequence) AS last_sequence, date_trunc('hour', now()) AS hour
		FROM event_streams`, templates)

// gathers is what gathers the rows to copy.
func (t copied) gathers() string {
	return fmt.Sprintf(`
		CREATE TABLE scale.%s AS SELECT s.template, s.charge, row_number() OVER (PARTITION BY s.charge) AS nth, x.*
		FROM %s x JOIN scale.chosen s ON s.charge = x.%s; ANALYZE scale.%s`, t.table, t.table, t.of, t.table)
}

// copy copies the rows of a table, in a file that begins with the transaction, and makes the indexes at the end, those
// of its constraints as well. References are not checked: they are whole by construction.
func (t copied) copy(ctx context.Context, conn *pgx.Conn, rows int) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		columns, err := begin(ctx, tx, t.table)
		if err != nil {
			return err
		}
		for from := 1; from <= rows; from += batch {
			if _, err := tx.Exec(ctx, t.statement(columns, rows, from, min(rows, from+batch-1))); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, "REINDEX TABLE "+t.table)
		return err
	})
}

// begin has a table begin a new file and its indexes wait for REINDEX, which has them be of use again, and names the
// columns that can be written. Constraints could not be dropped without the references to them.
func begin(ctx context.Context, tx pgx.Tx, table string) (columns []string, err error) {
	var key string
	if err := tx.QueryRow(ctx,
		"SELECT conname FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'p'",
		table).Scan(&key); err != nil {
		return nil, err
	}
	for _, sql := range []string{
		"SET LOCAL session_replication_role = replica", "CLUSTER " + table + " USING " + key, "ALTER TABLE " + table +
			" SET WITHOUT CLUSTER",
		"UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = '" + table + "'::regclass",
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	rows, err := tx.Query(ctx, `
		SELECT attname::text FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
			AND attidentity = '' ORDER BY attnum`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// balanced brings up to date what is kept of sums: the number of the last event, and the totals of the ledger. Those
// of charges the service makes, as after an upgrade.
const balanced = `
	DELETE FROM charge_totals;
	DELETE FROM charge_cutoffs;
	UPDATE event_streams s SET last_sequence = (SELECT max(sequence) FROM events e
		WHERE e.application_id = s.application_id);
	INSERT INTO ledger_cutoffs (application_id, through)
		SELECT a.id, (SELECT l.id FROM ledger_entries l WHERE l.application_id = a.id ORDER BY l.id DESC LIMIT 1)
			FROM applications a
		ON CONFLICT (application_id) DO UPDATE SET through = excluded.through;
	DELETE FROM ledger_totals;
	INSERT INTO ledger_totals (application_id, merchant_id, account, currency, balance)
		SELECT application_id, merchant_id, account, currency, balance FROM ledger_balances`

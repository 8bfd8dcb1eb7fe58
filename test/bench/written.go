package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
)

const (
	formerDatabase = "former"
	// heavy is how many charges are made in each database and round: enough that pages and their splits even out.
	heavy = 12_000
	// longest is how much of a statement is printed.
	longest = 100
)

// tableWrites is what was written to a table: rows, and the bytes that its files and those of its indexes have.
type tableWrites struct {
	Name     string  `db:"name"`
	Inserted float64 `db:"inserted"`
	Updated  float64 `db:"updated"`
	InPlace  float64 `db:"in_place"` // of those updated: no index was written (HOT)
	Deleted  float64 `db:"deleted"`
	Table    float64 `db:"table_bytes"`
	Indexes  float64 `db:"index_bytes"`
}

const selectTables = `
	SELECT s.relname AS name, n_tup_ins::float8 AS inserted, n_tup_upd::float8 AS updated,
		n_tup_hot_upd::float8 AS in_place, n_tup_del::float8 AS deleted, pg_table_size(s.relid)::float8 AS table_bytes,
			pg_indexes_size(s.relid)::float8 AS index_bytes
	FROM pg_stat_user_tables s`

// statementCost is what the calls of a statement took: times are microseconds of PostgreSQL's clock.
type statementCost struct {
	Text  string  `db:"text"`
	Calls float64 `db:"calls"`
	Took  float64 `db:"took"`
	WAL   float64 `db:"wal"`
}

const selectStatements = `
	SELECT min(query) AS text, sum(calls)::float8 AS calls, sum(total_exec_time * 1000)::float8 AS took,
		sum(wal_bytes)::float8 AS wal
	FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid WHERE d.datname = current_database() GROUP BY queryid`

// writes is what charges wrote, each: per charge, but for the statements' texts.
type writes struct {
	tables     map[string]tableWrites
	statements map[string]statementCost
	wal        float64
	figure     figure
}

// kept is how many bytes a charge keeps on the disk.
func (w writes) kept() (sum float64) {
	for _, t := range w.tables {
		sum += t.Table + t.Indexes
	}
	return sum
}

// written measures what a charge writes, of this program and of a former one in turn, on one cluster.
func (b *bench) written(ctx context.Context, o options, dir string, to io.Writer) error {
	sides := []*bench{b}
	if o.former != "" {
		former, err := b.formerBench(ctx, o.former, filepath.Join(dir, formerDatabase))
		if former != nil {
			defer former.server.stop()
		}
		if err != nil {
			return fmt.Errorf("the former program: %w", err)
		}
		sides = append(sides, former)
	}
	all := make([][]writes, len(sides))
	for n := range o.rounds + 1 {
		for turn := range sides {
			i := (turn + n) % len(sides) // each round begins with the other
			side := sides[i]
			w, err := side.write(ctx)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return err
			}
			if n == 0 {
				continue // it leaves the room that later ones find
			}
			all[i] = append(all[i], w)
			fmt.Fprintf(to,
				"round %d  %-8s %6.0f/s  %6.0f bytes kept  %6.0f bytes of WAL  server %4.0f µs  PostgreSQL %4.0f µs  foreign %2.0f %%\n", n,
				side.server.name, w.figure.Rate, w.kept(), w.wal, w.figure.Server, w.figure.Database,
				100*w.figure.Foreign)
		}
	}
	all[0][len(all[0])-1].print(to)
	if len(sides) == 1 {
		return nil
	}
	return compareWrites(all[0], all[1], to)
}

// formerBench is a bench of another program, on a database of its own.
func (b *bench) formerBench(ctx context.Context, binary, dir string) (former *bench, err error) {
	if err := os.Mkdir(dir, 0o711); err != nil {
		return nil, err
	}
	if err := b.cluster.exec(ctx, productDatabase, "CREATE DATABASE "+formerDatabase); err != nil {
		return nil, err
	}
	former = &bench{cluster: b.cluster, seconds: b.seconds, repeats: b.repeats}
	if former.server, err = newProduct(ctx, binary, dir, b.cluster, formerDatabase); err != nil {
		return nil, err
	}
	return former, former.seed(ctx)
}

// write makes charges and measures what each wrote, with what follows from it: numbers of events, totals, postings. The
// tables are cleaned before both looks at their sizes, so that room which is used again counts as no growth.
func (b *bench) write(ctx context.Context) (writes, error) {
	conn, err := pgx.Connect(ctx, b.cluster.url(b.server.name))
	if err != nil {
		return writes{}, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return writes{}, err
	}
	before, err := b.tidied(ctx, conn)
	if err != nil {
		return writes{}, err
	}
	spent := b.spent()
	o, err := load{addr: b.server.addr, connections: 32, most: heavy,
		call: b.charges(b.name(), true)}.closed(10 * patience)
	if err == nil {
		err = b.quiet(ctx)
	}
	if err == nil && len(o.latencies) != heavy {
		err = fmt.Errorf("charges were refused: %v", o.statuses)
	}
	if err != nil {
		return writes{}, err
	}
	f := figureOf(charges32, o, b.spent().since(spent))
	after, err := b.tidied(ctx, conn)
	if err != nil {
		return writes{}, err
	}
	w := after.since(before, heavy)
	w.figure = f
	return w, b.audit(ctx)
}

// tidied is what was written so far, after the tables were cleaned.
func (b *bench) tidied(ctx context.Context, conn *pgx.Conn) (w writes, err error) {
	if w.statements, err = namedRows(ctx, conn, selectStatements,
		func(s statementCost) string { return s.Text }); err != nil {
		return w, err
	}
	if err = conn.QueryRow(ctx, `SELECT pg_current_wal_lsn() - '0/0'::pg_lsn`).Scan(&w.wal); err != nil {
		return w, err
	}
	if _, err = conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return w, err
	}
	w.tables, err = namedRows(ctx, conn, selectTables, func(t tableWrites) string { return t.Name })
	return w, err
}

func namedRows[T any](ctx context.Context, conn *pgx.Conn, sql string, name func(T) string) (map[string]T, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	out := make(map[string]T, len(all))
	for _, one := range all {
		out[name(one)] = one
	}
	return out, err
}

// since is what was written after before, by each of n charges.
func (w writes) since(before writes, n float64) writes {
	out := writes{tables: make(map[string]tableWrites), statements: make(map[string]statementCost),
		wal: (w.wal - before.wal) / n}
	for name, t := range w.tables {
		was := before.tables[name]
		out.tables[name] = tableWrites{name, (t.Inserted - was.Inserted) / n, (t.Updated - was.Updated) / n,
			(t.InPlace - was.InPlace) / n,
			(t.Deleted - was.Deleted) / n, (t.Table - was.Table) / n, (t.Indexes - was.Indexes) / n}
	}
	for text, s := range w.statements {
		was := before.statements[text]
		out.statements[text] = statementCost{text, (s.Calls - was.Calls) / n, (s.Took - was.Took) / n,
			(s.WAL - was.WAL) / n}
	}
	return out
}

// print prints the tables and the statements that a charge costs most.
func (w writes) print(to io.Writer) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ntable\tinserted\tupdated\tin place\tdeleted\tbytes\tof indexes\t")
	tables := slices.SortedFunc(maps.Values(w.tables),
		func(a, b tableWrites) int { return cmp.Compare(b.Table+b.Indexes, a.Table+a.Indexes) })
	for _, one := range tables {
		if one.Inserted+one.Updated+one.Deleted >= 0.01 {
			fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t\n", one.Name, one.Inserted, one.Updated,
				one.InPlace, one.Deleted, one.Table, one.Indexes)
		}
	}
	_ = t.Flush()
	t = tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\ncalls\tµs\tWAL\tstatement")
	statements := slices.SortedFunc(maps.Values(w.statements),
		func(a, b statementCost) int { return cmp.Compare(b.Took, a.Took) })
	for _, one := range statements {
		if one.Took >= 1 {
			text := strings.Join(strings.Fields(one.Text), " ")
			fmt.Fprintf(t, "%.3f\t%.0f\t%.0f\t%s\n", one.Calls, one.Took, one.WAL, text[:min(len(text), longest)])
		}
	}
	_ = t.Flush()
}

// compareWrites prints goal G16, and fails if it is missed.
func compareWrites(now, former []writes, to io.Writer) error {
	ratios := func(of func(writes) float64) (all []float64) {
		for i := range now {
			all = append(all, of(now[i])/of(former[i]))
		}
		return all
	}
	g := goal{id: "G16", what: "bytes kept a charge, by those of the former program", gate: 0.85, goal: 0.7, less: true}
	kept := resultOf(g, ratios(writes.kept))
	g.what = "PostgreSQL's CPU a charge, by that of the former program"
	cpu := resultOf(g, ratios(func(w writes) float64 { return w.figure.Database }))
	for _, r := range []result{kept, cpu} {
		fmt.Fprintf(to, "\n%s %s: median %.2f, from %.2f to %.2f; at most %g: %s", r.ID, r.What, r.Median, r.Min, r.Max,
			r.Gate, r.word())
	}
	fmt.Fprintln(to)
	return beyondGates([]result{kept, cpu})
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"
)

// shown is how many pages statements are counted of.
const shown = 100

// statements are what a page of the portal's list asks of the database.
func (b *bench) statements(ctx context.Context, o options) (result, error) {
	r := result{ID: "G9", What: "statements of the portal's list", Gate: 6, Goal: 4, AtMost: true, Steady: true}
	if !o.only.MatchString(listPage) {
		r.Missing = leftOut
		return r, nil
	}
	stop, err := b.cluster.logStatements(ctx)
	if err != nil {
		return r, err
	}
	each, err := b.statementsOfPage(ctx)
	if wrong := stop(ctx); err == nil {
		err = wrong
	}
	r.Median, r.Min, r.Max = float64(each), float64(each), float64(each)
	return r, err
}

// statementsOfPage shows pages one after the other, and then none for as long: the service looks for work all the time.
func (b *bench) statementsOfPage(ctx context.Context) (int, error) {
	list := load{addr: b.server.addr, connections: 1, most: shown, call: b.list()}
	var o outcome
	with, err := b.cluster.counted(func() (err error) {
		o, err = list.closed(patience)
		return err
	})
	if err == nil && len(o.latencies) != shown {
		err = fmt.Errorf("pages were refused: %v", o.statuses)
	}
	if err != nil {
		return 0, err
	}
	without, err := b.cluster.counted(func() error { return sleep(ctx, o.took) })
	return eachOf(with, without, shown), err
}

// eachOf is how many statements one of so many pages asks, whatever else was asked in the meantime.
func eachOf(with, without map[string]int, pages int) (n int) {
	for statement, asked := range with {
		n += int(math.Round(float64(asked-without[statement]) / float64(pages)))
	}
	return n
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// logStatements has the cluster write every statement into its log, until it is told to stop.
func (c *cluster) logStatements(ctx context.Context) (stop func(context.Context) error, err error) {
	if err := c.set(ctx, "SET log_statement = 'all'", "SET log_line_prefix = '%a '"); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		return c.set(ctx, "RESET log_statement", "RESET log_line_prefix")
	}, nil
}

// reloading is how long every connection is given to know of a new setting.
const reloading = 500 * time.Millisecond

func (c *cluster) set(ctx context.Context, settings ...string) error {
	for _, s := range settings {
		if err := c.exec(ctx, productDatabase, "ALTER SYSTEM "+s); err != nil {
			return err
		}
	}
	if err := c.exec(ctx, productDatabase, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return sleep(ctx, reloading)
}

// counted counts each statement of the service while do is done.
func (c *cluster) counted(do func() error) (map[string]int, error) {
	log := filepath.Join(c.dir, "postgres.log")
	before, err := os.Stat(log)
	if err == nil {
		err = do()
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	return statementsIn(text[before.Size():]), nil
}

// statementsIn counts the statements of the service in a log of PostgreSQL by their first lines, in which those that
// are prepared have a name; begin and commit are statements too.
func statementsIn(log []byte) map[string]int {
	all := make(map[string]int)
	for line := range bytes.Lines(log) {
		if said, ok := bytes.CutPrefix(line, []byte("svcpay LOG:  ")); ok &&
			(bytes.HasPrefix(said, []byte("execute ")) || bytes.HasPrefix(said, []byte("statement: "))) {
			all[string(said)]++
		}
	}
	return all
}

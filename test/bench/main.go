// Command bench measures the service next to what PostgreSQL alone could do, on one throw-away cluster:
// goals of the design next to their ratios, as a table and as JSON. See README.md.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"
)

// bench is one measurement.
type bench struct {
	cluster *cluster
	server  *product
	twin    *product // a second server on the same database; nil for none
	hooks   *hooks   // nil: no webhooks are measured
	peer    *peer    // nil: no peers are
	seeded  seeded
	seconds time.Duration // of a cell
	repeats int           // of a cell that other programs disturbed

	names      int
	captured   made
	authorized made
	idle       float64 // MB that the program has before it was asked for anything
}

// options are the command's flags.
type options struct {
	binary, out string
	profile     string
	rounds      int
	seconds     time.Duration
	repeats     int
	only        *regexp.Regexp
	keep, wide  bool
	two, scale  bool
	written     bool
	former      string // a program of before; "" for none
	peer        string // stripe-mock; "" for no peers
	rows        int    // charges of the large database
	overload    time.Duration
}

// heapGrowth is what the service lets its heap grow by before it is collected: River's worker, which is in this
// process, is to have it no worse.
const heapGrowth = 300

func main() {
	debug.SetGCPercent(heapGrowth)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, flags(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func flags() (o options) {
	only, quick := "", false
	flag.StringVar(&o.profile, "profile", "",
		"file for a profile of the program's processor time in the last cell that ran")
	flag.StringVar(&o.binary, "binary", "bin/svcpay-bench", "the program, built with the tag bench")
	flag.StringVar(&o.out, "json", "", "file for the figures as JSON")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	flag.DurationVar(&o.seconds, "cell", 4*time.Second, "how long a cell runs, in whole seconds")
	flag.IntVar(&o.repeats, "repeats", 2, "how often a cell is measured again while other programs disturb it")
	flag.StringVar(&only, "only", "", "cells whose name matches")
	flag.BoolVar(&o.keep, "keep", false, "keep the directory with the program's log")
	flag.DurationVar(&o.overload, "overload", 30*time.Second,
		"how long the open loop at twice the maximum runs; 0 for not at all")
	flag.BoolVar(&o.two, "two", false, "only two servers on one database compared with one")
	flag.BoolVar(&o.written, "written", false,
		"nothing but what a charge writes: rows, bytes, and the time of each statement")
	flag.StringVar(&o.former, "former", "",
		"with -written, a former program that is compared with, built with the tag bench")
	flag.StringVar(&o.peer, "peer", "", "stripe-mock: only the service compared with it and with River")
	flag.BoolVar(&o.scale, "scale", false,
		"only a large database compared with one with a tenth of its charges and an empty one")
	flag.IntVar(&o.rows, "rows", 10_000_000, "charges of the large database")
	flag.BoolVar(&quick, "quick", false, "one short round that fails when a ratio is far from its gate")
	flag.Parse()
	if quick {
		only = cmp.Or(only, steadyCells)
		o.rounds, o.seconds, o.repeats, o.overload, o.wide = 1, 2*time.Second, 0, 0, true
	}
	o.only = regexp.MustCompile(only)
	return o
}

func run(ctx context.Context, o options, to io.Writer) error {
	dir, err := os.MkdirTemp("", "svcpay-bench-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(to, dir)
	} else {
		defer os.RemoveAll(dir)
	}
	if err := cmp.Or(roomFor(o, dir), os.Chmod(dir, 0o711)); err != nil { // root's PostgreSQL runs as another user
		return err
	}
	b := &bench{seconds: o.seconds, repeats: o.repeats}
	if b.cluster, err = startCluster(ctx, dir, o); b.cluster != nil {
		defer b.cluster.stop()
	}
	if err != nil {
		return err
	}
	if !b.cluster.benches() {
		if !o.wide {
			return errors.New("this PostgreSQL has no pgbench: Debian's package has one")
		}
		fmt.Fprintln(to, "this PostgreSQL has no pgbench: nothing is compared with the floor")
	}
	if b.server, err = newProduct(ctx, o.binary, dir, b.cluster, productDatabase); err != nil {
		return err
	}
	defer b.server.stop()
	if b.server.profile, err = filepath.Abs(o.profile); err != nil || o.profile == "" {
		b.server.profile = ""
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if o.two {
		return b.pair(ctx, o, to)
	}
	if o.written {
		return b.written(ctx, o, dir, to)
	}
	if hooked(o) && !o.scale {
		defer func() { b.hooks.stop() }()
		if err := b.receive(ctx); err != nil {
			return err
		}
	}
	if o.peer != "" {
		return b.peers(ctx, o, to)
	}
	r, err := b.figures(ctx, o, to)
	if err != nil {
		return err
	}
	if err := r.write(o.out); err != nil || o.wide {
		return err
	}
	return beyondGates(r.Results)
}

// prepare makes what cells work on, and uses all for a while.
func (b *bench) prepare(ctx context.Context) error {
	if err := b.seed(ctx); err != nil {
		return err
	}
	return b.warmUp(ctx)
}

// farAgain is how often a short run is measured again that is far from its gates: that may be by chance.
const farAgain = 2

// figures measures what the options ask for.
func (b *bench) figures(ctx context.Context, o options, to io.Writer) (r report, err error) {
	if o.scale {
		return b.scale(ctx, o, to)
	}
	for again := 0; ; again++ {
		if r, err = b.report(ctx, o, to); err != nil || !o.wide {
			return r, err
		}
		if err = farFromGates(r.Results); err == nil || again == farAgain {
			return r, err
		}
		fmt.Fprintf(to, "\n%v: again\n\n", err)
	}
}

// report is all that is known in the end.
type report struct {
	Results []result `json:"results"`
	Figures []figure `json:"figures"` // of every round
	Start   float64  `json:"start_to_ready_ms"`
	Binary  float64  `json:"binary_mb"` // without its symbols
	Idle    float64  `json:"idle_mb"`   // before anybody asked for anything
	Loaded  float64  `json:"loaded_mb"` // at the end of the cell that took most
}

// write leaves the report in a file, if that has a name.
func (r report) write(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

func (b *bench) report(ctx context.Context, o options, to io.Writer) (r report, err error) {
	r.Start, r.Idle = float64(b.server.ready.Milliseconds()), b.idle
	bytes, err := weight(o.binary)
	if err != nil {
		return r, err
	}
	r.Binary = float64(bytes) / (1 << 20)
	rounds, err := b.rounds(ctx, o, to)
	for _, one := range rounds {
		for _, f := range one {
			r.Figures, r.Loaded = append(r.Figures, f), max(r.Loaded, f.Resident)
		}
	}
	if err != nil {
		return r, err
	}
	r.Results = results(goals(), rounds)
	more, err := b.special(ctx, o, to)
	if err != nil {
		return r, err
	}
	asked, err := b.statements(ctx, o)
	if err != nil {
		return r, fmt.Errorf("statements: %w", err)
	}
	r.Results = append(slices.Concat(r.Results, more), asked)
	slices.SortStableFunc(r.Results,
		func(a, b result) int { return cmp.Or(len(a.ID)-len(b.ID), cmp.Compare(a.ID, b.ID)) })
	var names []string
	for _, c := range b.cells() {
		names = append(names, c.name)
	}
	r.print(names, rounds, to)
	fmt.Fprintf(to,
		"\nG13: ready %.0f ms after the start (gate 500, goal 100), %.0f MB idle (64, 32), %.0f MB under load (200, 100), binary %.0f MB (45, 30)\n", r.Start, r.Idle, r.Loaded, r.Binary)
	return r, nil
}

// results are the ratios of rounds next to goals.
func results(of []goal, rounds []round) (all []result) {
	for _, g := range of {
		var ratios []float64
		for _, one := range rounds {
			if v := g.ratio(one); v > 0 && v < 1e9 {
				ratios = append(ratios, v)
			}
		}
		all = append(all, resultOf(g, ratios))
	}
	return all
}

// rounds measures every cell once a round; each round begins with another cell.
func (b *bench) rounds(ctx context.Context, o options, to io.Writer) (all []round, err error) {
	cells := b.cells()
	for n := range o.rounds {
		one := make(round)
		for i := range cells {
			c := cells[(i+n*5)%len(cells)]
			needs := c.name == refunds || c.name == captures
			if !o.only.MatchString(c.name) || c.floor && !b.cluster.benches() || needs && len(b.captured.ids) == 0 {
				continue
			}
			f, err := b.measure(ctx, c)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return all, err
			}
			one[c.name] = f
			fmt.Fprintf(to, "round %d  %-42s %8.0f/s  p99 %7.1f ms  foreign %2.0f %%\n", n+1, c.name, f.Rate,
				f.P99/1000, 100*f.Foreign)
		}
		all = append(all, one)
	}
	return all, nil
}

// printCells prints the medians of cells.
func printCells(cells []string, rounds []round, to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w,
		"\ncell\tper second\tp50 ms\tp95 ms\tp99 ms\tserver µs\tPostgreSQL µs\tgenerator µs\tserver MB\tforeign\tfailed\t")
	for _, c := range cells {
		if f, ok := middle(rounds, c); ok {
			fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f %%\t%v\t\n", f.Cell, f.Rate,
				f.P50/1000, f.P95/1000, f.P99/1000,
				f.Server, f.Database, f.Generator, f.Resident, 100*f.Foreign, f.Failed)
		}
	}
	_ = w.Flush()
}

func (r report) print(cells []string, rounds []round, to io.Writer) {
	printCells(cells, rounds, to)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ngoal\twhat\tgate\tgoal\tmedian\tmin\tmax\t\t")
	for _, v := range r.Results {
		sign := "≥"
		if v.AtMost {
			sign = "≤"
		}
		measured := "\t\t"
		if v.Missing == "" {
			measured = fmt.Sprintf("%.2f\t%.2f\t%.2f", v.Median, v.Min, v.Max)
		}
		fmt.Fprintf(w, "%s\t%s\t%s%g\t%s%g\t%s\t%s\t\n", v.ID, v.What, sign, v.Gate, sign, v.Goal, measured, v.word())
	}
	_ = w.Flush()
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"
)

// tenth is by how many times fewer charges the small database has.
const tenth = 10

// The databases, as cells name them. The empty one has no more than what was made to warm it up.
const (
	atLarge = "large"
	atSmall = "small"
	atNone  = "empty"
)

// reading is a page or an object that is asked for again and again, each time about another value.
type reading struct {
	name   string
	portal bool
	path   func(turn int) string
}

// used is for how many cells charges are made in each database before they are measured: what PostgreSQL reads from its
// files when it was just started, once, is no part of what a charge costs.
const used = 12

// readings are those of goal G10. A name is as frequent in the large database as in the small one, which is ten times
// as many charges, and more than a page in both; a payer has ten charges in both.
func readings(rows int) []reading {
	always := func(path string) func(int) string { return func(int) string { return path } }
	return []reading{
		{"list", false, always("/api/charges?limit=50")},
		{"portal's list", true, always("/portal/charges")},
		{"filter by status", false, always("/api/charges?limit=50&status=failed")},
		{"filter by last4", false, func(turn int) string { return fmt.Sprintf("/api/charges?limit=50&last4=%04d", turn*37%different(rows)) }},
		{"search by name", false, func(turn int) string { return "/api/search?limit=50&q=family" + strconv.Itoa(turn*37%different(rows)) }},
		{"search by email", false, func(turn int) string {
			return "/api/search?limit=50&q=email:payer" + strconv.Itoa(turn*37%(rows/tenth/payerHas)) + "@example.org"
		}},
		{"dashboard", true, always("/portal")},
	}
}

func at(name, size string) string { return name + ", " + size }

const chargesAt = "charges, 32 connections"

func scaleGoals(rows int) (all []goal) {
	for _, r := range readings(rows) {
		g := goal{id: "G10", what: fmt.Sprintf("%s: p50 at %d charges by that at a tenth", r.name, rows), gate: 2,
			goal: 1.3, less: true,
			ratio: func(one round) float64 { return one[at(r.name, atLarge)].P50 / one[at(r.name, atSmall)].P50 }}
		cpu := g
		cpu.what, cpu.steady, cpu.ratio = "the same in CPU", true, processor(at(r.name, atLarge), at(r.name, atSmall))
		all = append(all, g, cpu)
	}
	return append(all, goal{id: "G11", what: fmt.Sprintf("charges/s into %d by those into none", rows), gate: 0.85,
		goal: 0.95, ratio: rates(at(chargesAt, atLarge), at(chargesAt, atNone))})
}

// scale measures reads of a database next to one with a tenth of its charges, and charges next to an empty one.
func (b *bench) scale(ctx context.Context, o options, to io.Writer) (r report, err error) {
	empty := b.server
	empty.stop() // it is copied
	servers := map[string]*product{atNone: empty}
	if err := b.cluster.hastily(ctx, func() error {
		if servers[atSmall], err = b.filled(ctx, atSmall, o.rows/tenth, different(o.rows), to); err != nil {
			return fmt.Errorf("%s: %w", atSmall, err)
		}
		if servers[atLarge], err = b.filled(ctx, atLarge, o.rows, different(o.rows), to); err != nil {
			return fmt.Errorf("%s: %w", atLarge, err)
		}
		return nil
	}); err != nil {
		return r, err
	}
	defer func() { b.server = empty }()
	for name, p := range servers {
		began := time.Now()
		if err := p.serve(); err != nil {
			return r, err
		}
		defer p.stop()
		if err := b.quietIn(ctx, p.name); err != nil {
			return r, err
		}
		fmt.Fprintf(to, "%s: charges are in their totals after %v\n", name, time.Since(began).Round(time.Second))
	}
	for _, p := range servers { // to fill them took its time
		if err := cmp.Or(b.signIn(ctx, p.name), b.cluster.remember(ctx, p.name)); err != nil {
			return r, err
		}
	}
	rounds := make([]round, o.rounds)
	for n := range rounds {
		rounds[n] = make(round)
	}
	names, err := b.sized(ctx, o, servers, rounds, to)
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return r, err
	}
	for _, one := range rounds {
		for _, f := range one {
			r.Figures = append(r.Figures, f)
		}
	}
	r.Results = results(scaleGoals(o.rows), rounds)
	r.print(names, rounds, to)
	return r, nil
}

// sized measures each reading at both sizes, and then charges at all: what is new is added up, and walked past, where
// it stands, and would be most of what a reading takes. Each round begins with another size. It returns the cells'
// names.
func (b *bench) sized(ctx context.Context, o options, servers map[string]*product, rounds []round,
	to io.Writer) (names []string, err error) {
	measure := func(n int, name string, sizes []string,
		run func(context.Context, time.Duration) (outcome, error)) error {
		for i := range sizes {
			size := sizes[(i+n)%len(sizes)]
			if !o.only.MatchString(name) {
				continue
			}
			b.server = servers[size]
			f, err := b.measureAt(ctx, at(name, size), run)
			if err != nil {
				return err
			}
			if rounds[n][f.Cell] = f; n == 0 {
				names = append(names, f.Cell)
			}
			fmt.Fprintf(to, "round %d  %-34s %8.0f/s  p50 %8.2f ms  foreign %2.0f %%  failed %v\n", n+1, f.Cell, f.Rate,
				f.P50/1000, 100*f.Foreign, f.Failed)
		}
		return nil
	}
	for n := range rounds {
		for _, r := range readings(o.rows) {
			if err := measure(n, r.name, []string{atSmall, atLarge},
				func(_ context.Context, during time.Duration) (outcome, error) {
					return load{addr: b.server.addr, connections: 2, call: b.reads(r)}.closed(during)
				}); err != nil {
				return names, err
			}
		}
	}
	if !o.only.MatchString(chargesAt) {
		return names, nil
	}
	for name, p := range servers {
		b.server = p
		made, err := b.chargesCounted(ctx, used*b.seconds)
		if err != nil {
			return names, fmt.Errorf("%s, before the first round: %w", name, err)
		}
		fmt.Fprintf(to, "%s: %d charges before the first round of them\n", name, len(made.latencies))
	}
	for n := range rounds {
		if err := measure(n, chargesAt, []string{atNone, atSmall, atLarge}, b.chargesCounted); err != nil {
			return names, err
		}
	}
	return names, nil
}

// reads asks for a reading.
func (b *bench) reads(r reading) call {
	headers := b.headers()
	if r.portal {
		headers = b.cookie()
	}
	return func(turn int) []byte { return request("GET", r.path(turn), b.server.host(false), headers, "") }
}

// measureAt is a cell of one of the databases, without regard to what disturbs it: both sizes share that.
func (b *bench) measureAt(ctx context.Context, name string,
	run func(context.Context, time.Duration) (outcome, error)) (figure, error) {
	before := b.spent()
	o, err := run(ctx, b.seconds)
	if err != nil {
		return figure{}, fmt.Errorf("%s: %w", name, err)
	}
	f := figureOf(name, o, b.spent().since(before))
	f.Resident = resident(b.server.pid())
	return f, nil
}

// chargesCounted makes charges. They count if each is whole.
func (b *bench) chargesCounted(ctx context.Context, during time.Duration) (outcome, error) {
	name := b.name()
	o, err := load{addr: b.server.addr, connections: 32, call: b.charges(name, true)}.closed(during)
	if err == nil {
		err = b.quietIn(ctx, b.server.name)
	}
	if err != nil {
		return o, err
	}
	whole, err := value[int](ctx, b.cluster, b.server.name, wholeCharges, name+"%")
	if err == nil && whole < len(o.latencies) {
		err = fmt.Errorf("%d charges were made, and %d are whole", len(o.latencies), whole)
	}
	return o, err
}

// wholeCharges counts charges whose keys begin with a name, and have their outcomes, their postings and an event a
// version; none at all if one is not so.
const wholeCharges = `
	SELECT CASE WHEN bool_and(c.id IS NOT NULL AND k.state = 'done'
		AND c.amount_captured = (SELECT sum(amount) FROM ledger_entries l WHERE l.application_id = c.application_id
			AND l.charge_id = c.id AND l.kind = 'capture')
		AND c.version = (SELECT count(*) FROM events e WHERE e.application_id = c.application_id
			AND e.object_id = c.id)) THEN count(*) ELSE 0 END
	FROM idempotency_keys k LEFT JOIN charges c ON c.application_id = k.application_id AND c.id = k.object_id
		WHERE k.key LIKE $1 AND k.refusal IS NULL`

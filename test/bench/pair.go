package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"svcpay/test/rig"
)

// asMuch is what two servers make at least, by what one makes on the same machine.
var asMuch = goal{id: "scale", what: "charges/s of two servers, by one server's", gate: 0.95, goal: 0.95}

// warmUp is what a cell of a server that has just begun is preceded by.
const warmUp = time.Second

// pair compares two servers on the database with one, in turn, at two numbers of connections.
func (b *bench) pair(ctx context.Context, o options, to io.Writer) error {
	if err := b.makeTwin(); err != nil {
		return err
	}
	defer b.twin.stop()
	missed := 0
	for _, connections := range []int{32, 128} {
		var ratios []float64
		for n := range o.rounds {
			rates, err := b.turns(ctx, connections, n, to)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return err
			}
			ratios = append(ratios, rates[1]/rates[0])
		}
		r := resultOf(asMuch, ratios)
		fmt.Fprintf(to, "%d connections: %s: median %.2f, from %.2f to %.2f; at least %g: %s\n\n", connections, r.What,
			r.Median, r.Min, r.Max, r.Gate, r.word())
		if r.word() != "goal" {
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("two servers make less than %g of what one makes, at %d numbers of connections",
			asMuch.gate, missed)
	}
	return nil
}

// turns measures one server and two, and tells the rates of both. Every other round begins with two.
func (b *bench) turns(ctx context.Context, connections, round int, to io.Writer) (rates [2]float64, err error) {
	order := []int{1, 2}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	for _, servers := range order {
		f, err := b.measure(ctx, b.serversCell(servers, connections))
		if err != nil {
			return rates, err
		}
		rates[servers-1] = f.Rate
		fmt.Fprintf(to,
			"round %d  %-28s %6.0f/s  p99 %6.1f ms  server %4.0f µs  PostgreSQL %4.0f µs  foreign %2.0f %%\n", round+
				1, f.Cell, f.Rate,
			f.P99/1000, f.Server, f.Database, 100*f.Foreign)
	}
	return rates, nil
}

// serversCell makes charges at one server or at two. Those that it does not need are stopped: they would
// still look for work in the database.
func (b *bench) serversCell(servers, connections int) cell {
	l := load{addr: b.server.addr, connections: connections}
	if servers == 2 {
		l.also = []string{b.twin.listens}
	}
	charge := func(during time.Duration) (outcome, error) {
		l.call = b.charges(b.name(), true)
		return l.closed(during)
	}
	return cell{name: fmt.Sprintf("%d servers, %d connections", servers, connections),
		before: func(context.Context) error {
			b.server.stop()
			b.twin.stop()
			if err := b.server.serve(); err != nil {
				return err
			}
			if servers == 2 {
				if err := b.twin.serve(); err != nil {
					return err
				}
			}
			_, err := charge(warmUp)
			return err
		},
		run: func(_ context.Context, during time.Duration) (outcome, error) { return charge(during) },
	}
}

// makeTwin makes the second server, which answers under the names of the first at another address.
func (b *bench) makeTwin() error {
	addr, err := rig.FreeAddr()
	twin := *b.server
	twin.cmd, twin.listens, twin.log = nil, addr, b.server.log+".twin"
	b.twin = &twin
	return err
}

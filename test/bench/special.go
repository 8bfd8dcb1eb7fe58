package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// special measures what needs a load of its own: twice the maximum, and a slow processor.
func (b *bench) special(ctx context.Context, o options, to io.Writer) ([]result, error) {
	if o.overload <= 0 {
		return []result{
			{ID: "G5", What: "twice the maximum", Gate: 0.8, Goal: 0.95, Missing: "left out"},
			{ID: "G6", What: "answers in 200 ms", Gate: 0.8, Goal: 0.95, Missing: "left out"},
		}, nil
	}
	overload, err := b.overload(ctx, o.overload)
	if err != nil {
		return nil, fmt.Errorf("overload: %w", err)
	}
	slow, err := b.slowProcessor(ctx, o.overload/3)
	if err != nil {
		return nil, fmt.Errorf("slow processor: %w", err)
	}
	out := append(overload, slow...)
	for _, r := range out {
		fmt.Fprintf(to, "%s %s: %.2f\n", r.ID, r.What, r.Median)
	}
	return out, nil
}

func once(id, what string, gate, goal float64, atMost bool, is float64) result {
	return result{ID: id, What: what, Gate: gate, Goal: goal, AtMost: atMost, Median: is, Min: is, Max: is}
}

// overload offers twice as many charges as the service was found to make.
func (b *bench) overload(ctx context.Context, during time.Duration) ([]result, error) {
	best, err := load{addr: b.server.addr, connections: 128, call: b.charges(b.name(), true)}.closed(b.seconds)
	if err != nil {
		return nil, err
	}
	b.maximum = float64(len(best.latencies)) / best.took.Seconds()
	o, err := load{addr: b.server.addr, connections: 1024, call: b.charges(b.name(), true)}.open(2*b.maximum, during)
	if err != nil {
		return nil, err
	}
	if err := b.quiet(ctx); err != nil {
		return nil, err
	}
	goodput := float64(len(o.latencies)) / o.took.Seconds() / b.maximum
	return []result{
		once("G5", "goodput at twice the maximum, by the maximum", 0.8, 0.95, false, goodput),
		once("G5", "p99 of refusals, ms", 100, 20, true, micro(quantile(o.refused, 0.99))/1000),
	}, b.audit(ctx)
}

// The load of a slow processor.
const (
	slowAnswer      = 200 * time.Millisecond
	slowConnections = 512
)

// slowProcessor has the processor take its time, and counts transactions that wait for it.
func (b *bench) slowProcessor(ctx context.Context, during time.Duration) ([]result, error) {
	b.server.stop()
	if err := b.server.serve("BENCH_PROCESSOR_PAUSE="+slowAnswer.String(), "SVCPAY_MAX_REQUESTS=1024"); err != nil {
		return nil, err
	}
	idle, stop := 0, make(chan struct{})
	watched := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				watched <- nil
				return
			case <-time.After(slowAnswer / 2):
			}
			n, err := value[int](ctx, b.cluster, productDatabase, `
				SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '150 ms'`)
			if err != nil {
				watched <- err
				return
			}
			idle = max(idle, n)
		}
	}()
	o, err := load{addr: b.server.addr, connections: slowConnections, call: b.charges(b.name(), true)}.closed(during)
	close(stop)
	if seen := <-watched; err == nil {
		err = seen
	}
	if err == nil {
		err = b.quiet(ctx)
	}
	if err != nil {
		return nil, err
	}
	possible := min(slowConnections/slowAnswer.Seconds(), b.maximum)
	return []result{
		once("G6", "goodput with answers in 200 ms, by 512 / 0.2 s or the maximum", 0.8, 0.95, false, float64(len(o.latencies))/o.took.Seconds()/possible),
		once("G6", "transactions open during the call", 0, 0, true, float64(idle)),
	}, b.audit(ctx)
}

package main

import (
	"context"
	"errors"
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
	slow, err := b.slowProcessor(ctx, o.overload)
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

// most is what the service makes on its own, in charges a second: looked at before and after what is compared with it.
func (b *bench) most(ctx context.Context) (float64, error) {
	if err := b.quiet(ctx); err != nil {
		return 0, err
	}
	o, err := load{addr: b.server.addr, connections: 128, call: b.charges(b.name(), true)}.closed(b.seconds)
	return o.rate(), err
}

// next to has a load run between two looks at the maximum, whose mean is returned.
func (b *bench) beside(ctx context.Context, of func(maximum float64) (outcome, error)) (o outcome, maximum float64,
	err error) {
	before, err := b.most(ctx)
	if err != nil {
		return o, 0, err
	}
	if o, err = of(before); err != nil {
		return o, 0, err
	}
	after, err := b.most(ctx)
	return o, (before + after) / 2, err
}

// overload offers twice as many charges as the service was found to make.
func (b *bench) overload(ctx context.Context, during time.Duration) ([]result, error) {
	o, maximum, err := b.beside(ctx, func(maximum float64) (outcome, error) {
		b.server.turnProfile()
		defer b.server.turnProfile()
		return load{addr: b.server.addr, connections: 1024, call: b.charges(b.name(), true)}.open(2*maximum, during)
	})
	if err != nil {
		return nil, err
	}
	return []result{
		once("G5", "goodput at twice the maximum, by the maximum", 0.8, 0.95, false, o.rate()/maximum),
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
	open := 0
	o, maximum, err := b.beside(ctx, func(float64) (o outcome, err error) {
		if err := b.again("BENCH_PROCESSOR_PAUSE="+slowAnswer.String(), "SVCPAY_MAX_REQUESTS=1024"); err != nil {
			return o, err
		}
		open, err = b.openMeanwhile(ctx, func() (err error) {
			o, err = load{addr: b.server.addr, connections: slowConnections,
				call: b.charges(b.name(), true)}.closed(during)
			return err
		})
		return o, errors.Join(err, b.again())
	})
	if err != nil {
		return nil, err
	}
	return []result{
		once("G6", "goodput with answers in 200 ms, by 512 / 0.2 s or the maximum", 0.8, 0.95, false,
			o.rate()/min(slowConnections/slowAnswer.Seconds(), maximum)),
		once("G6", "transactions open during the call", 0, 0, true, float64(open)),
	}, b.audit(ctx)
}

// again begins the server again and uses it for a moment, as each was that is measured.
func (b *bench) again(settings ...string) error {
	b.server.stop()
	if err := b.server.serve(settings...); err != nil {
		return err
	}
	_, err := load{addr: b.server.addr, connections: 128, call: b.charges(b.name(), true)}.closed(warmUp)
	return err
}

// openMeanwhile counts transactions that hold a connection and wait, the most at a time, while do works.
func (b *bench) openMeanwhile(ctx context.Context, do func() error) (most int, err error) {
	stop, watched := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				watched <- nil
				return
			case <-time.After(slowAnswer / 2):
			}
			n, err := value[int](ctx, b.cluster, productDatabase, `
				SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'
					AND state_change < clock_timestamp() - interval '150 ms'`)
			if err != nil {
				watched <- err
				return
			}
			most = max(most, n)
		}
	}()
	err = do()
	close(stop)
	return most, errors.Join(err, <-watched)
}

package main

import (
	"context"
	"fmt"
	"time"
)

// figure is what a cell came to in one round. Times are microseconds.
type figure struct {
	Cell      string      `json:"cell"`
	Rate      float64     `json:"per_second"`
	P50       float64     `json:"p50_us"`
	P95       float64     `json:"p95_us"`
	P99       float64     `json:"p99_us"`
	Server    float64     `json:"server_cpu_us"` // each, as the next two
	Database  float64     `json:"database_cpu_us"`
	Generator float64     `json:"generator_cpu_us"`
	Foreign   float64     `json:"foreign_share"`
	Resident  float64     `json:"server_mb"`
	Failed    map[int]int `json:"failed,omitempty"` // by status; 0 for no answer
	Repeated  int         `json:"repeated,omitempty"`
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func figureOf(name string, o outcome, s spent) figure {
	n := float64(max(1, len(o.latencies)))
	f := figure{Cell: name, Rate: o.rate(), P50: micro(quantile(o.latencies, 0.5)),
		P95: micro(quantile(o.latencies, 0.95)), P99: micro(quantile(o.latencies, 0.99)),
		Server: micro(s.server) / n, Database: micro(s.database) / n, Generator: micro(s.generator) / n,
		Foreign: s.foreign()}
	for status, count := range o.statuses {
		if status < 200 || status > 299 {
			if f.Failed == nil {
				f.Failed = make(map[int]int)
			}
			f.Failed[status] = count
		}
	}
	return f
}

// tooForeign is the share of other programs' work from which on a cell is measured again.
const tooForeign = 0.15

// measure runs a cell until other programs leave it alone, a few times at most, and looks at the books.
func (b *bench) measure(ctx context.Context, c cell) (figure, error) {
	for repeated := 0; ; repeated++ {
		if c.before != nil {
			if err := c.before(ctx); err != nil {
				return figure{}, fmt.Errorf("%s: %w", c.name, err)
			}
			if err := b.quiet(ctx); err != nil {
				return figure{}, err
			}
		}
		before := b.spent()
		b.server.turnProfile()
		o, err := c.run(ctx, b.seconds)
		b.server.turnProfile()
		if err == nil {
			err = b.quiet(ctx) // what a cell leaves to be done is part of its price
		}
		f := figureOf(c.name, o, b.spent().since(before))
		f.Repeated = repeated
		if b.server.cmd != nil {
			f.Resident = resident(b.server.pid())
		}
		if err == nil {
			err = b.audit(ctx)
		}
		if err == nil && len(o.latencies) == 0 {
			err = fmt.Errorf("nothing succeeded: %v", o.statuses)
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", c.name, err)
		}
		if f.Foreign <= tooForeign || repeated >= b.repeats {
			return f, nil
		}
	}
}

// quietPatience bounds how long the work that follows requests may take, or that follows ten million charges.
const quietPatience = 30 * time.Minute

// quiet waits until every event has its number, every call whose caller went away its outcome, and the totals of
// charges have all that they are to have: until a quarter of an hour ago.
func (b *bench) quiet(ctx context.Context) error { return b.quietIn(ctx, b.server.name) }

func (b *bench) quietIn(ctx context.Context, database string) error {
	const waiting = `
		SELECT count(*) FROM (SELECT FROM events WHERE sequence IS NULL AND NOT test
			-- as all that are open, and an index has those
			UNION ALL SELECT FROM processor_operations WHERE state = 'open' AND next_check_at IS NOT NULL
			UNION ALL SELECT FROM event_streams s LEFT JOIN charge_cutoffs c ON c.application_id = s.application_id
				AND c.sequence = s.last_sequence AND c.until > now() - interval '20 minutes'
					WHERE c.until IS NULL LIMIT 1) w`
	return until(ctx, 100*time.Millisecond, "events are not numbered, charges not in their totals, or operations open",
		func() (bool, error) {
			n, err := value[int](ctx, b.cluster, database, waiting)
			return n == 0, err
		})
}

// until asks again and again whether something is done; missing says what is not after a long time.
func until(ctx context.Context, pause time.Duration, missing string, done func() (bool, error)) error {
	for end := time.Now().Add(quietPatience); time.Now().Before(end); {
		if is, err := done(); is || err != nil {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s after %v", missing, quietPatience)
}

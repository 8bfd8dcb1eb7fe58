package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"svcpay/internal/platform/pg"
)

const (
	// freshFor is how long a reading is told again: the database is asked no more often than that.
	freshFor    = 10 * time.Second
	readTimeout = 2 * time.Second
)

// state measures what waits in the database.
type state struct {
	pool    *pgxpool.Pool
	machine func() time.Time
	descs   map[string]*prometheus.Desc
	// reconciles are the names of the counterparties whose books are compared.
	reconciles []string
	// feeds are the names of those that are read.
	feeds []string

	mu   sync.Mutex
	last *reading
}

// reading is what the database had at a time; without waiting, it could not be read.
type reading struct {
	at       time.Time
	waiting  *waiting
	labelled map[string][]labelled // by the names of their metrics
}

// labelled is the value of a metric with one label.
type labelled struct {
	Label string  `db:"label"`
	Value float64 `db:"value"`
}

type waiting struct {
	Operations      int        `db:"operations"`
	OldestOperation *time.Time `db:"oldest_operation"`
	Events          int        `db:"events"`
	OldestEvent     *time.Time `db:"oldest_event"`
	Deliveries      int        `db:"deliveries"`
	OldestDelivery  *time.Time `db:"oldest_delivery"`
	Overdue         int        `db:"overdue"`
	Ledger          int        `db:"ledger"`
}

func newState(pool *pgxpool.Pool, machine func() time.Time) *state {
	s := &state{pool: pool, machine: machine, descs: make(map[string]*prometheus.Desc)}
	for _, m := range Table() {
		// what one binary has
		if m.Type == "gauge" && m.Name != connections.Name && m.Name != mostConnections.Name &&
			m.Name != processorDown.Name && m.Name != brokenChains.Name {
			s.descs[m.Name] = prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
		}
	}
	return s
}

// Describe implements prometheus.Collector.
func (s *state) Describe(to chan<- *prometheus.Desc) {
	for _, d := range s.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (s *state) Collect(to chan<- prometheus.Metric) {
	r := s.reading()
	tell := func(m Metric, value float64) {
		to <- prometheus.MustNewConstMetric(s.descs[m.Name], prometheus.GaugeValue, value)
	}
	if r.waiting == nil {
		tell(databaseUp, 0)
		return
	}
	w := r.waiting
	tell(databaseUp, 1)
	tell(openOperations, float64(w.Operations))
	tell(oldestOperation, r.age(w.OldestOperation))
	tell(unhandledEvents, float64(w.Events))
	tell(oldestEvent, r.age(w.OldestEvent))
	tell(undelivered, float64(w.Deliveries))
	tell(oldestDelivery, r.age(w.OldestDelivery))
	tell(overdueCharges, float64(w.Overdue))
	tell(ledgerDifference, float64(w.Ledger))
	for name, all := range r.labelled {
		for _, one := range all {
			to <- prometheus.MustNewConstMetric(s.descs[name], prometheus.GaugeValue, one.Value, one.Label)
		}
	}
}

// age is how long ago something was, in seconds.
func (r *reading) age(of *time.Time) float64 {
	if of == nil {
		return 0
	}
	return max(0, r.at.Sub(*of).Seconds())
}

// reading gives the last one while it is fresh; those who look at once share it.
func (s *state) reading() *reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.machine()
	if s.last != nil && now.Sub(s.last.at) < freshFor {
		return s.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	s.last = &reading{at: now}
	if err := s.read(ctx, s.last); err != nil {
		slog.WarnContext(ctx, "metrics could not be read", "error", err.Error())
	}
	return s.last
}

// read reads everything in one round trip.
func (s *state) read(ctx context.Context, r *reading) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		b := tx.Batch()
		waits := pg.Ask[waiting](b, `
			SELECT o.operations, o.oldest_operation, e.events, e.oldest_event, d.deliveries, d.oldest_delivery,
				c.overdue + k.overdue AS overdue,
				(SELECT count(*) FROM ledger_differences WHERE healed_at IS NULL)::int AS ledger
			FROM (SELECT count(*)::int AS operations, min(created_at) AS oldest_operation FROM processor_operations
					WHERE next_check_at IS NOT NULL AND state = 'open') o,
				(SELECT count(*)::int AS events, min(received_at) AS oldest_event FROM inbound_events
					WHERE handled_at IS NULL) e,
				(SELECT count(*)::int AS deliveries, min(created_at) AS oldest_delivery FROM webhook_due) d,
				(SELECT count(*)::int AS overdue FROM charges WHERE next_step_at <= @now) c,
				(SELECT count(*)::int AS overdue FROM application_clocks a
					JOIN charges ON charges.application_id = a.application_id
					WHERE next_step_at > @now AND next_step_at <= @now + a.ahead * interval '1 microsecond') k`,
			pg.Args{"now": r.at})
		differences := pg.Ask[labelled](b, `
			SELECT kind AS label, count(*)::float8 AS value FROM reconciliation_differences
			WHERE resolved_at IS NULL GROUP BY kind ORDER BY kind`, pg.Args{})
		finished := pg.Ask[labelled](b, `
			SELECT processor AS label,
				greatest(extract(epoch FROM @now::timestamptz - max(finished_at)), 0)::float8 AS value
			FROM reconciliation_runs
			WHERE finished_at IS NOT NULL AND processor = ANY (@names) GROUP BY processor ORDER BY processor`,
			pg.Args{"now": r.at, "names": s.reconciles})
		read := pg.Ask[labelled](b, `
			SELECT feed AS label, greatest(extract(epoch FROM @now::timestamptz - read_at), 0)::float8 AS value
			FROM inbound_feeds WHERE read_at IS NOT NULL AND feed = ANY (@feeds) ORDER BY feed`,
			pg.Args{"now": r.at, "feeds": s.feeds})
		quotas := pg.Ask[labelled](b, `
			SELECT kind AS label, max(bytes::float8 / most) AS value FROM stored_bytes
			WHERE day >= (@now::timestamptz AT TIME ZONE 'UTC')::date GROUP BY kind ORDER BY kind`,
			pg.Args{"now": r.at})
		if err := b.Run(ctx); err != nil {
			return err
		}
		r.waiting = &waits.Rows()[0]
		r.labelled = map[string][]labelled{openDifferences.Name: differences.Rows(),
			sinceReconciled.Name: finished.Rows(), sinceRead.Name: read.Rows(), quotaUsed.Name: quotas.Rows()}
		return nil
	})
}

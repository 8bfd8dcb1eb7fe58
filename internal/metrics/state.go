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
	at          time.Time
	waiting     *waiting
	differences []difference
	reconciled  []reconciled
	read        []readFeed
	quotas      []usedQuota
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

// reconciled is when the last reconciliation with a counterparty finished.
type reconciled struct {
	Processor string    `db:"processor"`
	At        time.Time `db:"at"`
}

// readFeed is when a feed was last read.
type readFeed struct {
	Feed string    `db:"feed"`
	At   time.Time `db:"at"`
}

// usedQuota is the largest share of a quota that an application used today.
type usedQuota struct {
	Kind  string  `db:"kind"`
	Share float64 `db:"share"`
}

type difference struct {
	Kind  string `db:"kind"`
	Count int    `db:"count"`
}

func newState(pool *pgxpool.Pool, machine func() time.Time) *state {
	s := &state{pool: pool, machine: machine, descs: make(map[string]*prometheus.Desc)}
	for _, m := range Table() {
		// what one binary has
		if m.Type == "gauge" && m.Name != connections && m.Name != mostConnections && m.Name != processorDown &&
			m.Name != brokenChains {
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
	tell := func(name string, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(s.descs[name], prometheus.GaugeValue, value, labels...)
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
	for _, c := range r.reconciled {
		tell(sinceReconciled, r.age(&c.At), c.Processor)
	}
	for _, f := range r.read {
		tell(sinceRead, r.age(&f.At), f.Feed)
	}
	for _, q := range r.quotas {
		tell(quotaUsed, q.Share, q.Kind)
	}
	for _, d := range r.differences {
		tell(openDifferences, float64(d.Count), d.Kind)
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
		differences := pg.Ask[difference](b, `
			SELECT kind, count(*)::int AS count FROM reconciliation_differences
			WHERE resolved_at IS NULL GROUP BY kind ORDER BY kind`, pg.Args{})
		finished := pg.Ask[reconciled](b, `
			SELECT processor, max(finished_at) AS at FROM reconciliation_runs
			WHERE finished_at IS NOT NULL AND processor = ANY (@names) GROUP BY processor ORDER BY processor`,
			pg.Args{"names": s.reconciles})
		read := pg.Ask[readFeed](b, `
			SELECT feed, read_at AS at FROM inbound_feeds WHERE read_at IS NOT NULL AND feed = ANY (@feeds)
				ORDER BY feed`,
			pg.Args{"feeds": s.feeds})
		quotas := pg.Ask[usedQuota](b, `
			SELECT kind, max(bytes::float8 / most) AS share FROM stored_bytes
			WHERE day >= (@now::timestamptz AT TIME ZONE 'UTC')::date GROUP BY kind ORDER BY kind`,
			pg.Args{"now": r.at})
		if err := b.Run(ctx); err != nil {
			return err
		}
		r.waiting, r.differences, r.reconciled, r.read = &waits.Rows()[0], differences.Rows(), finished.Rows(),
			read.Rows()
		r.quotas = quotas.Rows()
		return nil
	})
}

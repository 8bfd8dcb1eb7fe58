package metrics

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// connectionsOf registers the metrics of this server's connections to the database, which are there whether it answers
// or not.
func (m *Meter) connectionsOf(pool *pgxpool.Pool) {
	of := func(d Metric, labels prometheus.Labels, value func(*pgxpool.Stat) float64) {
		o := prometheus.Opts{Name: d.Name, Help: d.Help, ConstLabels: labels}
		read := func() float64 { return value(pool.Stat()) }
		if d.Type == "counter" {
			m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts(o), read))
			return
		}
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts(o), read))
	}
	of(connections, prometheus.Labels{"state": "used"},
		func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) })
	of(connections, prometheus.Labels{"state": "idle"},
		func(s *pgxpool.Stat) float64 { return float64(s.IdleConns()) })
	of(mostConnections, nil, func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) })
	of(connectionWaits, nil, func(s *pgxpool.Stat) float64 { return float64(s.EmptyAcquireCount()) })
}

// Package metrics counts what the service does and measures what waits, for Prometheus. Nothing in it
// is of a payer or a merchant: labels are names of ours.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metric describes one metric.
type Metric struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

const (
	requests         = "svcpay_http_requests_total"
	panics           = "svcpay_panics_total"
	droppedLogs      = "svcpay_request_logs_dropped_total"
	calls            = "svcpay_processor_calls_total"
	jobs             = "svcpay_job_seconds"
	databaseUp       = "svcpay_database_up"
	openOperations   = "svcpay_operations_open"
	oldestOperation  = "svcpay_operations_open_oldest_seconds"
	unhandledEvents  = "svcpay_inbound_events_unhandled"
	oldestEvent      = "svcpay_inbound_events_unhandled_oldest_seconds"
	overdueCharges   = "svcpay_charges_overdue"
	openDifferences  = "svcpay_reconciliation_differences_open"
	sinceReconciled  = "svcpay_reconciliation_finished_seconds"
	ledgerDifference = "svcpay_ledger_differences_open"
)

// Table lists every metric of ours. docs/metrics.md has the same.
func Table() []Metric {
	return []Metric{
		{requests, "counter", []string{"surface", "route", "status"}, "Requests that were answered by this binary. The route is a pattern, none where there is none."},
		{panics, "counter", []string{"surface"}, "Requests during which this binary's code panicked. They were answered 500."},
		{droppedLogs, "counter", nil, "Entries of the request log that this binary did not write, because too many waited or the database refused them."},
		{calls, "counter", []string{"kind", "outcome"}, "Calls to the processor by this binary: approved, declined, answered, not_found, or unknown if no answer came."},
		{jobs, "histogram", []string{"job", "outcome"}, "Steps of background jobs in this binary, and how long they took: done or failed."},
		{databaseUp, "gauge", nil, "1 if what follows could be read; else 0, and the rest is missing."},
		{openOperations, "gauge", nil, "Calls to the processor without an outcome."},
		{oldestOperation, "gauge", nil, "Age of the oldest such call; 0 without any."},
		{unhandledEvents, "gauge", nil, "Events of the processor, or of the provider of donor-advised funds, that nobody could handle yet."},
		{oldestEvent, "gauge", nil, "Age of the oldest such event; 0 without any."},
		{overdueCharges, "gauge", nil, "Charges that should have expired or settled by now, by their application's clock."},
		{openDifferences, "gauge", []string{"kind"}, "Open differences between a counterparty's book and ours; kinds without any are missing."},
		{sinceReconciled, "gauge", nil, "Time since the last comparison with a counterparty's book was finished, the oldest of them; missing before the first."},
		{ledgerDifference, "gauge", nil, "Running totals of the ledger that are not the sum of their entries."},
	}
}

// find gives a metric by its name, which the table has.
func find(name string) Metric {
	for _, m := range Table() {
		if m.Name == name {
			return m
		}
	}
	panic("metrics: no " + name + " in the table")
}

// Meter holds the metrics of one binary. Its methods may be called from several goroutines.
type Meter struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	panics   *prometheus.CounterVec
	calls    *prometheus.CounterVec
	jobs     *prometheus.HistogramVec
}

func counter(name string) *prometheus.CounterVec {
	m := find(name)
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

// New makes a meter; what waits is read from the database when somebody looks.
func New(pool *pgxpool.Pool, machine func() time.Time) *Meter {
	j := find(jobs)
	m := &Meter{registry: prometheus.NewRegistry(), requests: counter(requests), panics: counter(panics), calls: counter(calls),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: j.Name, Help: j.Help,
			Buckets: []float64{.005, .02, .1, .5, 2, 10, 60}}, j.Labels)}
	m.registry.MustRegister(m.requests, m.panics, m.calls, m.jobs, newState(pool, machine),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers with all metrics.
func (m *Meter) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Request counts an answer. The route is a registered pattern, "" for none.
func (m *Meter) Request(surface, route string, status int) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(surface, route, strconv.Itoa(status)).Inc()
}

// Panic counts a request during which code of a surface panicked.
func (m *Meter) Panic(surface string) { m.panics.WithLabelValues(surface).Inc() }

// RequestLogs has the meter tell how many entries of the request log were dropped so far.
func (m *Meter) RequestLogs(dropped func() int64) {
	d := find(droppedLogs)
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: d.Name, Help: d.Help}, func() float64 { return float64(dropped()) }))
}

// Job counts a step of a job.
func (m *Meter) Job(name string, took time.Duration, err error) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.jobs.WithLabelValues(name, outcome).Observe(took.Seconds())
}

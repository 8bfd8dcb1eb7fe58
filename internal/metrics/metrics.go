// Package metrics counts what the service does and measures queues, for Prometheus. Labels contain no data of payers or
// merchants.
package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"svcpay/internal/platform/security"
)

// Metric describes one metric.
type Metric struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

// table lists the metrics of SvcPay in the order in which they are declared.
var table []Metric

func metric(name, kind, help string, labels ...string) Metric {
	m := Metric{Name: name, Type: kind, Labels: labels, Help: help}
	table = append(table, m)
	return m
}

// Table lists the metrics of SvcPay, as docs/metrics.md does.
func Table() []Metric { return slices.Clone(table) }

var (
	requests = metric("svcpay_http_requests_total", "counter",
		"Requests that were answered by this binary. The route is a pattern, none where there is none.", "surface", "route", "status")
	requestSeconds = metric("svcpay_http_request_seconds", "histogram",
		"How long requests took, from their first byte to the end of the answer. Lists that wait for events are not among them.", "surface")
	panics = metric("svcpay_panics_total", "counter",
		"Requests during which this binary's code panicked. They were answered 500.", "surface")
	droppedLogs = metric("svcpay_request_logs_dropped_total", "counter",
		"Entries of the request log that this binary did not write, because too many waited or the database refused them.")
	calls = metric("svcpay_processor_calls_total", "counter",
		"Calls to a processor by this binary: approved, declined, answered, not_found, or unknown if no answer came.", "processor", "kind", "outcome")
	processorDown = metric("svcpay_processor_down", "gauge",
		"1 for a processor to which this binary's latest calls made no connection, else 0.", "processor")
	unreadable = metric("svcpay_vault_unreadable_total", "counter",
		"Charges and payouts by this binary that failed because the stored payment data does not open.")
	signIns = metric("svcpay_sign_ins_total", "counter",
		"Sign-ins to the portal on this binary: succeeded, or the reason why a password, code or passkey was rejected.", "outcome")
	securityEvents = metric("svcpay_security_events_total", "counter",
		"Security events on this binary: authentication outcomes, denied permissions, exceeded limits, card numbers in texts, card testing, payment data that can't be decrypted, violated policies of pages.", "kind", "outcome")
	jobs = metric("svcpay_job_seconds", "histogram",
		"Steps of background jobs in this binary, and how long they took: done or failed.", "job", "outcome")
	attempts = metric("svcpay_webhook_attempts_total", "counter",
		"Attempts to deliver a webhook by this binary: delivered, refused with another status than 2xx, or unanswered.", "outcome")
	connections = metric("svcpay_database_connections", "gauge",
		"This binary's connections to the database: used or idle.", "state")
	mostConnections = metric("svcpay_database_connections_most", "gauge", "The most that it may have.")
	connectionWaits = metric("svcpay_database_connection_waits_total", "counter",
		"How often something in this binary had to wait for a connection.")
	databaseUp = metric("svcpay_database_up", "gauge",
		"1 if what follows could be read; else 0, and the rest is missing.")
	openOperations  = metric("svcpay_operations_open", "gauge", "Calls to the processor without an outcome.")
	oldestOperation = metric("svcpay_operations_open_oldest_seconds", "gauge",
		"Age of the oldest such call; 0 without any.")
	notices = metric("svcpay_inbound_notices_total", "counter",
		"Notices of counterparties that this binary got: accepted, refused without a valid signature or because they cannot be read, or failed if they could not be stored.", "sender", "result")
	sinceRead = metric("svcpay_inbound_feed_read_seconds", "gauge",
		"Time since a counterparty's feed was last read, to within half a minute, for each that this binary has; missing until the first read.", "feed")
	unhandledEvents = metric("svcpay_inbound_events_unhandled", "gauge",
		"Events of the processor, or of the provider of donor-advised funds, that could not be handled yet.")
	oldestEvent = metric("svcpay_inbound_events_unhandled_oldest_seconds", "gauge",
		"Age of the oldest such event; 0 without any.")
	undelivered = metric("svcpay_webhook_deliveries_pending", "gauge",
		"Webhooks that are to be delivered, at once or at their next attempt.")
	oldestDelivery = metric("svcpay_webhook_deliveries_pending_oldest_seconds", "gauge",
		"Age of the oldest such webhook; 0 without any.")
	overdueCharges = metric("svcpay_charges_overdue", "gauge",
		"Charges that should have expired or settled by now, by their application's clock.")
	openDifferences = metric("svcpay_reconciliation_differences_open", "gauge",
		"Open differences between a counterparty's book and ours; kinds without any are missing.", "kind")
	sinceReconciled = metric("svcpay_reconciliation_finished_seconds", "gauge",
		"Time since the last reconciliation with a counterparty finished, for each counterparty that this binary has an adapter for; missing until the first one finishes.", "processor")
	ledgerDifference = metric("svcpay_ledger_differences_open", "gauge",
		"Running totals of the ledger that are not the sum of their entries.")
	brokenChains = metric("svcpay_audit_chains_broken", "gauge",
		"Chains of the audit log that were changed or cut off, at this binary's last inspection; 0 before the first one.")
	quotaUsed = metric("svcpay_quota_used_ratio", "gauge",
		"The most that an application used of its daily quota for files or exports: 1 is all of it; kinds without any today are missing.", "kind")
)

// Meter holds the metrics of one binary. Its methods may be called from several goroutines.
type Meter struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	panics   *prometheus.CounterVec
	unread   *prometheus.CounterVec
	notices  *prometheus.CounterVec
	calls    *prometheus.CounterVec
	attempts *prometheus.CounterVec
	signIns  *prometheus.CounterVec
	security *prometheus.CounterVec
	jobs     *prometheus.HistogramVec
	seconds  *prometheus.HistogramVec
	broken   prometheus.Gauge
	state    *state
}

func counter(m Metric) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

func histogram(m Metric, buckets ...float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: buckets}, m.Labels)
}

// New makes a meter. Queue lengths and ages are read from the database at each scrape.
func New(pool *pgxpool.Pool, machine func() time.Time) *Meter {
	m := &Meter{registry: prometheus.NewRegistry(), requests: counter(requests), panics: counter(panics),
		unread: counter(unreadable), notices: counter(notices), calls: counter(calls), attempts: counter(attempts),
		signIns: counter(signIns), security: counter(securityEvents),
		jobs: histogram(jobs, .005, .02, .1, .5, 2, 10, 60), seconds: histogram(requestSeconds, .005, .02, .05, .1, .25,
			.5, 1, 2.5, 10, 30),
		broken: prometheus.NewGauge(prometheus.GaugeOpts{Name: brokenChains.Name, Help: brokenChains.Help}),
		state:  newState(pool, machine)}
	m.registry.MustRegister(m.requests, m.seconds, m.panics, m.unread, m.notices, m.calls, m.attempts, m.jobs, m.state,
		m.signIns, m.security, m.broken,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, e := range alarming { // an alert sees a counter grow only if it was there before
		m.security.WithLabelValues(string(e.Kind), e.Outcome)
	}
	m.connectionsOf(pool)
	return m
}

// Handler answers with all metrics.
func (m *Meter) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Request counts an answer and how long it took. The route is a registered pattern, "" for none.
func (m *Meter) Request(surface, route string, status int, took time.Duration) {
	m.Waited(surface, route, status)
	m.seconds.WithLabelValues(surface).Observe(took.Seconds())
}

// Waited counts an answer that took as long as its caller wanted it to.
func (m *Meter) Waited(surface, route string, status int) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(surface, route, strconv.Itoa(status)).Inc()
}

// Panic counts a request during which code of a surface panicked.
func (m *Meter) Panic(surface string) { m.panics.WithLabelValues(surface).Inc() }

// Unreadable counts a use of a token that failed because its data does not open.
func (m *Meter) Unreadable() { m.unread.WithLabelValues().Inc() }

// BrokenChains sets the number of broken chains of the audit log.
func (m *Meter) BrokenChains(n int) { m.broken.Set(float64(n)) }

// alarming are the security events that alerts watch.
var alarming = []security.Event{
	{Kind: security.APIKey, Outcome: "api_key_revoked"}, {Kind: security.APIKey, Outcome: "api_key_expired"},
	{Kind: security.APIKey, Outcome: "ip_not_allowed"}, {Kind: security.APIKey, Outcome: "app_id_mismatch"},
	{Kind: security.SignIn, Outcome: "code_wrong"}, {Kind: security.SignIn, Outcome: "password_wrong"},
	{Kind: security.SignIn, Outcome: "account_locked"}, {Kind: security.CardNumber, Outcome: "rejected"},
	{Kind: security.CardTesting, Outcome: "card_repeated"},
	{Kind: security.CardTesting, Outcome: "address_declines"}, {Kind: security.CardTesting, Outcome: "merchant_declines"},
	{Kind: security.CardTesting, Outcome: "restriction_began"}, {Kind: security.CardTesting, Outcome: "proof_rejected"},
	{Kind: security.PagePolicy, Outcome: "script-src"}, {Kind: security.PagePolicy, Outcome: "script-src-elem"},
	{Kind: security.PagePolicy, Outcome: "script-src-attr"}, {Kind: security.PagePolicy, Outcome: "connect-src"},
	{Kind: security.PagePolicy, Outcome: "form-action"}, {Kind: security.PagePolicy, Outcome: "base-uri"},
}

// Security counts a security event.
func (m *Meter) Security(kind security.Kind, outcome string) {
	m.security.WithLabelValues(string(kind), outcome).Inc()
	if kind == security.SignIn {
		m.signIns.WithLabelValues(outcome).Inc()
	}
}

// RequestLogs has the meter say how many entries of the request log were dropped so far.
func (m *Meter) RequestLogs(dropped func() int64) {
	o := prometheus.CounterOpts{Name: droppedLogs.Name, Help: droppedLogs.Help}
	m.registry.MustRegister(prometheus.NewCounterFunc(o, func() float64 { return float64(dropped()) }))
}

// Hears names the feeds that this binary reads, before it is scraped.
func (m *Meter) Hears(feeds ...string) { m.state.feeds = feeds }

// Notice counts a notice of a counterparty: accepted, refused or failed.
func (m *Meter) Notice(sender, result string) { m.notices.WithLabelValues(sender, result).Inc() }

// Reconciles names the counterparties whose books this binary compares, before the first scrape. Others, such as one
// that the deployment no longer has, are not reported.
func (m *Meter) Reconciles(names ...string) { m.state.reconciles = names }

// Attempt counts an attempt to deliver a webhook by the status of the answer, 0 for none.
func (m *Meter) Attempt(status int) {
	outcome := "refused"
	switch {
	case status == 0:
		outcome = "unanswered"
	case status >= 200 && status <= 299:
		outcome = "delivered"
	}
	m.attempts.WithLabelValues(outcome).Inc()
}

// Job counts a step of a job.
func (m *Meter) Job(name string, took time.Duration, err error) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.jobs.WithLabelValues(name, outcome).Observe(took.Seconds())
}

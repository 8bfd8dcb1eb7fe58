package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/metrics"
	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/platform/security"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// table is how docs/metrics.md has the metrics.
func table() string {
	var b strings.Builder
	for _, m := range metrics.Table() {
		labels := "–"
		if len(m.Labels) > 0 {
			labels = "`" + strings.Join(m.Labels, "`, `") + "`"
		}
		b.WriteString("| `" + m.Name + "` | " + m.Type + " | " + labels + " | " + m.Help + " |\n")
	}
	return b.String()
}

func TestDocumentNamesEveryMetric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil || !strings.Contains(string(text), "|---|---|---|---|\n"+table()+"\n") {
		t.Errorf("docs/metrics.md must have these rows, %v:\n%s", err, table())
	}
}

// scrape reads all metrics of ours: name with labels, and value.
func scrape(t *testing.T, m *metrics.Meter) map[string]string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	out := make(map[string]string)
	for line := range strings.Lines(answer.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "svcpay_") {
			out[name] = value
		}
	}
	return out
}

// expect compares some values; "" stands for a metric that is missing.
func expect(t *testing.T, when string, got, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %s is %q; want %q", when, name, got[name], value)
		}
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := metrics.New(w.Pool, w.Clock.Now)
	m.Request("api", "/api/charges", 201, 40*time.Millisecond)
	m.Request("api", "/api/charges", 201, 3*time.Second)
	m.Request("other", "", 404, 0)
	m.Panic("api")
	m.Unreadable()
	m.Security(security.SignIn, "password_wrong")
	m.Security(security.APIKey, "api_key_revoked")
	m.RequestLogs(func() int64 { return 7 })
	for _, status := range []int{0, 200, 204, 301, 410, 500} {
		m.Attempt(status)
	}
	m.Job("sweep", 30*time.Millisecond, nil)
	m.Job("sweep", time.Second, errors.New("x"))
	m.Job("sweep", time.Hour, errors.New("x"))
	expect(t, "counted", scrape(t, m), map[string]string{
		`svcpay_panics_total{surface="api"}`: "1", "svcpay_request_logs_dropped_total": "7",
		`svcpay_sign_ins_total{outcome="password_wrong"}`:                             "1",
		`svcpay_security_events_total{kind="sign_in",outcome="password_wrong"}`:       "1",
		`svcpay_security_events_total{kind="api_key",outcome="api_key_revoked"}`:      "1",
		`svcpay_security_events_total{kind="card_number",outcome="rejected"}`:         "0",
		"svcpay_vault_unreadable_total":                                               "1",
		`svcpay_http_requests_total{route="/api/charges",status="201",surface="api"}`: "2",
		`svcpay_http_requests_total{route="none",status="404",surface="other"}`:       "1",
		`svcpay_http_request_seconds_bucket{surface="api",le="0.05"}`:                 "1",
		`svcpay_http_request_seconds_count{surface="api"}`:                            "2",
		`svcpay_webhook_attempts_total{outcome="unanswered"}`:                         "1",
		`svcpay_webhook_attempts_total{outcome="delivered"}`:                          "2",
		`svcpay_webhook_attempts_total{outcome="refused"}`:                            "3",
		`svcpay_job_seconds_count{job="sweep",outcome="done"}`:                        "1",
		`svcpay_job_seconds_count{job="sweep",outcome="failed"}`:                      "2",
		`svcpay_job_seconds_sum{job="sweep",outcome="failed"}`:                        "3601",
		`svcpay_job_seconds_bucket{job="sweep",outcome="done",le="0.02"}`:             "0",
		`svcpay_job_seconds_bucket{job="sweep",outcome="done",le="0.1"}`:              "1",
	})
}

// line is a processor whose every answer is the same.
type line struct {
	processor.Processor
	answer processor.Answer
	err    error
}

func (l line) Authorize(context.Context, processor.Authorization) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Debit(context.Context, processor.Debit) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Capture(context.Context, processor.FollowUp) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Void(context.Context, processor.FollowUp) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Refund(context.Context, processor.FollowUp) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Payout(context.Context, processor.Payout) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Start(context.Context, processor.VerificationRequest) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Confirm(context.Context, processor.Confirmation) (processor.Confirmed, error) {
	return processor.Confirmed{}, l.err
}
func (l line) Respond(context.Context, processor.Response) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Lookup(context.Context, processor.Account, string) (processor.Answer, error) {
	return l.answer, l.err
}
func (l line) Messages(context.Context, string, int) ([]notice.Message, error)   { return nil, l.err }
func (l line) Events(context.Context, notice.Message) ([]processor.Event, error) { return nil, l.err }
func (l line) Notice(context.Context, processor.Account, http.Header, []byte) ([]notice.Message, error) {
	return nil, l.err
}
func (l line) Book(context.Context, int64, int) ([]processor.BookLine, error) { return nil, l.err }
func (l line) Name() string                                                   { return "line" }

func TestCallsAreCountedAndPassedOn(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	lost := errors.New("lost")
	for outcome, l := range map[string]line{
		"approved": {answer: processor.Answer{Approved: true}},
		"declined": {answer: processor.Answer{DeclineCode: "x"}},
		"unknown":  {err: lost}, "not_found": {err: processor.ErrNotFound},
	} {
		m := metrics.New(w.Pool, w.Clock.Now)
		p, ctx := processor.Only(l), t.Context()
		p.Observe(m.Call)
		at := processor.Account{Adapter: "line"}
		calls := map[string]func() (processor.Answer, error){
			"authorize":          func() (processor.Answer, error) { return p.Authorize(ctx, processor.Authorization{Account: at}) },
			"debit":              func() (processor.Answer, error) { return p.Debit(ctx, processor.Debit{Account: at}) },
			"capture":            func() (processor.Answer, error) { return p.Capture(ctx, processor.FollowUp{Account: at}) },
			"void":               func() (processor.Answer, error) { return p.Void(ctx, processor.FollowUp{Account: at}) },
			"refund":             func() (processor.Answer, error) { return p.Refund(ctx, processor.FollowUp{Account: at}) },
			"payout":             func() (processor.Answer, error) { return p.Payout(ctx, processor.Payout{Account: at}) },
			"start_verification": func() (processor.Answer, error) { return p.Start(ctx, processor.VerificationRequest{Account: at}) },
			"confirm_verification": func() (processor.Answer, error) {
				_, err := p.Confirm(ctx, processor.Confirmation{Account: at})
				return l.answer, err
			},
			"respond": func() (processor.Answer, error) { return p.Respond(ctx, processor.Response{Account: at}) },
			"lookup":  func() (processor.Answer, error) { return p.Lookup(ctx, at, "") },
			"events": func() (processor.Answer, error) {
				_, err := p.Feeds()["line"].Messages(ctx, "", 1)
				return l.answer, err
			},
			"book": func() (processor.Answer, error) {
				_, err := p.Books()["line"].Book(ctx, 0, 1)
				return l.answer, err
			},
		}
		for kind, call := range calls {
			if a, err := call(); a != l.answer || !errors.Is(err, l.err) {
				t.Errorf("%s: %v, %v", kind, a, err)
			}
			want := outcome
			if kind == "events" || kind == "book" || kind == "confirm_verification" {
				want = map[bool]string{true: "answered", false: "unknown"}[l.err == nil]
			}
			expect(t, outcome, scrape(t, m),
				map[string]string{`svcpay_processor_calls_total{kind="` + kind + `",outcome="` + want +
					`",processor="line"}`: "1"})
		}
	}
}

func TestProcessorsThatAreDownAreReported(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m, p := metrics.New(w.Pool, w.Clock.Now), processor.Only(line{err: processor.ErrUnreachable})
	p.Watch(w.Clock.Now)
	m.Processors(p)
	for _, value := range []string{"0", "1"} {
		expect(t, "a processor", scrape(t, m), map[string]string{`svcpay_processor_down{processor="line"}`: value})
		for range 10 {
			_, _ = p.Lookup(t.Context(), processor.Account{Adapter: "line"}, "")
		}
	}
}

func exec(t *testing.T, w *fixture.World, sql string, args pg.Args) {
	t.Helper()
	if n, err := pg.Exec(t.Context(), w.Pool, sql, args); err != nil || n != 1 && args != nil {
		t.Fatalf("%s: %d, %v", sql, n, err)
	}
}

func TestWhatWaits(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := metrics.New(w.Pool, w.Clock.Now)
	m.Reconciles("sandbox", "slow", "new")
	expect(t, "nothing waits", scrape(t, m), map[string]string{
		"svcpay_database_up": "1", "svcpay_operations_open": "0", "svcpay_operations_open_oldest_seconds": "0",
		"svcpay_inbound_events_unhandled": "0", "svcpay_inbound_events_unhandled_oldest_seconds": "0",
		"svcpay_charges_overdue":            "0",
		"svcpay_webhook_deliveries_pending": "0", "svcpay_webhook_deliveries_pending_oldest_seconds": "0",
		"svcpay_ledger_differences_open": "0", `svcpay_reconciliation_finished_seconds{processor="sandbox"}`: "",
		`svcpay_reconciliation_differences_open{kind="open_too_long"}`: "",
	})
	amount, token := money.Amount(100), w.Token("4242424242424242")
	if _, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil); err != nil {
		t.Fatal(err)
	}
	exec(t, w, `UPDATE processor_operations SET state = 'open', finished_at = NULL, next_check_at = created_at`,
		pg.Args{})
	exec(t, w, `INSERT INTO inbound_events (feed, id, kind, account, body, next_attempt_at, received_at)
		VALUES ('line', 'e', 'x', 'y', '{}', @now, @now)`, pg.Args{"now": w.Clock.Now().Add(-time.Minute)})
	exec(t, w, `INSERT INTO ledger_differences (application_id, merchant_id, account, currency, total, sum, found_at)
		VALUES (@a, @m, 'merchant_pending', 'usd',
			1, 2, @now)`, pg.Args{"a": w.App.AppID, "m": w.App.Merchants.US, "now": w.Clock.Now()})
	exec(t, w, `
		INSERT INTO webhook_due (application_id, delivery_id, endpoint_id, event_id, next_attempt_at, created_at)
		VALUES (@app, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), @now, @now)`,
		pg.Args{"app": w.App.AppID, "now": w.Clock.Now().Add(-time.Hour)})
	w.Clock.Advance(9 * time.Second)
	expect(t, "read a moment ago", scrape(t, m), map[string]string{"svcpay_operations_open": "0"})
	w.Clock.Advance(2*time.Hour - 9*time.Second)
	if _, err := w.Reconcile[0].RunNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	for _, name := range []string{"removed", "slow"} {
		exec(t, w, `INSERT INTO reconciliation_runs (processor, day, requested, stage, horizon, started_at, finished_at)
			VALUES (@name, @at::timestamptz, false, 'done',
				@at, @at, @at)`, pg.Args{"name": name, "at": w.Clock.Now().Add(-time.Hour)})
	}
	for i, used := range []ratelimit.Quota{{Kind: "files", Most: 100}, {Kind: "files", Most: 120},
		{Kind: "exports", Most: 100}} {
		exec(t, w, `INSERT INTO stored_bytes (application_id, kind, day, bytes, most)
			VALUES (@app, @kind, @day, 90, @most)`, pg.Args{"app": i, "kind": used.Kind, "most": used.Most,
			"day": w.Clock.Now().UTC().AddDate(0, 0, -i/2)})
	}
	expect(t, "something waits", scrape(t, m), map[string]string{
		"svcpay_operations_open": "1", "svcpay_operations_open_oldest_seconds": "7201",
		"svcpay_inbound_events_unhandled":   "1",
		"svcpay_webhook_deliveries_pending": "1", "svcpay_webhook_deliveries_pending_oldest_seconds": "10801",
		"svcpay_inbound_events_unhandled_oldest_seconds": "7261", "svcpay_charges_overdue": "0",
		"svcpay_ledger_differences_open":                               "1",
		`svcpay_reconciliation_finished_seconds{processor="sandbox"}`:  "1",
		`svcpay_reconciliation_finished_seconds{processor="slow"}`:     "3600",
		`svcpay_reconciliation_finished_seconds{processor="removed"}`:  "",
		`svcpay_reconciliation_finished_seconds{processor="new"}`:      "",
		`svcpay_quota_used_ratio{kind="files"}`:                        "0.9",
		`svcpay_quota_used_ratio{kind="exports"}`:                      "",
		`svcpay_reconciliation_differences_open{kind="open_too_long"}`: "1",
	})
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(10 * time.Second)
	expect(t, "the application's clock was moved", scrape(t, m), map[string]string{"svcpay_charges_overdue": "1"})
	w.Clock.Advance(30 * 24 * time.Hour)
	expect(t, "so much later", scrape(t, m), map[string]string{"svcpay_charges_overdue": "1"})
}

func TestTheDatabaseIsAskedOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := metrics.New(w.Pool, w.Clock.Now)
	before := w.Pool.Stat().AcquireCount()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { scrape(t, m) })
	}
	all.Wait()
	if n := w.Pool.Stat().AcquireCount() - before; n > 2 {
		t.Errorf("8 looks took %d connections", n)
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := metrics.New(w.Pool, w.Clock.Now)
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	m.Request("api", "/api", 200, 0)
	got := scrape(t, m) // which takes another one, and gives it back
	expect(t, "one is used", got,
		map[string]string{`svcpay_database_connections_most`: fmt.Sprint(w.Pool.Config().MaxConns)})
	if used := got[`svcpay_database_connections{state="used"}`]; used != "1" && used != "2" {
		t.Errorf("%s are used", used)
	}
	if got[`svcpay_database_connections{state="idle"}`] == "" || got["svcpay_database_connection_waits_total"] == "" {
		t.Errorf("%v", got)
	}
}

func TestWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := metrics.New(w.Pool, w.Clock.Now)
	m.Request("api", "/api", 200, 0)
	if _, err := pg.Exec(t.Context(), w.Pool, `ALTER TABLE reconciliation_differences
		RENAME TO gone`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	expect(t, "what cannot be read", scrape(t, m),
		map[string]string{"svcpay_database_up": "0", "svcpay_operations_open": "",
			"svcpay_database_connections_most":                                    fmt.Sprint(w.Pool.Config().MaxConns),
			`svcpay_http_requests_total{route="/api",status="200",surface="api"}`: "1"})
}

// Each metric that the runbook's alerts look at is one, with the labels that they ask for.
func TestAlertsOfTheRunbookLookAtMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, m := range metrics.Table() {
		known[m.Name] = m.Labels
	}
	used := 0
	for _, m := range regexp.MustCompile(`(svcpay_[a-z_]+)(?:\{([a-z]+)=)?`).FindAllStringSubmatch(string(text), -1) {
		labels, ok := known[strings.TrimSuffix(strings.TrimSuffix(m[1], "_count"), "_bucket")]
		if used++; !ok || m[2] != "" && !slices.Contains(labels, m[2]) {
			t.Errorf("there is no %s", m[0])
		}
	}
	if used < 13 {
		t.Errorf("%d metrics are used", used)
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !regexp.MustCompile(`(?m)^### .*\b` + alert[1] + `\b`).Match(text) {
			t.Errorf("nothing is said of %s", alert[1])
		}
	}
}

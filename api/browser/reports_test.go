package browser

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// reported sends a report and returns the status of the answer.
func reported(t *testing.T, e *echo.Echo, media, body string) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/csp-reports", strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	a := httptest.NewRecorder()
	e.ServeHTTP(a, r)
	if a.Code == http.StatusNoContent && a.Body.Len() > 0 || a.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s %v", a.Code, a.Body, a.Header())
	}
	return a.Code
}

const frameReport = `{"csp-report":{"document-uri":"https://pay.example/3.2/frame/field?k=secret","referrer":"secret",
	"violated-directive":"script-src-elem","effective-directive":"script-src-elem","blocked-uri":"https://secret.example",
	"script-sample":"secret","original-policy":"default-src 'none'"}}`

type pageEvent struct {
	Outcome string `db:"outcome"`
	Count   int64  `db:"count"`
	Whole   string `db:"whole"`
}

// Reports of pages leave the violated directive and the address that they came from, and none of their text.
func TestReportsOfPagesAreSecurityEvents(t *testing.T) {
	t.Parallel()
	w, e := fixture.New(t), echo.New()
	var log strings.Builder
	RegisterReports(e, ReportConfig{Security: w.Security, Limit: NewLimit(100, w.Clock.Now),
		Log: slog.New(slog.NewTextHandler(&log, nil)), Now: w.Clock.Now})
	e.HTTPErrorHandler = ErrorHandler(ClientConfig{Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now})
	const one, several = "application/csp-report", "application/reports+json"
	for _, tt := range []struct {
		media, body string
		want        int
	}{
		{one, frameReport, 204},
		{one + "; charset=utf-8", frameReport, 204},
		{one, strings.ReplaceAll(frameReport, "script-src-elem", "secret"), 204},
		{one, strings.ReplaceAll(frameReport, "https://secret.example", "chrome-extension"), 204},
		{several, `[{"type":"csp-violation","url":"secret","body":{"effectiveDirective":"form-action"}}]`, 204},
		{"application/json", frameReport, 415}, {"", frameReport, 415},
		{one, "secret", 400}, {one, frameReport + strings.Repeat(" ", 16<<10), 413},
	} {
		if got := reported(t, e, tt.media, tt.body); got != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.media, tt.body, got, tt.want)
		}
	}
	if err := w.Security.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := pg.All[pageEvent](t.Context(), w.Pool, `SELECT outcome, count, to_json(s)::text AS whole
		FROM security_events s WHERE kind = 'page_policy' AND address = '192.0.2.1' ORDER BY outcome`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if strings.Contains(got[i].Whole, "secret") {
			t.Errorf("a text is kept: %s", got[i].Whole)
		}
		got[i].Whole = ""
	}
	if diff := cmp.Diff([]pageEvent{{"form-action", 1, ""}, {"other", 1, ""}, {"script-src-elem", 2, ""}},
		got); diff != "" || log.Len() > 0 {
		t.Errorf("%s (-want +got):\n%s", &log, diff)
	}
}

// Reports have a limit of their own: a page with many violations takes nothing from its payer.
func TestReportsOfAnAddressAreTakenSoOften(t *testing.T) {
	t.Parallel()
	clock, e := fixture.NewClock(), echo.New()
	RegisterReports(e, ReportConfig{Limit: NewLimit(1, clock.Now), Log: slog.New(slog.DiscardHandler), Now: clock.Now})
	for n := range 40 {
		want := map[bool]int{true: 204, false: 429}[n < 20]
		if got := reported(t, e, "application/csp-report", frameReport); got != want {
			t.Fatalf("%d: %d, want %d", n, got, want)
		}
	}
	clock.Advance(time.Second)
	if got := reported(t, e, "application/csp-report", frameReport); got != http.StatusNoContent {
		t.Errorf("a second later: %d", got)
	}
}

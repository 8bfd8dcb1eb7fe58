package api

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// A client that hangs up during any operation is counted as 499: the service did not fail, and its log and the
// application's request log do not say that it did.
func TestClientsThatHangUpAreNoFailures(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var log strings.Builder
	c := configOf(w)
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	e := echo.New()
	Register(e, c)
	me := call{method: http.MethodGet, path: "/api/me"}
	if status := closedCall(t.Context(), e, w, me); status != http.StatusOK { // keys are looked up from here on
		t.Fatal(status)
	}
	canceled, hangUp := context.WithCancel(t.Context())
	hangUp()
	closed := 0
	for _, c := range everyRoute(t) {
		switch status := closedCall(canceled, e, w, c); {
		case status >= http.StatusInternalServerError:
			t.Errorf("%s: %d", c.name(), status)
		case status == fault.StatusClosed:
			closed++
		}
	}
	if closed < 50 { // the others never ask the database with the example of the contract
		t.Errorf("only %d operations were cut short", closed)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log.String())
	}
	if err := w.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := pg.Value[int](t.Context(), w.Pool, `
		SELECT count(*)::int FROM request_logs WHERE status = 499 AND error_code = 'client_closed_request'`, nil)
	if err != nil || kept < 50 {
		t.Errorf("%d entries of the request log, %v", kept, err)
	}
}

// A client that hangs up while it waits for events is no failure either.
func TestListenersThatHangUpAreNoFailures(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	e := echo.New()
	Register(e, configOf(w))
	waiting, hangUp := context.WithTimeoutCause(t.Context(), time.Hour, nil)
	time.AfterFunc(300*time.Millisecond, hangUp)
	c := call{method: http.MethodGet, path: "/api/events?after_sequence=1000&wait=20"}
	if status := closedCall(waiting, e, w, c); status != fault.StatusClosed {
		t.Error(status)
	}
}

// closedCall makes a call in a context, without a network, and returns the status that metrics and logs count.
func closedCall(ctx context.Context, e *echo.Echo, w *fixture.World, c call) int {
	r := httptest.NewRequestWithContext(ctx, c.method, c.path, strings.NewReader(c.body))
	r.Header.Set("X-API-Key", w.App.SecretKey)
	r.Header.Set("X-App-ID", fmt.Sprint(w.App.AppID))
	if c.body != "" || c.method == http.MethodPost {
		r.Header.Set("Content-Type", cmp.Or(c.media, mediaJSON))
	}
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, r)
	return answer.Code
}

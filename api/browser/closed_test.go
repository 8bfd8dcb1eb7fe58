package browser

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/testing/fixture"
)

// A payer who closes the page is no failure of the service.
func TestPayersWhoHangUpAreNoFailures(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var log strings.Builder
	e := surface(ClientConfig{Tokens: w.Tokens, Workflows: w.Workflows, Links: w.Links, Versions: []string{"3.2"},
		Limit: NewLimit(100, w.Clock.Now), Log: slog.New(slog.NewTextHandler(&log, nil)), Now: w.Clock.Now})
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, r := range e.Routes() {
		if !strings.HasPrefix(r.Path, "/client/") || r.Method != http.MethodPost {
			continue
		}
		body := fmt.Sprintf(`{"public_key":%q,"merchant_id":%d,"version":"3.2","page_origin":%q}`,
			w.App.PublicKey, w.App.Merchants.US, fixture.PageOrigin)
		request := httptest.NewRequestWithContext(ctx, r.Method, r.Path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", "k")
		answer := httptest.NewRecorder()
		e.ServeHTTP(answer, request)
		if answer.Code >= http.StatusInternalServerError {
			t.Errorf("%s: %d", r.Path, answer.Code)
		}
		if r.Path == "/client/session" && answer.Code != fault.StatusClosed {
			t.Errorf("%s: %d %s", r.Path, answer.Code, answer.Body)
		}
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log.String())
	}
}

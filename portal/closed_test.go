package portal

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
)

// A visitor who closes the tab while a page is being made is no failure of the service, on any page, whichever
// statement their going interrupts.
func TestVisitorsWhoHangUpAreNoFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleSystemAdmin)
	for _, r := range w.routes() {
		if r.Method != http.MethodGet {
			continue
		}
		for _, patience := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
			ctx, hangUp := context.WithCancel(t.Context())
			stop := time.AfterFunc(patience, hangUp)
			if patience == 0 {
				hangUp()
			}
			request := httptest.NewRequestWithContext(ctx, r.Method, sampleOf(r.Path), nil)
			request.Header.Set("Cookie", cookie)
			answer := httptest.NewRecorder()
			w.echo.ServeHTTP(answer, request)
			if answer.Code >= http.StatusInternalServerError {
				t.Errorf("%s after %v: %d", r.Path, patience, answer.Code)
			}
			stop.Stop()
			hangUp()
		}
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Error(w.log.String())
	}
}

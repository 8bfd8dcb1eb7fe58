package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"svcpay/internal/fault"
	"svcpay/internal/testing/fixture"
)

// surface serves /client as the program does, and addresses that fail.
func surface(c ClientConfig) *echo.Echo {
	e := echo.New()
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{
		LogErrorFunc: func(_ echo.Context, err error, _ []byte) error { return err }}))
	RegisterClient(e, c)
	e.HTTPErrorHandler = ErrorHandler(c)
	for _, under := range []string{"/client/", "/3.2/"} {
		e.GET(under+"panic", func(echo.Context) error { panic("secret") })
		e.GET(under+"late", func(echo.Context) error { return fmt.Errorf("secret: %w", context.DeadlineExceeded) })
		e.GET(under+"missing", func(echo.Context) error { return fault.Missing() })
		e.GET(under+"begun",
			func(c echo.Context) error { return errors.Join(c.String(http.StatusOK, "begun"), errors.New("secret")) })
	}
	return e
}

type told struct {
	Error clientError `json:"error"`
}

func ask(t *testing.T, e *echo.Echo, method, path, body string) (*httptest.ResponseRecorder, told) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	a := httptest.NewRecorder()
	e.ServeHTTP(a, r)
	var out told
	_ = json.Unmarshal(a.Body.Bytes(), &out) // an answer of another form has no code
	return a, out
}

// Anyone who opens sessions without end leaves the database to payments.
func TestAnAddressIsAnsweredSoOften(t *testing.T) {
	t.Parallel()
	clock := fixture.NewClock()
	e := surface(ClientConfig{Log: slog.New(slog.DiscardHandler), Now: clock.Now, Limit: NewLimit(2, clock.Now)})
	for n := range 45 {
		a, out := ask(t, e, "POST", "/client/session", "{")
		if limited := a.Code == http.StatusTooManyRequests; limited != (n >= 40) || limited &&
			(out.Error.Code != "rate_limited" || out.Error.RetryAfter != 1) {
			t.Fatalf("%d: %d %s", n, a.Code, a.Body)
		}
	}
	clock.Advance(time.Second)
	if a, out := ask(t, e, "POST", "/client/session", "{"); a.Code != http.StatusBadRequest ||
		out.Error.Code == "rate_limited" {
		t.Errorf("a second later: %d %s", a.Code, a.Body)
	}
}

func TestEveryErrorUnderClientHasTheLibrarysForm(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := surface(ClientConfig{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: fixture.NewClock().Now})
	for _, c := range []struct {
		method, path string
		status       int
		code, kind   string
		retry        int
	}{
		{"GET", "/client/session", 405, "invalid_token_data", "invalid_request_error", 0},
		{"DELETE", "/client/tokens", 405, "invalid_token_data", "invalid_request_error", 0},
		{"POST", "/client/other", 404, "invalid_token_data", "invalid_request_error", 0},
		{"GET", "/client", 404, "invalid_token_data", "invalid_request_error", 0},
		{"GET", "/client/panic", 500, "internal_error", "api_error", 0},
		{"GET", "/client/late", 503, "internal_error", "api_error", 1},
		{"GET", "/client/missing", 500, "internal_error", "api_error", 0},
	} {
		a, out := ask(t, e, c.method, c.path, "")
		h := a.Header()
		id := h.Get("Request-Id")
		want := clientError{Code: c.code, Type: c.kind, RetryAfter: c.retry, RequestID: id, Message: out.Error.Message}
		if a.Code != c.status || out.Error != want || want.Message == "" ||
			strings.Contains(a.Body.String(), "secret") {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.Code, a.Body)
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(id, "req_") {
			t.Errorf("%s %s: %v", c.method, c.path, h)
		}
		if allow := h.Get("Allow"); (c.status == 405) != strings.Contains(allow, "POST") {
			t.Errorf("%s %s allows %q", c.method, c.path, allow)
		}
		if (c.status >= 500) != strings.Contains(log.String(), id) {
			t.Errorf("%s %s is told in the log as %s", c.method, c.path, &log)
		}
	}
}

func TestErrorsElsewhereArePlainText(t *testing.T) {
	t.Parallel()
	e := surface(ClientConfig{Log: slog.New(slog.DiscardHandler), Now: fixture.NewClock().Now})
	for path, want := range map[string]int{"/": 404, "/clients": 404, "/3.2/none": 404, "/3.2/panic": 500,
		"/3.2/late": 503, "/3.2/missing": 500} {
		a, _ := ask(t, e, "GET", path, "")
		h := a.Header()
		if a.Code != want || a.Body.String() != http.StatusText(want)+"\n" ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "no-store" || h.Get("Content-Type") != "text/plain; charset=UTF-8" {
			t.Errorf("%s: %d %s with %v", path, a.Code, a.Body, h)
		}
	}
	if a, _ := ask(t, e, "GET", "/client/begun", ""); a.Code != http.StatusOK || a.Body.String() != "begun" {
		t.Errorf("an answer that had begun became %d %s", a.Code, a.Body)
	}
}

func TestSessionIsForVersionsThatAreOffered(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	versions, err := Versions(library())
	if err != nil {
		t.Fatal(err)
	}
	e := surface(ClientConfig{Tokens: w.Tokens, Versions: versions, Log: slog.New(slog.DiscardHandler),
		Now: w.Clock.Now})
	for version, want := range map[string]int{
		`"3.2"`: 200, `"3.2.0"`: 400, `"3.1"`: 400, `"3.2.1"`: 400, `"3"`: 400, `""`: 400, `"../portal"`: 400,
	} {
		a, out := ask(t, e, "POST", "/client/session",
			fmt.Sprintf(`{"public_key":%q,"merchant_id":%d,"page_origin":%q,"version":%s}`,
				w.App.PublicKey, w.App.Merchants.US, fixture.PageOrigin, version))
		if a.Code != want || want == 400 && (out.Error.Code != "invalid_token_data" || out.Error.Field != "version") {
			t.Errorf("%s: %d %s", version, a.Code, a.Body)
		}
		if want == 200 && !strings.Contains(a.Body.String(), `"without":["AE","AG"`) {
			t.Errorf("no countries without postal codes: %s", a.Body)
		}
	}
}

func TestVersionsAreThoseOfTheBuiltLibrary(t *testing.T) {
	t.Parallel()
	got, err := Versions(library())
	if diff := cmp.Diff([]string{"3.2"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := Versions(fstest.MapFS{".keep": {}}); err != nil || got != nil {
		t.Errorf("before the build: %v, %v", got, err)
	}
}

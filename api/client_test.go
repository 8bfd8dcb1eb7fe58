package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

// TestMain runs the tests and then demands that they provoked every documented outcome. A run of
// a part of them, or of a fuzz target, cannot have.
func TestMain(m *testing.M) {
	status := m.Run()
	if status == 0 && whole() {
		missing, err := gaps()
		if err != nil || len(missing) > 0 {
			fmt.Println("documented, but provoked by no test:\n"+strings.Join(missing, "\n"), err)
			status = 1
		}
	}
	os.Exit(status)
}

func whole() bool {
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// marker is part of submitted values; no answer may repeat it.
const marker = "zq7marker"

// site is a world whose API is served over HTTP.
type site struct {
	*fixture.World
	url string
}

// open serves a new world.
func open(t *testing.T, changes ...fixture.Change) *site {
	t.Helper()
	w := fixture.New(t, changes...)
	return serve(t, w, configOf(w), time.Minute)
}

// configOf serves a world's services.
func configOf(w *fixture.World) Config {
	return Config{
		Services: *w.Services,
		BaseURL:  "https://api.example",
		Log:      slog.New(slog.DiscardHandler),
		Now:      w.Clock.Now,
		Panicked: func() {},
	}
}

// serve wires the API as the program does.
func serve(t *testing.T, w *fixture.World, c Config, timeout time.Duration) *site {
	t.Helper()
	server := httptest.NewServer(routerOf(c, timeout))
	t.Cleanup(server.Close)
	return &site{World: w, url: server.URL}
}

func routerOf(c Config, timeout time.Duration) *echo.Echo {
	e := echo.New()
	e.IPExtractor = echo.ExtractIPDirect()
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true,
		LogErrorFunc: func(_ echo.Context, err error, _ []byte) error { return err }}),
		middleware.ContextTimeout(timeout))
	Register(e, c)
	e.HTTPErrorHandler = ErrorHandler(c, e.DefaultHTTPErrorHandler)
	return e
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	// lawful reports whether the contract's schemas allow the request.
	lawful bool
}

// apiError is an error as callers read it.
type apiError struct {
	Type, Code, Message, Param, Advice string
	Errors                             []fault.Field
	DeclineCode                        string   `json:"decline_code"`
	ChargeID                           string   `json:"charge_id"`
	RequestID                          string   `json:"request_id"`
	RequiredPermission                 string   `json:"required_permission"`
	DifferingParameters                []string `json:"differing_parameters"`
	DocURL                             string   `json:"doc_url"`
	Method                             string
	Retryable                          bool
}

func (a answer) error() apiError {
	var body struct{ Error apiError }
	_ = json.Unmarshal(a.body, &body) // an answer of another form has no code, which no test wants
	return body.Error
}

// want demands a status and, of an error, its code.
func (a answer) want(t testing.TB, status int, code string) answer {
	t.Helper()
	if e := a.error(); a.status != status || e.Code != code {
		t.Errorf("answered %d %s, want %d %s\n%s", a.status, e.Code, status, code, a.body)
	}
	return a
}

func (a answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

func decoded(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// call is a request, as the first application's server sends it unless header says otherwise. A
// header with the value "-" is left out; values are separated by newlines.
type call struct {
	method, path, body string
	media              string // the body's, "" for JSON
	as                 *demo.Application
	header             map[string]string
	// op and route are set by everyRoute.
	op    *openapi3.Operation
	route route
}

// send sends a request and holds what happens to the contract.
func (s *site) send(t testing.TB, c call) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), c.method, s.url+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	app := s.App
	if c.as != nil {
		app = *c.as
	}
	r.Header.Set("X-API-Key", app.SecretKey)
	r.Header.Set("X-App-ID", fmt.Sprint(app.AppID))
	if c.body != "" || c.method == http.MethodPost {
		r.Header.Set("Content-Type", cmp.Or(c.media, mediaJSON))
	}
	for name, values := range c.header {
		r.Header.Del(name)
		for v := range strings.SplitSeq(values, "\n") {
			if v != "-" {
				r.Header.Add(name, v)
			}
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	a.lawful = hold(t, r, []byte(c.body), a)
	s.plain(t, a)
	return a
}

// plain checks what every answer promises next to its contract.
func (s *site) plain(t testing.TB, a answer) {
	t.Helper()
	h := a.header
	if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("an answer may be kept, guessed at or framed: %v", h)
	}
	if a.status < 400 {
		return
	}
	e := a.error()
	if bytes.Contains(a.body, []byte(marker)) || strings.Contains(fmt.Sprint(h), marker) {
		t.Errorf("the error repeats what was submitted: %s", a.body)
	}
	if same := e.RequestID == h.Get("Request-Id"); same == a.replayed() {
		t.Errorf("request %s, told as %s", h.Get("Request-Id"), e.RequestID)
	}
	if wait, _ := strconv.Atoi(h.Get("Retry-After")); codeByName[e.Code].Waits != (wait > 0) {
		t.Errorf("%s comes with Retry-After %q", e.Code, h.Get("Retry-After"))
	}
	told := decoded(t, a.body).(map[string]any)["error"].(map[string]any)
	for _, member := range codeByName[e.Code].Members {
		if _, ok := told[member]; !ok {
			t.Errorf("%s has no %s: %s", e.Code, member, a.body)
		}
	}
	if d := dressOf(&fault.Error{Code: e.Code}); d != (dress{a.status, e.Type}) ||
		e.DocURL != "https://api.example/docs/errors#"+e.Code {
		t.Errorf("%s is dressed as %d %s, see %s", e.Code, a.status, e.Type, e.DocURL)
	}
}

func (s *site) get(t testing.TB, path string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodGet, path: path})
}

// rows counts everything that is written down, but for the jobs' own tables.
func (s *site) rows(t testing.TB) int64 {
	t.Helper()
	n, err := pg.Value[int64](t.Context(), s.Pool, `
		SELECT sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', tablename), false, true,
			'')))[1]::text::bigint)::bigint
		FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'river%'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// execute changes the database behind the service's back.
func (s *site) execute(t testing.TB, sql string, args pg.Args) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), s.Pool, sql, args); err != nil {
		t.Fatal(err)
	}
}

package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"svcpay/internal/charge"
	"svcpay/internal/demo"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/pg"
)

// TestMain runs the tests and then demands that they provoked every documented outcome. A run of
// a part of them, or of a fuzz target, cannot have.
func TestMain(m *testing.M) {
	status := m.Run()
	if status == 0 && whole() {
		missing, err := gaps()
		if err != nil || len(missing) > 0 {
			fmt.Println("documented, but provoked by no test:", strings.Join(missing, ", "), err)
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
func open(t *testing.T) *site {
	t.Helper()
	w := fixture.New(t)
	return serve(t, w, w.Charges, time.Minute)
}

// serve wires the API as the program does.
func serve(t *testing.T, w *fixture.World, charges *charge.Service, timeout time.Duration) *site {
	t.Helper()
	e := echo.New()
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true, LogErrorFunc: func(_ echo.Context, err error, _ []byte) error { return err }}),
		middleware.ContextTimeout(timeout))
	server := httptest.NewUnstartedServer(e)
	c := Config{Identity: w.Identity, Charges: charges, BaseURL: "https://api.example", Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now}
	Register(e, c)
	e.HTTPErrorHandler = ErrorHandler(c, e.DefaultHTTPErrorHandler)
	server.Start()
	t.Cleanup(server.Close)
	return &site{World: w, url: server.URL}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	// lawful tells whether the contract's schemas allow the request.
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
	Retryable                          bool
}

func (a answer) error() apiError {
	var body struct{ Error apiError }
	_ = json.Unmarshal(a.body, &body) // an answer of another form has no code, which no test wants
	return body.Error
}

func (a answer) charge(t testing.TB) charge.Charge {
	t.Helper()
	var c charge.Charge
	if err := json.Unmarshal(a.body, &c); err != nil || a.status >= 300 {
		t.Fatalf("no charge but %d %s", a.status, a.body)
	}
	return c
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
	as                 *demo.Application
	header             map[string]string
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
	if c.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
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

// plain checks what every answer promises beside its contract.
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
	if d := dressOf(&fault.Error{Code: e.Code}); d != (dress{a.status, e.Type}) || e.DocURL != "https://api.example/docs/errors#"+e.Code {
		t.Errorf("%s is dressed as %d %s, see %s", e.Code, a.status, e.Type, e.DocURL)
	}
}

// post creates a charge from a body.
func (s *site) post(t testing.TB, body string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodPost, path: "/api/charges", body: body})
}

// postKey creates a charge with an idempotency key.
func (s *site) postKey(t testing.TB, key, body string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodPost, path: "/api/charges", body: body, header: map[string]string{"Idempotency-Key": key}})
}

func (s *site) get(t testing.TB, path string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodGet, path: path})
}

// body is a good charge of a card, with members replaced by pairs of name and JSON text; the text
// "-" leaves a member out.
func (s *site) body(token string, pairs ...string) string {
	members := map[string]json.RawMessage{
		"merchant_id": json.RawMessage(fmt.Sprint(s.App.Merchants.US)), "amount": json.RawMessage("12500"),
		"token": json.RawMessage(`"` + token + `"`),
	}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = json.RawMessage(pairs[i+1])
		if pairs[i+1] == "-" {
			delete(members, pairs[i])
		}
	}
	var out []string
	for name, text := range members { // by hand: the texts may be no JSON
		out = append(out, fmt.Sprintf("%q:%s", name, text))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// good is a card that is approved.
const good = "4242424242424242"

// rows counts everything that a charge writes.
func (s *site) rows(t testing.TB) int64 {
	t.Helper()
	n, err := pg.Value[int64](t.Context(), s.Pool, `
		SELECT (SELECT count(*) FROM charges) + (SELECT count(*) FROM processor_operations) + (SELECT count(*) FROM events)
			+ (SELECT count(*) FROM idempotency_keys) + (SELECT count(*) FROM ledger_entries)
			+ (SELECT count(*) FROM fee_events) + (SELECT count(*) FROM sandbox_processor_book)`, pg.Args{})
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

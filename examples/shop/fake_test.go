package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	secret    = "sk_sandbox_neverShown"
	nonce     = "0123456789abcdef0123456789abcdef"
	otherNo   = "fedcba9876543210fedcba9876543210"
	chargeID  = "ch_01jq8z6k4t8m2x9v5c7b1n3d0f"
	merchant1 = 1042
)

// call is one request that the fake API got.
type call struct {
	method, path, key string
	header            http.Header
	body              map[string]any
}

// fakeAPI answers in the order of its script; the last answer stays.
type fakeAPI struct {
	mu     sync.Mutex
	calls  []call
	script []http.HandlerFunc
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	got := call{method: r.Method, path: r.URL.RequestURI(), key: r.Header.Get("Idempotency-Key"), header: r.Header}
	_ = json.Unmarshal(raw, &got.body)
	f.mu.Lock()
	f.calls = append(f.calls, got)
	next := f.script[0]
	if len(f.script) > 1 {
		f.script = f.script[1:]
	}
	f.mu.Unlock()
	next(w, r)
}

func (f *fakeAPI) seen() []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]call(nil), f.calls...)
}

// says answers with a status and a body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// fails answers with the error of the given code.
func fails(status int, code, more string) http.HandlerFunc {
	return says(status,
		fmt.Sprintf(`{"error":{"type":"x","code":%q,"message":"internal words","request_id":"req_1"%s}}`, code, more))
}

// hangsUp closes the connection without an answer.
func hangsUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

func chargeJSON(status, nonce, more string) string {
	return fmt.Sprintf(
		`{"id":%q,"object":"charge","merchant_id":%d,"status":%q,"amount":5000,"currency":"usd","external_id":%q,
		"payment_method":{"kind":"card","brand":"visa","last4":"4242"},"created_at":"2026-11-21T07:00:00.000Z","fees":[]%s}`,
		chargeID, merchant1, status, reference(nonce), more)
}

type bench struct {
	api  *fakeAPI
	shop http.Handler
	log  *bytes.Buffer
}

func newBench(t *testing.T, script ...http.HandlerFunc) *bench {
	t.Helper()
	b := &bench{api: &fakeAPI{script: script}, log: &bytes.Buffer{}}
	server := httptest.NewUnstartedServer(b.api)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	t.Cleanup(server.Close)
	s := newShop(testConfig(server.URL, slog.New(slog.NewTextHandler(&lockedWriter{w: b.log}, nil))))
	s.api.waits = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	b.shop = s.handler()
	return b
}

func testConfig(base string, log *slog.Logger) Config {
	return Config{
		BaseURL: base, PayURL: "https://pay.example.org/", AppID: 12, SecretKey: secret, PublicKey: "pk_sandbox_shown",
		Merchants: []Merchant{{ID: merchant1, Name: "Riverside Food Bank"},
			{ID: 1043, Name: "Banque du Nord", Currency: "cad"}},
		Client: &http.Client{Timeout: 200 * time.Millisecond}, Log: log,
	}
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// donationJSON is a right request; replacements are pairs of old and new text.
func donationJSON(replacements ...string) string {
	return strings.NewReplacer(replacements...).Replace(`{"nonce":"` + nonce +
		`","way":"card","token":"tok_01abc","amount":5000,"merchant_id":1042,` +
		`"donor":{"first_name":" Dana ","last_name":"Reed","email":"dana@example.org","zip":"97301"}}`)
}

func (b *bench) post(t *testing.T, body string, headers ...string) (int, answer) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/donations", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return b.do(t, req)
}

func (b *bench) look(t *testing.T, path string) (int, answer) {
	t.Helper()
	return b.do(t, httptest.NewRequest(http.MethodGet, path, nil))
}

func (b *bench) do(t *testing.T, req *http.Request) (int, answer) {
	t.Helper()
	res := httptest.NewRecorder()
	b.shop.ServeHTTP(res, req)
	for _, hidden := range []string{secret, "internal words", "tok_01abc"} {
		if strings.Contains(res.Body.String(), hidden) {
			t.Errorf("the answer gives away %q: %s", hidden, res.Body)
		}
	}
	var out answer
	if err := json.Unmarshal(res.Body.Bytes(), &out); err != nil {
		t.Fatalf("status %d, not an answer: %s", res.Code, res.Body)
	}
	return res.Code, out
}

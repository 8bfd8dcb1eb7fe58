package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

// limitedTo serves a new world whose callers may ask for so much.
func limitedTo(t *testing.T, l Limits) *site {
	t.Helper()
	w := fixture.New(t)
	c := configOf(w)
	c.Limits = l
	return serve(t, w, c, time.Minute)
}

// rates are the two headers that report a limit.
func (a answer) rates() string {
	return a.header.Get("RateLimit-Policy") + " " + a.header.Get("RateLimit")
}

func TestReadsAndWritesHaveLimits(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Reads: 100, Writes: 50})
	read, write := call{method: "GET", path: "/api/charges"}, call{method: "POST", path: "/api/charges", body: "{}"}
	for i := range 200 {
		want := fmt.Sprintf(`"reads";q=200;w=2 "reads";r=%d;t=%d`, 199-i, 1+i/100)
		if a := s.send(t, read).want(t, 200, ""); a.rates() != want {
			t.Fatalf("read %d is told %s, want %s", i, a.rates(), want)
		}
	}
	a := s.send(t, read).want(t, 429, "rate_limited")
	if a.rates() != `"reads";q=200;w=2 "reads";r=0;t=1` || a.header.Get("Retry-After") != "1" || !a.error().Retryable {
		t.Errorf("told %v %s", a.header, a.body)
	}
	for i := range 100 {
		want := fmt.Sprintf(`"writes";q=100;w=2 "writes";r=%d;t=%d`, 99-i, 1+i/50)
		if a := s.send(t, write).want(t, 400, "validation_failed"); a.rates() != want {
			t.Fatalf("write %d is told %s, want %s", i, a.rates(), want)
		}
	}
	s.send(t, write).want(t, 429, "rate_limited")
	other := read
	other.as = &s.Other
	if a := s.send(t, other).want(t, 200, ""); a.rates() != `"reads";q=200;w=2 "reads";r=199;t=1` {
		t.Errorf("another key is told %s", a.rates())
	}
	s.Clock.Advance(20 * time.Millisecond) // two reads, one write
	s.send(t, write).want(t, 400, "validation_failed")
	s.send(t, write).want(t, 429, "rate_limited")
	s.send(t, read).want(t, 200, "")
	s.send(t, read).want(t, 200, "")
	s.send(t, read).want(t, 429, "rate_limited")
}

func TestEveryKeyHasItsOwnLimit(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Reads: 1})
	second := demo.Application{AppID: s.App.AppID, SecretKey: s.Issue(apikey.CreateInput{Kind: apikey.Secret}).Text}
	for _, as := range []*demo.Application{nil, &second} {
		for range 2 {
			s.send(t, call{method: "GET", path: "/api/charges", as: as}).want(t, 200, "")
		}
		s.send(t, call{method: "GET", path: "/api/charges", as: as}).want(t, 429, "rate_limited")
	}
	if a := s.send(t, call{method: "POST", path: "/api/charges", body: "{"}).want(t, 400,
		"json_invalid"); a.rates() != " " {
		t.Errorf("without a limit, %s is told", a.rates())
	}
}

func TestEveryRouteIsLimited(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Reads: 1, Writes: 1})
	for range 2 {
		s.get(t, "/api/charges").want(t, 200, "")
		s.post(t, "{").want(t, 400, "json_invalid")
	}
	before := s.rows(t)
	for _, c := range everyKeyed(t) {
		a := s.send(t, c).want(t, 429, "rate_limited")
		if want := map[bool]string{true: `"reads";r=0;t=1`,
			false: `"writes";r=0;t=1`}[c.method == http.MethodGet]; a.header.Get("RateLimit") != want {
			t.Errorf("%s is told %s", c.name(), a.rates())
		}
		c.header = map[string]string{"X-API-Version": marker}
		s.send(t, c).want(t, 429, "rate_limited")
		c.header = map[string]string{"X-API-Key": "-"}
		if a := s.send(t, c).want(t, 401, "api_key_missing"); a.rates() != " " {
			t.Errorf("%s tells a stranger %s", c.name(), a.rates())
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestALimitedRequestLeavesItsKey(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Writes: 1})
	token := s.Token(good)
	for range 2 {
		s.post(t, "{").want(t, 400, "json_invalid")
	}
	s.postKey(t, "k", s.body(token)).want(t, 429, "rate_limited")
	s.Clock.Advance(time.Second)
	if a := s.postKey(t, "k", s.body(token, "amount", "7")).want(t, 201, ""); a.replayed() {
		t.Error("a limited request was remembered")
	}
}

func TestAliasAndPathShareALimit(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := configOf(w)
	c.Limits = Limits{Writes: 1}
	send := serveThingsOf(w, c)
	send("POST", "/things", "{", asJSONBody).want(t, 400, "json_invalid")
	send("POST", things, "{", asJSONBody).want(t, 400, "json_invalid")
	send("POST", things, "{", asJSONBody).want(t, 429, "rate_limited")
	send("POST", "/things", "{", asJSONBody).want(t, 429, "rate_limited")
}

func TestCredentialsCannotBeGuessed(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Failures: 1})
	bad := call{method: "GET", path: "/api/charges",
		header: map[string]string{"X-API-Key": "sk_sandbox_" + strings.Repeat("x", 38)}}
	good := call{method: "GET", path: "/api/charges"}
	s.send(t, good).want(t, 200, "")
	for range 60 {
		s.send(t, bad).want(t, 401, "api_key_invalid")
	}
	a := s.send(t, bad).want(t, 429, "rate_limited")
	if a.header.Get("Retry-After") != "1" || a.rates() != " " ||
		a.error().Message != "Too many requests from this address carried credentials that are not valid." {
		t.Errorf("told %v %s", a.header, a.body)
	}
	s.send(t, good).want(t, 200, "")
	good.as = &s.Other
	s.send(t, good).want(t, 200, "") // although no one knew yet that these are no guess
	bad.header["X-Forwarded-For"] = "192.0.2.77"
	s.send(t, bad).want(t, 429, "rate_limited")
	s.Clock.Advance(time.Second)
	s.send(t, good).want(t, 200, "")
	s.send(t, bad).want(t, 401, "api_key_invalid")
	s.send(t, bad).want(t, 429, "rate_limited")
	s.send(t, good).want(t, 200, "")
}

// busyServer works on a charge until it is let go, with so many places.
func busyServer(t *testing.T, places int) (s *site, letGo func()) {
	t.Helper()
	return busyLogging(t, places, slog.New(slog.DiscardHandler))
}

// busyLogging is busyServer with a log.
func busyLogging(t *testing.T, places int, log *slog.Logger) (s *site, letGo func()) {
	t.Helper()
	h := held{arrived: make(chan struct{}), release: make(chan struct{})}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		h.Processor = inner
		return h
	})
	c := configOf(w)
	c.Limits.AtWork, c.Log = places, log
	s = serve(t, w, c, time.Minute)
	body := s.body(s.Token(good))
	var wg sync.WaitGroup
	wg.Go(func() { s.post(t, body).want(t, 201, "") })
	<-h.arrived
	return s, func() { close(h.release); wg.Wait() }
}

func TestMoreThanCanBeWorkedOnIsTurnedAwayAtOnce(t *testing.T) {
	t.Parallel()
	s, letGo := busyServer(t, 1)
	began := time.Now()
	streaming := func(c call) bool { // which has places of its own
		path, _, _ := strings.Cut(c.path, "?")
		return slices.ContainsFunc(new(API).routes(), func(r route) bool {
			return r.class == streams && r.method == c.method && covers(r.path, path)
		})
	}
	for _, c := range everyRoute(t) {
		if streaming(c) {
			continue
		}
		if a := s.send(t, c).want(t, 503, "overloaded"); a.header.Get("Retry-After") != "1" || !a.error().Retryable {
			t.Errorf("%s: %v %s", c.name(), a.header, a.body)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("turning requests away took %s", took)
	}
	letGo()
	for range 3 {
		s.get(t, "/api/charges").want(t, 200, "")
	}
}

// Anyone who finds the share of their application taken is answered, and that is all: no entry of the log is made of
// it.
func TestTurningAwayWritesNothing(t *testing.T) {
	t.Parallel()
	s, letGo := busyServer(t, 2)
	for range 3 {
		s.get(t, "/api/charges").want(t, 429, "rate_limited")
	}
	letGo()
	s.get(t, "/api/charges").want(t, 200, "")
	if err := s.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	statuses, err := pg.Value[string](t.Context(), s.Pool, `SELECT string_agg(status::text, ' ' ORDER BY status)
		FROM request_logs`, pg.Args{})
	if err != nil || statuses != "200 201" {
		t.Errorf("%q, %v, want those of the list and of the charge", statuses, err)
	}
}

// A refused request gets a complete error response, counts as no failure, and can be retried with the same key.
func TestTurningAwayIsAWholeAnswerAndNoFailure(t *testing.T) {
	t.Parallel()
	for places, want := range map[int]struct {
		status int
		code   string
	}{1: {503, "overloaded"}, 2: {429, "rate_limited"}} {
		var log bytes.Buffer
		s, letGo := busyLogging(t, places, slog.New(slog.NewTextHandler(&log, nil)))
		body, before := s.body(s.Token(good)), s.rows(t)
		a := s.postKey(t, "k", body).want(t, want.status, want.code)
		for name, value := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store",
			"X-Content-Type-Options":  "nosniff",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Api-Version": Version,
			"Request-Id": a.error().RequestID, "Retry-After": "1"} {
			if got := a.header.Get(name); got != value || got == "" {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
		if after := s.rows(t); after != before {
			t.Errorf("%d: %d rows were written", want.status, after-before)
		}
		letGo()
		s.get(t, "/api/idempotency_keys/k").want(t, 404, "resource_missing")
		if log.Len() > 0 {
			t.Errorf("%d: %s", want.status, &log)
		}
	}
}

// A batcher whose queue is full refuses, too; what went wrong with the database is a failure.
func TestOnlyOverloadsWithACauseAreFailures(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.KindUnavailable, "overloaded", "The service is busy. Try again shortly.").After(time.Second)
	for name, c := range map[string]struct {
		err    error
		failed bool
	}{
		"full": {full, false}, "wrapped": {fmt.Errorf("a charge: %w", full), false},
		"with a cause":  {full.Because(io.EOF), true},
		"the database":  {context.DeadlineExceeded, true},
		"the processor": {fault.New(fault.KindUnavailable, "processor_error", "It is silent."), true},
	} {
		var log bytes.Buffer
		a := newAPI(Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now})
		ec := echo.New().NewContext(httptest.NewRequest("POST", "/api/charges", nil), httptest.NewRecorder())
		req := a.identifyRequest(ec)
		if err := a.writeError(ec, req, c.err); err != nil || req.turnedAway == c.failed ||
			strings.Contains(log.String(), "request failed") != c.failed {
			t.Errorf("%s: turned away %t, %v, log %s", name, req.turnedAway, err, &log)
		}
	}
}

func TestOwnRequestIdsAreRepeated(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, own := range []string{"checkout-5512", "!", strings.Repeat("~", 255)} {
		for _, c := range everyRoute(t) {
			c.header = map[string]string{"X-Request-Id": own}
			if a := s.send(t, c); a.header.Get("X-Request-Id") != own || a.header.Get("Request-Id") == own {
				t.Errorf("%s: %v", c.name(), a.header)
			}
		}
	}
	for path, header := range map[string]map[string]string{"/api/none": {"X-Request-Id": "a"},
		"/api/charges": {"X-Request-Id": "a", "X-API-Key": "-"}} {
		if a := s.send(t, call{method: "GET", path: path, header: header}); a.header.Get("X-Request-Id") != "a" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	a := s.send(t, call{method: "GET", path: "/api/charges", header: map[string]string{"X-Request-Id": "a b"}}).want(t,
		400, "parameter_invalid")
	if e := a.error(); e.Param != "X-Request-Id" || a.header.Get("X-Request-Id") != "" {
		t.Errorf("told as %+v with %v", e, a.header)
	}
}

// A handler that runs into the end of its time, or of the database's patience, is told to come back.
func TestAHandlerThatTakesTooLongIsCutOff(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.get(t, "/api/charges").want(t, 200, "") // the key is known from here on
	hurried := serve(t, s.World, configOf(s.World), 100*time.Millisecond)
	conn, err := s.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{`BEGIN`, `LOCK TABLE charges`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for name, site := range map[string]*site{"its own time": hurried, "the database's": s} {
		if a := site.get(t, "/api/charges").want(t, 503, "overloaded"); a.header.Get("Retry-After") != "1" ||
			!a.error().Retryable {
			t.Errorf("%s: %v %s", name, a.header, a.body)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it was cut off after %s", took)
	}
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	s.get(t, "/api/charges").want(t, 200, "")
}

package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/metrics"
	"svcpay/internal/platform/jobs"
	"svcpay/internal/testing/fixture"
)

// told is what the app's metrics say; without a database, of this binary alone.
func told(t *testing.T, a *app, host string) (int, string) {
	t.Helper()
	return asked(a, host, "/metrics")
}

// asked is what the admin listener answers.
func asked(a *app, host, path string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	answer := httptest.NewRecorder()
	a.adminHandler().ServeHTTP(answer, r)
	return answer.Code, answer.Body.String()
}

// Profiles are where metrics are, and on no other listener.
func TestProfilesAreForThisMachine(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := &app{log: newLog(&bytes.Buffer{}), meter: metrics.New(w.Pool, w.Clock.Now)}
	for path, want := range map[string]string{"/debug/pprof/": "goroutine",
		"/debug/pprof/goroutine?debug=1": "goroutine profile:",
		"/debug/pprof/heap?debug=1":      "heap profile:", "/debug/pprof/profile?seconds=1": "",
		"/debug/pprof/trace?seconds=0.1": "go 1."} {
		if status, text := asked(a, "127.0.0.1:9090", path); status != http.StatusOK || !strings.Contains(text, want) ||
			text == "" {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
		if status, _ := asked(a, "pay.example", path); status != http.StatusMisdirectedRequest {
			t.Errorf("%s by another name: %d", path, status)
		}
	}
	if status, _ := asked(a, "localhost:9090", "/debug/pprof/cmdline"); status != http.StatusNotFound {
		t.Errorf("the command line, which may hold what is secret: %d", status)
	}
	answer := httptest.NewRecorder()
	a.newEcho().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil))
	if answer.Code != http.StatusNotFound {
		t.Errorf("the public listener: %d", answer.Code)
	}
}

func TestMetricsAreForThisMachine(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := &app{meter: metrics.New(w.Pool, w.Clock.Now)}
	for host, want := range map[string]int{"127.0.0.1:9090": 200, "[::1]:9090": 200, "localhost:9090": 200,
		"metrics.example:9090": 421, "10.0.0.1:9090": 421, "": 421} {
		if status, _ := told(t, a, host); status != want {
			t.Errorf("%q: %d; want %d", host, status, want)
		}
	}
	for setting, ok := range map[string]bool{"127.0.0.1:9090": true, "localhost:0": true, "[::1]:9090": true, "": true,
		":9090": false, "0.0.0.0:9090": false, "metrics.example:9090": false, "9090": false} {
		if c, err := configFrom(append(goodEnv(), "SVCPAY_ADMIN_ADDR="+setting)); (err == nil) != ok || ok &&
			c.adminAddr != setting {
			t.Errorf("%q: %q, %v", setting, c.adminAddr, err)
		}
	}
}

func TestAdminListenerStopsWithTheService(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := &app{log: newLog(&bytes.Buffer{}), meter: metrics.New(w.Pool, w.Clock.Now)}
	listeners, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := a.serveAdmin(t.Context(), listeners)
	url := "http://" + listeners[0].Addr().String() + "/metrics"
	resp, err := http.Get(url)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	stop()
	if resp, err := http.Get(url); err == nil {
		resp.Body.Close()
		t.Error("it still answers")
	}
	a.serveAdmin(t.Context(), nil)()
}

// TestRequestsAreCountedByTheirRoute: no caller can make up a label.
func TestRequestsAreCountedByTheirRoute(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := &app{log: newLog(&bytes.Buffer{}), meter: metrics.New(w.Pool, w.Clock.Now)}
	e := a.newEcho()
	e.GET("/api/charges/:id", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	e.GET("/client/x", func(echo.Context) error { return errors.New("no") })
	e.GET("/portal", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	e.GET("/merchants/:id", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	e.GET("/portals", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	for _, path := range []string{"/api/charges/made-up-1", "/api/charges/made-up-2", "/client/x", "/portal",
		"/portals", "/merchants/made-up-7", "/made-up-3", "/api/made-up-4", "/api/charges/made-up-5/made-up-6"} {
		for _, method := range []string{http.MethodGet, "BREW", http.MethodPost} {
			e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
		}
	}
	e.GET("/api/events", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	for _, query := range []string{"", "?wait=20"} { // what is waited for tells nothing of how quick the service is
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/events"+query, nil))
	}
	_, text := told(t, a, "localhost:1")
	for _, want := range []string{
		`svcpay_http_requests_total{route="/api/events",status="200",surface="api"} 2`,
		`svcpay_http_request_seconds_count{surface="api"} 13`,
		`svcpay_http_requests_total{route="/api/charges/:id",status="204",surface="api"} 3`,
		`svcpay_http_requests_total{route="/client/x",status="500",surface="client"} 1`,
		`svcpay_http_requests_total{route="/portal",status="200",surface="portal"} 1`,
		`svcpay_http_requests_total{route="/merchants/:id",status="200",surface="api"} 1`,
		`svcpay_http_requests_total{route="/portals",status="200",surface="other"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "made-up") || strings.Contains(text, "BREW") {
		t.Errorf("a caller's words are in\n%s", text)
	}
}

func TestJobsAreMeasured(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := &app{Services: w.Services, pool: w.Pool, meter: metrics.New(w.Pool, w.Clock.Now)}
	var reconciles jobs.Schedule
	for _, s := range a.schedules() {
		if s.Name == "reconcile" {
			reconciles = s
		}
	}
	if more, err := reconciles.Step(t.Context(), machineTime); err != nil || !more {
		t.Errorf("%v, %v", more, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reconciles.Step(gone, machineTime); err == nil {
		t.Error("nobody waits, and it runs")
	}
	_, text := told(t, a, "localhost:1")
	for _, want := range []string{`svcpay_job_seconds_count{job="reconcile",outcome="done"} 1`,
		`svcpay_job_seconds_count{job="reconcile",outcome="failed"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

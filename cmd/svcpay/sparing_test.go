package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/metrics"
	"svcpay/internal/testing/fixture"
)

func TestAFloodOfRefusalsHasALineASecond(t *testing.T) {
	t.Parallel()
	var s sparing
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	due := func(after time.Duration, want int) {
		t.Helper()
		if withheld, ok := s.due(now.Add(after)); !ok || withheld != want {
			t.Errorf("after %s: %d withheld, %t, want %d and a line", after, withheld, ok, want)
		}
	}
	due(0, 0)
	for range 40 {
		if _, ok := s.due(now.Add(sparingEvery - 1)); ok {
			t.Fatal("a second line within a second")
		}
	}
	due(sparingEvery, 40)
	due(time.Hour, 0)
}

func TestOnlyRefusalsOfFloodsGoWithoutLines(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := &app{log: newLog(&log), meter: metrics.New(fixture.New(t).Pool, machineTime)}
	a.refusals.last = time.Now().Add(time.Hour) // no line is due
	e := a.newEcho()
	statuses := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusCreated,
		http.StatusUnauthorized, http.StatusInternalServerError}
	ask := func(status int) {
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/"+strconv.Itoa(status), nil))
	}
	for _, status := range statuses {
		e.GET("/"+strconv.Itoa(status), func(c echo.Context) error { return c.NoContent(status) })
		for range 3 {
			ask(status)
		}
	}
	for status, want := range map[string]int{`"status":429`: 0, `"status":503`: 0, `"status":201`: 3, `"status":401`: 3,
		`"status":500`: 3, "without_lines": 0} {
		if got := strings.Count(log.String(), status); got != want {
			t.Errorf("%s is in %d lines, want %d", status, got, want)
		}
	}
	a.refusals.last = time.Time{}
	ask(http.StatusTooManyRequests)
	if !strings.Contains(log.String(), `"request_id":"","client_request_id":"","without_lines":6}`) {
		t.Errorf("%s", &log)
	}
	told := httptest.NewRecorder()
	a.meter.Handler().ServeHTTP(told, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, count := range []string{`status="429",surface="other"} 4`, `status="503",surface="other"} 3`} {
		if !strings.Contains(told.Body.String(), count) {
			t.Errorf("metrics do not count %s", count)
		}
	}
}

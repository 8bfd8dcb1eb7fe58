package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/banklink"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/metrics"
	"svcpay/internal/testing/fixture"
)

func TestPanicIsToldInTheFilteredLogAlone(t *testing.T) {
	t.Parallel()
	var log, elsewhere bytes.Buffer
	a := &app{log: newLog(&log), meter: metrics.New(fixture.New(t).Pool, machineTime)}
	e := a.newEcho()
	e.Logger.SetOutput(&elsewhere)
	e.GET("/", func(echo.Context) error { panic("the card 4242 4242 4242 4242") })
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if answer.Code != http.StatusInternalServerError || strings.Contains(answer.Body.String(), "card") ||
		elsewhere.Len() > 0 {
		t.Errorf("%d %s, and elsewhere %s", answer.Code, answer.Body, &elsewhere)
	}
	if text := log.String(); !strings.Contains(text, "the card [redacted]") ||
		!strings.Contains(text, "surfaces_test.go") || strings.Contains(text, "4242 4242") {
		t.Errorf("%s", text)
	}
	told := httptest.NewRecorder()
	a.meter.Handler().ServeHTTP(told, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(told.Body.String(), `svcpay_panics_total{surface="other"} 1`) {
		t.Error("the panic was not counted")
	}
}

func TestLinesOfTheLogHaveBothIdsOfARequest(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := (&app{log: newLog(&log), meter: metrics.New(nil, machineTime)}).newEcho()
	e.GET("/", func(c echo.Context) error {
		c.Response().Header().Set("Request-Id", "req_1")
		c.Response().Header().Set("X-Request-Id", "4242424242424242")
		return c.NoContent(http.StatusNoContent)
	})
	e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if text := log.String(); !strings.Contains(text, `"request_id":"req_1","client_request_id":"[redacted]"`) {
		t.Errorf("%s", text)
	}
}

func TestPayOriginAnswersInItsOwnForms(t *testing.T) {
	t.Parallel()
	parties := partiesOf(config{environment: apikey.Sandbox}, nil, nil, machineTime, nil)
	services := &assembly.Services{Workflows: workflow.New(workflow.Deps{Provider: parties.funds}),
		Links: banklink.New(banklink.Deps{Institutions: parties.banks})}
	h, err := (&app{Services: services, parties: parties, log: newLog(&bytes.Buffer{}),
		meter: metrics.New(nil, machineTime)}).payHandler()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/client/session": `{"error":{`, "/none": "Not Found\n"} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.HasPrefix(answer.Body.String(), want) ||
			answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestAddressesAreThePeersUnlessAProxyIsTrusted(t *testing.T) {
	t.Parallel()
	trusting := &config{}
	if err := setProxies(trusting, "10.0.0.0/8,2001:db8::/32"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ peer, forwarded, direct, trusted string }{
		{"192.0.2.1:5", "", "192.0.2.1", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.9", "192.0.2.1", "192.0.2.1"},
		{"10.1.2.3:5", "198.51.100.9", "10.1.2.3", "198.51.100.9"},
		{"[2001:db8::1]:5", "198.51.100.9", "2001:db8::1", "198.51.100.9"},
		{"10.1.2.3:5", "203.0.113.66, 198.51.100.9", "10.1.2.3", "198.51.100.9"},
		{"10.1.2.3:5", "198.51.100.9, 10.9.9.9", "10.1.2.3", "198.51.100.9"},
		{"10.1.2.3:5", "what?", "10.1.2.3", "10.1.2.3"},
		{"127.0.0.1:5", "198.51.100.9", "127.0.0.1", "127.0.0.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = tt.peer
		r.Header.Set("X-Forwarded-For", tt.forwarded)
		if got := addressOf(nil)(r); got != tt.direct {
			t.Errorf("%s for %s is %s without a proxy", tt.peer, tt.forwarded, got)
		}
		if got := addressOf(trusting.proxies)(r); got != tt.trusted {
			t.Errorf("%s for %s is %s behind proxies", tt.peer, tt.forwarded, got)
		}
	}
}

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Pages of every origin name an endpoint of the same origin, which takes reports, and the metrics count them.
func TestEveryOriginTakesReports(t *testing.T) {
	t.Parallel()
	a, h := withThreeOrigins(t)
	c := a.config
	for _, page := range []string{c.baseURL + "/portal/login", c.payURL + "/3.2/frame/field?k=pk_x",
		c.payURL + "/3.2/modal/daf/unheard", c.daf.url + "/daf/visits/unheard"} {
		shown := httptest.NewRecorder()
		h.ServeHTTP(shown, httptest.NewRequest(http.MethodGet, page, nil))
		if policy := shown.Header().Get("Content-Security-Policy"); shown.Header().Get("Reporting-Endpoints") !=
			`csp="/csp-reports"` || !strings.Contains(policy, "; report-uri /csp-reports; report-to csp; ") {
			t.Errorf("%s: %d, %s", page, shown.Code, policy)
		}
	}
	for _, origin := range []string{c.baseURL, c.payURL, c.daf.url} {
		r := httptest.NewRequest(http.MethodPost, origin+"/csp-reports",
			strings.NewReader(`{"csp-report":{"effective-directive":"script-src-elem"}}`))
		r.Header.Set("Content-Type", "application/csp-report")
		answer := httptest.NewRecorder()
		if h.ServeHTTP(answer, r); answer.Code != http.StatusNoContent {
			t.Errorf("%s: %d %s", origin, answer.Code, answer.Body)
		}
	}
	told := httptest.NewRecorder()
	a.meter.Handler().ServeHTTP(told, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	const counted = `svcpay_security_events_total{kind="page_policy",outcome="script-src-elem"} 3`
	if !strings.Contains(told.Body.String(), counted) {
		t.Error("the reports were not counted")
	}
}

package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/testing/fixture"
)

// TestVisitsHaveAnOriginOfTheirOwn: Chariot's script shares its origin with no card frame, no API and no portal, and
// its pages are on no other.
func TestVisitsHaveAnOriginOfTheirOwn(t *testing.T) {
	t.Parallel()
	a, h := withThreeOrigins(t)
	c := a.config
	get := func(address string) *httptest.ResponseRecorder {
		said := httptest.NewRecorder()
		h.ServeHTTP(said, httptest.NewRequest(http.MethodGet, address, nil))
		return said
	}
	const visit, missing = "/daf/visits/unheard", "This page does not exist"
	page := get(c.daf.url + visit)
	policy := page.Header().Get("Content-Security-Policy")
	if page.Code != http.StatusNotFound || !strings.Contains(page.Body.String(), missing) ||
		!strings.Contains(policy, "script-src 'self' https://cdn.givechariot.com;") ||
		!strings.Contains(policy, "frame-src https://secure.dafpay.com;") || len(page.Result().Cookies()) > 0 {
		t.Errorf("%d %s %s", page.Code, policy, page.Body)
	}
	for _, origin := range []string{c.baseURL, c.payURL} {
		if other := get(origin + visit); other.Code != http.StatusNotFound ||
			strings.Contains(other.Body.String(), missing) ||
			strings.Contains(other.Header().Get("Content-Security-Policy"), "givechariot") {
			t.Errorf("%s has the pages of visits: %d", origin, other.Code)
		}
	}
	for _, path := range []string{"/3.2/svcpay.js", "/3.2/frame/field.html", "/3.2/modal/daf/x", "/client/session",
		"/api", "/portal", "/portal/login", "/docs", "/"} {
		if said := get(c.daf.url + path); said.Code != http.StatusNotFound {
			t.Errorf("%s is on the origin of visits: %d", path, said.Code)
		}
	}
}

// withThreeOrigins is a deployment whose API, fields and visits have hosts of their own.
func withThreeOrigins(t *testing.T) (*app, http.Handler) {
	t.Helper()
	w := fixture.New(t)
	c := config{databaseURL: w.Pool.Config().ConnString(), environment: apikey.Production,
		baseURL: "https://api.example.org", payURL: "https://pay.example.org", domainPort: 80,
		daf: dafSettings{url: "https://giving.example.org"}}
	a, err := newApp(t.Context(), c, w.Keys, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	h, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	return a, h
}

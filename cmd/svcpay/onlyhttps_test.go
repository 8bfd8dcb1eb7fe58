package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/testing/fixture"
	"svcpay/static"
)

// call is a request without credentials.
type call struct{ method, host, path string }

// calls are requests to every route of every surface, to every file, and to routes and hosts that there are not.
func calls(t *testing.T, a *app) []call {
	t.Helper()
	pay, api := hostOf(a.config.payURL), hostOf(a.config.baseURL)
	all := []call{{"GET", "other.example.org", "/api/charges"}, {"GET", "other.example.org", "/"},
		{"GET", "10.0.0.1", "/readyz"}}
	param := regexp.MustCompile(`:[A-Za-z_]+|\*`)
	for host, make := range map[string]func() (http.Handler, error){pay: a.payHandler, api: a.mainHandler} {
		h, err := make()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h.(*echo.Echo).Routes() {
			if r.Method != echo.RouteNotFound {
				all = append(all, call{r.Method, host, param.ReplaceAllString(r.Path, "1")})
			}
		}
		all = append(all, call{"GET", host, "/nothing"}, call{"DELETE", host, "/"}, call{"OPTIONS", host, "/healthz"})
		err = fs.WalkDir(static.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all = append(all, call{"GET", host, "/" + path}, call{"GET", host, "/static/" + path})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Every response of production, of every surface and with every status, keeps browsers on https.
func TestEveryResponseKeepsBrowsersOnHTTPS(t *testing.T) {
	t.Parallel()
	a := appOf(t, fixture.New(t), apikey.Production)
	h, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[int]int{}
	all := calls(t, a)
	for _, c := range all {
		r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, http.NoBody)
		r.Host = c.host
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		statuses[answer.Code]++
		if got := answer.Header().Values("Strict-Transport-Security"); len(got) != 1 || got[0] != "max-age=31536000" {
			t.Errorf("%s %s%s: %d with %q", c.method, c.host, c.path, answer.Code, got)
		}
	}
	if len(all) < 300 || statuses[http.StatusOK] == 0 || statuses[http.StatusUnauthorized] == 0 ||
		statuses[http.StatusNotFound] == 0 || statuses[http.StatusMisdirectedRequest] == 0 {
		t.Errorf("only these were seen, of %d: %v", len(all), statuses)
	}
	t.Logf("%d responses: %v", len(all), statuses)
}

func TestPlainHTTPPromisesNoTLS(t *testing.T) {
	t.Parallel()
	a := appOf(t, fixture.New(t), apikey.Sandbox)
	a.config.baseURL = "http://api.example.org"
	h, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", http.NoBody)
	answer := httptest.NewRecorder()
	if h.ServeHTTP(answer, r); answer.Header().Get("Strict-Transport-Security") != "" {
		t.Error("a deployment without TLS asks browsers to use it")
	}
}

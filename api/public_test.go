package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/testing/fixture"
)

// publicRoutes lists everything that is served to a caller without credentials, apart from the documentation
// below /docs.
var publicRoutes = []string{"GET /api/files/wallet-a-domain", "GET /api/openapi.json", "GET /api/openapi.yaml",
	"GET /files/wallet-a-domain"}

// Every other route asks for credentials before anything else, whatever the request is like: the table's and
// whatever else was added to the router.
func TestOnlyTheListedRoutesArePublic(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	e := routerOf(configOf(w), time.Minute)
	s := serve(t, w, configOf(w), time.Minute)
	var open []string
	for _, r := range e.Routes() {
		// GET without its body; what answers paths and methods that do not exist
		if r.Method == http.MethodHead || strings.HasPrefix(r.Method, "echo_") {
			continue
		}
		if r.Method == http.MethodGet && (r.Path == "/docs" || strings.HasPrefix(r.Path, "/docs/")) {
			continue
		}
		path := strings.ReplaceAll(strings.ReplaceAll(r.Path, ":id", "x"), "*", "x")
		response := anonymous(t, r.Method, s.url+path)
		if response.StatusCode != http.StatusUnauthorized {
			open = append(open, r.Method+" "+r.Path)
		}
		if len(response.Header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s %s sets a cookie", r.Method, r.Path)
		}
	}
	slices.Sort(open)
	same(t, "public routes", open, publicRoutes)
	if n := len(e.Routes()); n < len(new(API).routes()) {
		t.Errorf("only %d routes were asked", n)
	}
}

func anonymous(t *testing.T, method, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response
}

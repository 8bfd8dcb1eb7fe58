package safehttp_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"svcpay/internal/platform/safehttp"
)

// get asks for a URL and says the outcome of it.
func get(t testing.TB, p safehttp.Policy, url string) (safehttp.Answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return safehttp.New(p).Do(r)
}

// serve answers on loopback as h does and tells the URL, with a name instead of the address.
func serve(t testing.TB, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return "http://shop.localhost:" + port
}

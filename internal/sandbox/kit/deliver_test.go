package kit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"svcpay/internal/sandbox/kit"
)

// TestDeliver: an event is sent until the webhook accepts it, but only a few times, and the clock advances.
func TestDeliver(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if got[r.URL.Path]++; r.URL.Path == "/never" || r.URL.Path == "/third" && got[r.URL.Path] < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	ctx, end := context.WithCancel(t.Context())
	asked, passed := 0, time.Duration(0)
	kit.Deliver(ctx, func(d time.Duration) { passed += d }, func() (all []kit.Delivery) {
		if asked++; asked == 8 {
			end()
		}
		if asked == 1 {
			for _, path := range []string{"/once", "/third", "/never"} {
				all = append(all, kit.Delivery{URL: s.URL + path, Header: http.Header{}})
			}
		}
		return all
	})
	if got["/once"] != 1 || got["/third"] != 3 || got["/never"] != 5 || passed <= 0 {
		t.Errorf("%v, %s", got, passed)
	}
}

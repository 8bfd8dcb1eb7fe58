package e2e

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"svcpay/test/rig"
)

// sink is an application's own server.
type sink struct {
	*rig.Sink
	url string
}

// sinkThat makes a sink that refuses a share of events before it takes them, and a share after. hangs:
// it says nothing at all.
func sinkThat(t *testing.T, before, after float64, hangs bool) *sink {
	t.Helper()
	k := &sink{Sink: rig.NewSink(1, before, after, func(what string) { t.Error(what) })}
	over := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil { // the sender died
			return
		}
		if hangs {
			<-over
			return
		}
		w.WriteHeader(k.Take(r.Header, body))
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Start()
	t.Cleanup(func() { close(over); s.Close() })
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	k.url = "http://sink.localhost:" + port + "/"
	return k
}

// listen makes an endpoint that sends some events to a sink, and tells its path.
func (s *site) listen(t *testing.T, k *sink, events ...string) (path string) {
	t.Helper()
	k.Trust(func() string {
		a, err := s.api("POST", "/api/webhook_endpoints", map[string]any{"url": k.url, "events": events}, nil)
		if err != nil || a.status != http.StatusCreated {
			t.Fatalf("an endpoint: %v, %s", err, a)
		}
		path = fmt.Sprint("/api/webhook_endpoints/", a.text("id"))
		return a.text("secret")
	})
	return path
}

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// sink is an application's own server. Its answers are made of a seed.
type sink struct {
	t      *testing.T
	url    string
	secret string // "" until the endpoint is made

	mu      sync.Mutex
	chance  *rand.Rand
	before  float64 // the share of events that it refuses before it takes them
	after   float64 // the share that it takes, and then fails
	seen    map[string]time.Time
	numbers map[string]int64
	again   int
}

// sinkThat makes a sink. hangs: it says nothing at all.
func sinkThat(t *testing.T, before, after float64, hangs bool) *sink {
	t.Helper()
	k := &sink{t: t, before: before, after: after, chance: rand.New(rand.NewPCG(1, 2)), seen: map[string]time.Time{}, numbers: map[string]int64{}}
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
		w.WriteHeader(k.take(r.Header, body))
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

// take notes an event and tells the status to answer.
func (k *sink) take(header http.Header, body []byte) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.chance.Float64() < k.before {
		return http.StatusServiceUnavailable
	}
	hook, err := standardwebhooks.NewWebhook(k.secret)
	if err == nil {
		err = hook.Verify(body, header)
	}
	var e struct {
		ID       string
		Sequence int64
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	id := header.Get("webhook-id")
	if number, twice := k.numbers[id]; err != nil || id == "" || e.ID != id || twice && number != e.Sequence {
		k.t.Errorf("%s with sequence %d came as %s: %v", id, e.Sequence, body, err)
	}
	if _, twice := k.seen[id]; twice {
		k.again++
	} else {
		k.seen[id], k.numbers[id] = time.Now(), e.Sequence
	}
	if k.chance.Float64() < k.after {
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}

func (k *sink) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.seen)
}

// arrival tells when an event first came; false if it did not.
func (k *sink) arrival(id string) (time.Time, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.seen[id]
	return at, ok
}

// listen makes an endpoint that sends some events to a sink, and tells its path.
func (s *site) listen(t *testing.T, k *sink, events ...string) string {
	t.Helper()
	k.mu.Lock() // until its secret is known
	defer k.mu.Unlock()
	a, err := s.api("POST", "/api/webhook_endpoints", map[string]any{"url": k.url, "events": events}, nil)
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("an endpoint: %v, %s", err, a)
	}
	k.secret = a.text("secret")
	return fmt.Sprint("/api/webhook_endpoints/", a.text("id"))
}

// repeated is how many events came that the sink had taken before.
func (k *sink) repeated() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.again
}

package chaos

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// moods stands before a processor and spoils some of its calls.
type moods struct {
	name    string // of the processor, which begins the names of what is counted
	inner   http.Handler
	submits func(*http.Request) bool
	names   []string // of the spoils, from which chance picks
	among   int      // calls one of which, on average, has a certain spoil
	down    atomic.Bool
	counts  *tally
	calm    *atomic.Bool
	late    sync.WaitGroup // calls that are carried out although their connection is gone

	mu     sync.Mutex
	chance *rand.Rand
}

// spoils are what may happen to a submission.
var spoils = map[string]func(m *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, r *http.Request){
	"time-out": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(8 * time.Second):
		}
		drop(w)
	},
	nothingDone: func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, _ *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	},
	"5xx, done": func(_ *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		call()
		http.Error(w, "out of order", http.StatusBadGateway)
	},
	"reset": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, _ *http.Request) { drop(w) },
	"answer lost": func(_ *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		call()
		drop(w)
	},
	"done late": func(m *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		after := m.pause(300*time.Millisecond, 5*time.Second)
		m.late.Go(func() {
			time.Sleep(after)
			call()
		})
		drop(w)
	},
	"429": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, _ *http.Request) {
		http.Error(w, `{"error":{"type":"invalid_request_error","code":"lock_timeout"}}`, http.StatusTooManyRequests)
	},
	"409, done": func(_ *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		call()
		http.Error(w, `{"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}}`, http.StatusConflict)
	},
}

// spoilNames are the spoils of every processor, and stripeSpoils those of Stripe as well.
var (
	spoilNames   = []string{"time-out", nothingDone, "5xx, done", "reset", "answer lost", "done late"}
	stripeSpoils = append(slices.Clone(spoilNames), "429", "409, done")
)

// nothingDone is the spoil that also happens to calls that submit nothing.
const nothingDone = "5xx, nothing done"

// drop resets the connection instead of answering.
func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		(&link{conn, conn}).close(true)
	}
}

// pick chooses what happens to a call: "" for nothing.
func (m *moods) pick(submits bool) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.chance.IntN(m.among)
	switch {
	case m.calm.Load():
		return ""
	case submits && n < len(m.names):
		return m.names[n]
	case n == 0:
		return nothingDone
	}
	return ""
}

func (m *moods) pause(from, to time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return from + time.Duration(m.chance.Int64N(int64(to-from)))
}

// ServeHTTP implements http.Handler.
func (m *moods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil { // it never arrived whole
		return
	}
	call := func() *httptest.ResponseRecorder {
		again := httptest.NewRequest(r.Method, r.URL.RequestURI(), bytes.NewReader(body))
		again.Header = r.Header
		answer := httptest.NewRecorder()
		m.inner.ServeHTTP(answer, again)
		return answer
	}
	if m.down.Load() {
		drop(w)
		return
	}
	time.Sleep(m.pause(time.Millisecond, 25*time.Millisecond))
	if mood := m.pick(m.submits(r)); mood != "" {
		m.counts.add(m.name + ": " + mood)
		spoils[mood](m, w, call, r)
		return
	}
	answer := call()
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the caller may be gone
}

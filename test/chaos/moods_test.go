package chaos

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"
)

// moods stands before a processor and spoils some of its calls.
type moods struct {
	inner  http.Handler
	counts *tally
	calm   *atomic.Bool
	late   sync.WaitGroup // calls that are carried out although their connection is gone

	mu     sync.Mutex
	chance *rand.Rand
}

// spoils are what may happen to a submission, each to one in thirty.
var spoils = map[string]func(m *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, r *http.Request){
	"processor: time-out": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(8 * time.Second):
		}
		drop(w)
	},
	"processor: 5xx, nothing done": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, _ *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	},
	"processor: 5xx, done": func(_ *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		call()
		http.Error(w, "out of order", http.StatusBadGateway)
	},
	"processor: reset": func(_ *moods, w http.ResponseWriter, _ func() *httptest.ResponseRecorder, _ *http.Request) { drop(w) },
	"processor: answer lost": func(_ *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		call()
		drop(w)
	},
	"processor: done late": func(m *moods, w http.ResponseWriter, call func() *httptest.ResponseRecorder, _ *http.Request) {
		after := m.pause(300*time.Millisecond, 5*time.Second)
		m.late.Go(func() {
			time.Sleep(after)
			call()
		})
		drop(w)
	},
}

// spoilNames has their order, from which chance picks.
var spoilNames = []string{"processor: time-out", "processor: 5xx, nothing done", "processor: 5xx, done", "processor: reset",
	"processor: answer lost", "processor: done late"}

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
	n := m.chance.IntN(30)
	switch {
	case m.calm.Load():
		return ""
	case submits && n < len(spoilNames):
		return spoilNames[n]
	case n == 0:
		return "processor: 5xx, nothing done"
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
		again := httptest.NewRequest(r.Method, r.URL.Path, bytes.NewReader(body))
		answer := httptest.NewRecorder()
		m.inner.ServeHTTP(answer, again)
		return answer
	}
	submits := r.URL.Path != "/lookup" && r.URL.Path != "/events" && r.URL.Path != "/book" && r.URL.Path != "/profile"
	time.Sleep(m.pause(time.Millisecond, 25*time.Millisecond))
	if mood := m.pick(submits); mood != "" {
		m.counts.add(mood)
		spoils[mood](m, w, call, r)
		return
	}
	answer := call()
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the caller may be gone
}

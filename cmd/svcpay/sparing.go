package main

import (
	"net/http"
	"sync"
	"time"
)

// sparingEvery is how far apart lines about refused requests are at least.
const sparingEvery = time.Second

// sparing is how requests are written down that are refused for being too many: a line for each would cost
// more than the refusal, at the worst of times. It may be used from several goroutines.
type sparing struct {
	mu       sync.Mutex
	last     time.Time
	withheld int
}

// spares reports whether requests with such an answer are written down sparingly.
func spares(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// due reports whether there is to be a line now, and how many requests had none since the one before it.
func (s *sparing) due(now time.Time) (withheld int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last) < sparingEvery {
		s.withheld++
		return 0, false
	}
	withheld, s.last, s.withheld = s.withheld, now, 0
	return withheld, true
}

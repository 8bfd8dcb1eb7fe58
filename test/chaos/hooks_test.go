package chaos

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"svcpay/test/rig"
)

// hooks passes a counterparty's webhooks on to the servers: late, and so out of order, twice, or never.
type hooks struct {
	*run
	of     string
	forge  func(body []byte) http.Header // with a wrong signature
	mu     sync.Mutex
	chance *rand.Rand
}

// The ways of webhooks other than once.
const (
	hookTwice   = "twice"
	hookLost    = "lost"
	hookRefused = "refused, and sent again"
	hookForged  = "also forged"
)

var ways = []string{hookTwice, hookLost, hookRefused, hookForged}

// hookNames are the ways of a counterparty's webhooks, as they are counted.
func hookNames(of string) (names []string) {
	for _, how := range ways {
		names = append(names, "webhook of "+of+": "+how)
	}
	return names
}

// pick chooses the way of a webhook, "" for once, and when it is sent.
func (h *hooks) pick() (how string, after [2]time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calm.Load() {
		return "", after
	}
	if n := h.chance.IntN(8); n < len(ways) {
		how = ways[n]
		h.counts.add(hookNames(h.of)[n])
	}
	for i := range after {
		after[i] = time.Duration(h.chance.Int64N(int64(4 * time.Second)))
	}
	return how, after
}

// ServeHTTP implements http.Handler.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	how, after := h.pick()
	switch how {
	case hookRefused:
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	case hookLost:
		return
	case hookTwice:
		go h.pass(r.URL.Path, r.Header.Clone(), body, after[1])
	case hookForged:
		forged := h.forge(body)
		go func() {
			if status := h.pass(r.URL.Path, forged, body, after[1]); status/100 == 2 {
				h.found.add("a forged webhook is accepted: %d", status)
			}
		}()
	}
	go func() {
		if status := h.pass(r.URL.Path, r.Header.Clone(), body, after[0]); status/100 == 4 {
			h.found.add("a webhook is refused: %d", status)
		}
	}()
}

// pass sends a webhook to the servers and returns the status of the answer; 0 if there is none.
func (h *hooks) pass(path string, header http.Header, body []byte, after time.Duration) int {
	time.Sleep(after)
	r, err := http.NewRequest(http.MethodPost, "http://"+h.site.Addr+path, bytes.NewReader(body))
	if err != nil {
		h.found.add("a webhook cannot be sent: %v", err)
		return 0
	}
	r.Host, r.Header = rig.APIHost, header
	resp, err := h.site.Client.Do(r)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

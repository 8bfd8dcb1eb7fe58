package fake

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// runEvery is how often a running server does what is due, and deliveries is how often it tries to deliver an event.
const (
	runEvery   = 200 * time.Millisecond
	deliveries = 5
)

// delivery is an event to deliver to the webhook endpoint of an account.
type delivery struct {
	of    *Account
	event string
	tries int
}

// Run advances the server's clock with the machine's and delivers each event to the webhook endpoint of its account,
// until ctx ends. endpoint returns the address of an account's endpoint.
func (f *Fake) Run(ctx context.Context, endpoint func(account string) string) {
	client := &http.Client{Timeout: 10 * time.Second}
	reported := map[*Account]int{}
	var waiting []delivery
	tick := time.NewTicker(runEvery)
	defer tick.Stop()
	for last := (time.Time{}); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !last.IsZero() {
				f.Advance(now.Sub(last))
			}
			last = now
		}
		waiting = append(waiting, f.unreported(reported)...)
		var again []delivery
		for _, d := range waiting {
			if d.tries++; !f.deliver(ctx, client, d, endpoint) && d.tries < deliveries {
				again = append(again, d)
			}
		}
		waiting = again
	}
}

// unreported returns the events that are new since the last call.
func (f *Fake) unreported(reported map[*Account]int) (found []delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.accounts {
		for _, e := range a.events[reported[a]:] {
			found = append(found, delivery{of: a, event: e["id"].(string)})
		}
		reported[a] = len(a.events)
	}
	return found
}

// deliver sends an event and reports whether the endpoint accepted it.
func (f *Fake) deliver(ctx context.Context, client *http.Client, d delivery, endpoint func(string) string) bool {
	header, body := f.Webhook(d.of, d.event)
	to := d.of
	if to.platform != nil {
		to = to.platform
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(to.ID), bytes.NewReader(body))
	if err != nil {
		return false
	}
	r.Header = header
	resp, err := client.Do(r)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode/100 == 2
}

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

// delivery is an event to deliver to a webhook endpoint.
type delivery struct {
	Delivery
	tries int
}

// Run advances the server's clock with the machine's and delivers each event to the webhook endpoints of its account,
// until ctx ends. byHand returns the address of the endpoint that was added by hand to an account with its secret; nil
// if there is none.
func (f *Fake) Run(ctx context.Context, byHand func(account string) string) {
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
		waiting = append(waiting, f.unreported(reported, byHand)...)
		var again []delivery
		for _, d := range waiting {
			if d.tries++; !deliver(ctx, client, d.Delivery) && d.tries < deliveries {
				again = append(again, d)
			}
		}
		waiting = again
	}
}

// unreported returns the deliveries of the events that are new since the last call.
func (f *Fake) unreported(reported map[*Account]int, byHand func(string) string) (found []delivery) {
	type news struct {
		of    *Account
		event string
	}
	var all []news
	f.mu.Lock()
	for _, a := range f.accounts {
		for _, e := range a.events[reported[a]:] {
			all = append(all, news{a, e["id"].(string)})
		}
		reported[a] = len(a.events)
	}
	f.mu.Unlock()
	for _, n := range all {
		if to := owner(n.of); byHand != nil && to.Webhook != "" {
			header, body := f.Webhook(n.of, n.event)
			found = append(found, delivery{Delivery: Delivery{byHand(to.ID), header, body}})
		}
		for _, d := range f.Deliveries(n.of, n.event) {
			found = append(found, delivery{Delivery: d})
		}
	}
	return found
}

// owner is the account whose webhook endpoints get an account's events.
func owner(a *Account) *Account {
	if a.platform != nil {
		return a.platform
	}
	return a
}

// deliver sends an event and reports whether the endpoint accepted it.
func deliver(ctx context.Context, client *http.Client, d Delivery) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return false
	}
	r.Header = d.Header
	resp, err := client.Do(r)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode/100 == 2
}

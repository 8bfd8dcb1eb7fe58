package fake

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// runEvery is how often a running server does what is due, and deliveries is how often it tries to deliver an event.
// Chariot's sandbox tries once; this server repeats, because ours may just be starting.
const (
	runEvery   = 200 * time.Millisecond
	deliveries = 5
)

// delivery is an event to deliver.
type delivery struct {
	event string
	tries int
}

// Run advances the server's clock with the machine's and delivers each event to an address, until ctx ends.
func (f *Fake) Run(ctx context.Context, address string) {
	client := &http.Client{Timeout: 10 * time.Second}
	var waiting []delivery
	tick := time.NewTicker(runEvery)
	defer tick.Stop()
	for last, reported := (time.Time{}), 0; ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !last.IsZero() {
				f.Advance(now.Sub(last))
			}
			last = now
		}
		events := f.reports()
		for _, e := range events[min(reported, len(events)):] {
			waiting = append(waiting, delivery{event: e})
		}
		reported = len(events)
		var again []delivery
		for _, d := range waiting {
			if d.tries++; !f.deliver(ctx, client, d.event, address) && d.tries < deliveries {
				again = append(again, d)
			}
		}
		waiting = again
	}
}

// reports are the ids of all events that ever were, so that their number only grows.
func (f *Fake) reports() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reported[:len(f.reported):len(f.reported)]
}

// deliver sends an event and reports whether the address accepted it.
func (f *Fake) deliver(ctx context.Context, client *http.Client, event, address string) bool {
	header, body := f.Webhook(event)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil || header == nil {
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

// Continue begins the serial numbers of new objects at n, so that another run of the server does not use the ids of
// this one. n is below 100,000,000.
func (f *Fake) Continue(n int) { f.set(func() { f.serial = n }) }

// Hasten makes everything due within a duration happen now: grants complete, and authorizations expire.
func (f *Fake) Hasten(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.grants {
		if g.status == initiated && g.createdAt.Add(completeAfter).Sub(f.now) <= d {
			f.end(g, completed)
		}
	}
	for _, s := range f.sessions {
		s.AuthorizedAt = s.AuthorizedAt.Add(-d)
	}
}

// Reopen gives an organization the connect that it had in an earlier run of the server, of which this one knows nothing
// else. An organization that is not in the directory is left out.
func (f *Fake) Reopen(connectID, ein string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.organizations {
		if o.EIN == ein {
			f.connects = append(f.connects, &connect{connectID, o.ID, o.Name})
		}
	}
}

// Add adds an organization to the directory.
func (f *Fake) Add(o Organization) { f.set(func() { f.organizations = append(f.organizations, o) }) }

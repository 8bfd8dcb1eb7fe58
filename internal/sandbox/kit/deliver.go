package kit

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// How often a running fake does what is due, how often it tries to deliver an event, and how long a try may take. The
// fakes repeat what some providers' test modes send once: our server may be starting.
const (
	deliverEvery = 200 * time.Millisecond
	deliverTries = 5
	deliverLimit = 10 * time.Second
)

// Delivery is the request that delivers an event of a counterparty to a webhook.
type Delivery struct {
	URL    string
	Header http.Header
	Body   []byte
}

// Deliver runs a fake counterparty until ctx ends: it advances its clock with the machine's, and sends the deliveries
// of its new events, which unreported returns once each.
func Deliver(ctx context.Context, advance func(time.Duration), unreported func() []Delivery) {
	type waiting struct {
		Delivery
		tries int
	}
	client := &http.Client{Timeout: deliverLimit}
	var due []waiting
	tick := time.NewTicker(deliverEvery)
	defer tick.Stop()
	for last := (time.Time{}); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !last.IsZero() {
				advance(now.Sub(last))
			}
			last = now
		}
		for _, d := range unreported() {
			due = append(due, waiting{Delivery: d})
		}
		var again []waiting
		for _, w := range due {
			if w.tries++; !w.send(ctx, client) && w.tries < deliverTries {
				again = append(again, w)
			}
		}
		due = again
	}
}

// send reports whether the webhook accepted the delivery.
func (d Delivery) send(ctx context.Context, client *http.Client) bool {
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

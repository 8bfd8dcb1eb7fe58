package fake

import (
	"context"

	"svcpay/internal/sandbox/kit"
)

// Run advances the server's clock with the machine's and delivers each event to the webhook endpoints of its account,
// until ctx ends. byHand returns the address of the endpoint that was added by hand to an account with its secret; nil
// if there is none.
func (f *Fake) Run(ctx context.Context, byHand func(account string) string) {
	reported := map[*Account]int{}
	kit.Deliver(ctx, f.Advance, func() []kit.Delivery { return f.unreported(reported, byHand) })
}

// unreported returns the deliveries of the events that are new since the last call.
func (f *Fake) unreported(reported map[*Account]int, byHand func(string) string) (found []kit.Delivery) {
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
			found = append(found, kit.Delivery{URL: byHand(to.ID), Header: header, Body: body})
		}
		found = append(found, f.Deliveries(n.of, n.event)...)
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

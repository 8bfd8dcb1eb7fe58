package fake

import (
	"context"
	"time"

	"svcpay/internal/sandbox/kit"
)

// Run advances the server's clock with the machine's and delivers each event to an address, until ctx ends.
func (f *Fake) Run(ctx context.Context, address string) {
	reported := 0
	kit.Deliver(ctx, f.Advance, func() (found []kit.Delivery) {
		events := f.reports()
		for _, e := range events[reported:] {
			if header, body := f.Webhook(e); header != nil {
				found = append(found, kit.Delivery{URL: address, Header: header, Body: body})
			}
		}
		reported = len(events)
		return found
	})
}

// reports are the ids of all events that ever were, so that their number only grows.
func (f *Fake) reports() []string {
	defer f.locked()()
	return f.reported[:len(f.reported):len(f.reported)]
}

// Continue begins the serial numbers of new objects at n, so that another run of the server does not use the ids of
// this one. n is below 100,000,000.
func (f *Fake) Continue(n int) { f.set(func() { f.serial = n }) }

// Hasten makes everything due within a duration happen now: grants complete, and authorizations expire.
func (f *Fake) Hasten(d time.Duration) {
	defer f.locked()()
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
	defer f.locked()()
	for _, o := range f.organizations {
		if o.EIN == ein {
			f.connects = append(f.connects, &connect{connectID, o.ID, o.Name})
		}
	}
}

// Add adds an organization to the directory.
func (f *Fake) Add(o Organization) { f.set(func() { f.organizations = append(f.organizations, o) }) }

package ratelimit

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"svcpay/internal/platform/bulkhead"
)

// guessesSize is how many addresses and credentials are remembered at least.
const guessesSize = 10_000

// Look-ups for an address that came too often with credentials that are none: how many are made at once, and how long
// some more wait for their turn.
const (
	suspectLookUps = 4
	suspectWait    = time.Second
)

// Guesses limits how often an address may come with credentials that are none. It suspects one that did so too often.
// Credentials that worked a while ago are above suspicion, and others of that address are looked up a few at a time: so
// anyone who shares its address with a guesser goes on, and the guesser learns little and takes little.
type Guesses struct {
	addresses *Addresses
	lookUps   *bulkhead.Places[netip.Prefix]
	mu        sync.Mutex
	worked    recent[[sha256.Size]byte, struct{}]
}

// NewGuesses allows every address as many failures as its bucket holds.
func NewGuesses(addresses *Addresses) *Guesses {
	return &Guesses{addresses: addresses, lookUps: bulkhead.Each[netip.Prefix](suspectLookUps, suspectWait),
		worked: newRecent[[sha256.Size]byte, struct{}](guessesSize)}
}

// Suspects reports whether an address came too often with credentials that are none, and these have not worked either;
// wait is when it may come again.
func (g *Guesses) Suspects(address, credentials string, now time.Time) (wait time.Duration, suspected bool) {
	s := g.addresses.Look(address, now)
	if s.Allowed {
		return 0, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, worked := g.worked.get(sha256.Sum256([]byte(credentials)))
	return s.Next, !worked
}

// LookUp takes a turn to look credentials of a suspected address up, which giveBack ends. With an error, there is none.
func (g *Guesses) LookUp(ctx context.Context, address string) (giveBack func(), err error) {
	return g.lookUps.Take(ctx, network(address))
}

// Failed notes that credentials were none.
func (g *Guesses) Failed(address, credentials string, now time.Time) {
	g.addresses.Take(address, now)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.worked.forget(sha256.Sum256([]byte(credentials)))
}

// Worked notes that credentials are good.
func (g *Guesses) Worked(credentials string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	digest := sha256.Sum256([]byte(credentials))
	if _, known := g.worked.get(digest); !known {
		g.worked.put(digest, struct{}{})
	}
}

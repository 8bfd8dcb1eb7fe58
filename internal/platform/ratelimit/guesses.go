package ratelimit

import (
	"crypto/sha256"
	"sync"
	"time"
)

// guessesSize is how many addresses and credentials are remembered at least.
const guessesSize = 10_000

// Guesses limits how often an address may come with credentials that are none. One that did so too
// often is turned away before anybody looks its credentials up, unless they worked a while ago: anyone who
// shares its address with a guesser goes on.
type Guesses struct {
	addresses *Addresses
	mu        sync.Mutex
	worked    recent[[sha256.Size]byte, struct{}]
}

// NewGuesses allows every address as many failures as its bucket holds.
func NewGuesses(addresses *Addresses) *Guesses {
	return &Guesses{addresses: addresses, worked: newRecent[[sha256.Size]byte, struct{}](guessesSize)}
}

// Refuses reports whether credentials are not to be looked at, and for how long.
func (g *Guesses) Refuses(address, credentials string, now time.Time) (time.Duration, bool) {
	s := g.addresses.Look(address, now)
	if s.Allowed {
		return 0, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, worked := g.worked.get(sha256.Sum256([]byte(credentials)))
	return s.Next, !worked
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

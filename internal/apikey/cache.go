package apikey

import (
	"sync"
	"time"
)

// cacheFor bounds how long a revoked key may still be accepted by another binary.
const cacheFor = 2 * time.Second

// cacheMax bounds the memory that keys can take, and that a flood of made-up ones can.
const cacheMax = 10_000

// cache remembers looked-up keys by their digest for a moment. Those that were not found are kept apart: however many
// of them someone makes up, none takes the place of a key.
type cache struct {
	now           func() time.Time
	mu            *sync.Mutex
	found, missed map[string]cached
}

type cached struct {
	key   Key
	found bool
	until time.Time
}

func newCache(now func() time.Time) cache {
	return cache{now: now, mu: new(sync.Mutex), found: make(map[string]cached), missed: make(map[string]cached)}
}

func (c cache) get(k string) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for _, m := range [...]map[string]cached{c.found, c.missed} {
		if v, ok := m[k]; ok && !now.After(v.until) {
			return v, true
		}
	}
	return cached{}, false
}

func (c cache) put(k string, v cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.missed
	if v.found {
		m = c.found
	}
	if len(m) >= cacheMax {
		clear(m)
	}
	v.until = c.now().Add(cacheFor)
	m[k] = v
}

// forget drops everything, after a change made by this binary.
func (c cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.found)
	clear(c.missed)
}

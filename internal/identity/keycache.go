package identity

import (
	"sync"
	"time"
)

// keyCacheFor bounds how long a revoked key may still be accepted by another binary.
const keyCacheFor = 2 * time.Second

// keyCacheMax bounds the memory that keys can take, and that a flood of made-up ones can.
const keyCacheMax = 10_000

// keyCache remembers looked-up keys by their digest for a moment. Those that were not found are kept apart: however many of them
// somebody makes up, none takes the place of a key.
type keyCache struct {
	now           func() time.Time
	mu            *sync.Mutex
	found, missed map[string]cachedKey
}

type cachedKey struct {
	key   Key
	found bool
	until time.Time
}

func newKeyCache(now func() time.Time) keyCache {
	return keyCache{now: now, mu: new(sync.Mutex), found: make(map[string]cachedKey), missed: make(map[string]cachedKey)}
}

func (c keyCache) get(k string) (cachedKey, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for _, m := range [...]map[string]cachedKey{c.found, c.missed} {
		if v, ok := m[k]; ok && !now.After(v.until) {
			return v, true
		}
	}
	return cachedKey{}, false
}

func (c keyCache) put(k string, v cachedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.missed
	if v.found {
		m = c.found
	}
	if len(m) >= keyCacheMax {
		clear(m)
	}
	v.until = c.now().Add(keyCacheFor)
	m[k] = v
}

// forget drops everything, after a change made by this binary.
func (c keyCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.found)
	clear(c.missed)
}

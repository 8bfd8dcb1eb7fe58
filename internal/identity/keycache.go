package identity

import (
	"sync"
	"time"
)

// keyCacheFor bounds how long a revoked key may still be accepted by another binary.
const keyCacheFor = 2 * time.Second

// keyCacheMax bounds the memory that a flood of unknown keys can take.
const keyCacheMax = 10_000

// keyCache remembers looked-up keys by their digest for a moment, found or not.
type keyCache struct {
	now func() time.Time
	mu  *sync.Mutex
	m   map[string]cachedKey
}

type cachedKey struct {
	key   Key
	found bool
	until time.Time
}

func newKeyCache(now func() time.Time) keyCache {
	return keyCache{now: now, mu: new(sync.Mutex), m: make(map[string]cachedKey)}
}

func (c keyCache) get(k string) (cachedKey, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.m[k]
	if !ok || c.now().After(v.until) {
		return cachedKey{}, false
	}
	return v, true
}

func (c keyCache) put(k string, v cachedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= keyCacheMax {
		clear(c.m)
	}
	v.until = c.now().Add(keyCacheFor)
	c.m[k] = v
}

// forget drops everything, after a change made by this binary.
func (c keyCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.m)
}

// Package ratelimit limits how often a caller may ask and how often something may happen. Its buckets are in memory,
// per server and bounded in number. Its long-term limits are counted in the database.
package ratelimit

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Buckets is a token bucket for each key of type K.
type Buckets[K comparable] struct {
	perSecond, burst int
	mu               sync.Mutex
	buckets          recent[K, *rate.Limiter]
}

// New makes buckets that hold burst tokens and get perSecond new ones; at least size of them are
// remembered, and at most twice as many.
func New[K comparable](perSecond, burst, size int) *Buckets[K] {
	return &Buckets[K]{perSecond: perSecond, burst: burst, buckets: newRecent[K, *rate.Limiter](size)}
}

// State is how full a bucket is.
type State struct {
	// Allowed says that there was a token.
	Allowed bool
	// Remaining is how many whole tokens are left.
	Remaining int
	// Full is how long it takes until the bucket is full, if no one takes from it.
	Full time.Duration
	// Next is how long it takes until there is a token; 0 while there is.
	Next time.Duration
}

// Take takes a token out of a key's bucket, if there is one.
func (b *Buckets[K]) Take(k K, now time.Time) State {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.of(k)
	return b.state(l.AllowN(now, 1), l.TokensAt(now))
}

// Look tells the state of a key's bucket and takes nothing.
func (b *Buckets[K]) Look(k K, now time.Time) State {
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens := b.of(k).TokensAt(now)
	return b.state(tokens >= 1, tokens)
}

// Quota is how many tokens a bucket holds.
func (b *Buckets[K]) Quota() int { return b.burst }

// Window is how long it takes to fill an empty bucket.
func (b *Buckets[K]) Window() time.Duration { return b.until(float64(b.burst)) }

func (b *Buckets[K]) of(k K) *rate.Limiter {
	l, ok := b.buckets.get(k)
	if !ok {
		l = rate.NewLimiter(rate.Limit(b.perSecond), b.burst)
		b.buckets.put(k, l)
	}
	return l
}

func (b *Buckets[K]) state(allowed bool, tokens float64) State {
	tokens = max(0, tokens)
	s := State{Allowed: allowed, Remaining: int(math.Floor(tokens)), Full: b.until(float64(b.burst) - tokens)}
	if tokens < 1 {
		s.Next = b.until(1 - tokens)
	}
	return s
}

// until is how long it takes to get some tokens.
func (b *Buckets[K]) until(tokens float64) time.Duration {
	return time.Duration(tokens / float64(b.perSecond) * float64(time.Second))
}

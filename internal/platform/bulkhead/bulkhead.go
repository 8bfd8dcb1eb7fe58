// Package bulkhead keeps the requests of one caller from taking what all callers share. Every route belongs to a class
// by what its requests cost, and each class has places of its own.
package bulkhead

import (
	"context"
	"sync"
	"time"
)

// Class says what a request of a route costs.
type Class string

// The classes. A route without one is a mistake that tests find.
const (
	// Constant reads and writes a few rows, which it finds by their keys.
	Constant Class = "constant"
	// Grows reads the more, the more data the caller has: lists, searches, sums, files of many records.
	Grows Class = "grows"
	// Hashes computes the hash of a password.
	Hashes Class = "hashes"
	// Streams lasts as long as the caller likes: it sends or receives a file, or waits for events.
	Streams Class = "streams"
)

// Classes lists every class.
func Classes() []Class { return []Class{Constant, Grows, Hashes, Streams} }

// Places are places for requests in progress. Each holder has a share of them. A nil *Places has room for all.
type Places[K comparable] struct {
	most  int // in all; 0 is no limit
	share func(holders int) int
	// up to queue requests of a holder wait for a place of their holder, each up to patience
	queue    int
	patience time.Duration

	mu    sync.Mutex
	taken int
	of    map[K]*holder
}

type holder struct {
	taken   int
	waiting []chan struct{} // each is closed when it has a place
}

// Shared makes most places. A holder gets half of them while it is the only one with requests in progress, a third if
// there are two, a quarter if there are three. So there is always room for another. Nothing waits.
func Shared[K comparable](most int) *Places[K] {
	return &Places[K]{most: most, share: func(holders int) int { return max(1, most/(holders+1)) },
		of: make(map[K]*holder)}
}

// Each makes a number of places for each holder. Four times as many requests of a holder may wait for one.
func Each[K comparable](places int, patience time.Duration) *Places[K] {
	return &Places[K]{share: func(int) int { return places }, queue: 4 * places, patience: patience,
		of: make(map[K]*holder)}
}

// Full is why there was no place.
type Full string

const (
	// OfHolder: the holder has all places that it may have.
	OfHolder Full = "the holder's places are taken"
	// OfAll: all places are taken.
	OfAll Full = "all places are taken"
)

// Error implements error.
func (f Full) Error() string { return string(f) }

// Take takes a place for a request of a holder, which giveBack returns. Errors: OfHolder, OfAll, that of the context.
func (p *Places[K]) Take(ctx context.Context, k K) (giveBack func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	giveBack = sync.OnceFunc(func() { p.leave(k) })
	turn, err := p.enter(k)
	if err != nil {
		return nil, err
	}
	if turn == nil {
		return giveBack, nil
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case <-turn:
		return giveBack, nil
	case <-timer.C:
		err = OfHolder
	case <-ctx.Done():
		err = ctx.Err()
	}
	if p.giveUp(k, turn) {
		return nil, err
	}
	return giveBack, nil // it got the place at the last moment
}

// enter takes a place, or queues for one: then turn is closed when there is one.
func (p *Places[K]) enter(k K) (turn chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 && p.taken >= p.most {
		return nil, OfAll
	}
	h := p.of[k]
	if h == nil {
		h = &holder{}
		p.of[k] = h
	}
	switch {
	case h.taken < p.share(len(p.of)):
		h.taken++
		p.taken++
		return nil, nil
	case len(h.waiting) < p.queue:
		turn = make(chan struct{})
		h.waiting = append(h.waiting, turn)
		return turn, nil
	}
	return nil, OfHolder
}

// giveUp ends the waiting of a request, unless it has its place by now.
func (p *Places[K]) giveUp(k K, turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.of[k]
	if h == nil {
		return false
	}
	for i, w := range h.waiting {
		if w == turn {
			h.waiting = append(h.waiting[:i], h.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// leave returns a place, to the request of the same holder that has waited longest if there is one.
func (p *Places[K]) leave(k K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.of[k]
	if len(h.waiting) > 0 {
		close(h.waiting[0])
		h.waiting = h.waiting[1:]
		return
	}
	h.taken--
	p.taken--
	if h.taken == 0 {
		delete(p.of, k)
	}
}

// Holders returns how many holders have requests in progress.
func (p *Places[K]) Holders() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.of)
}

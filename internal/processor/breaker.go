package processor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnreachable is wrapped by the error of a call for which no connection to the counterparty was made, so that
// nothing was sent. Adapters return it for nothing else: a call that may have been sent has an unknown outcome. The
// outcome of a call with this error is looked up like that of any other; only the registry's circuit breaker treats it
// differently.
var ErrUnreachable = errors.New("processor: no connection to the counterparty")

// Send sends a request. Its error wraps [ErrUnreachable] if no connection was made, the TLS handshake included.
func Send(client *http.Client, r *http.Request) (*http.Response, error) {
	var connected atomic.Bool // a connection was there, so the request may have been sent
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err := client.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil && !connected.Load() {
		err = fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return resp, err
}

// An adapter is known to be down after that many calls in a row that failed to connect. Then it gets one new payment
// after each pause, until it answers.
const (
	breakerOpens = 5
	breakerPause = 15 * time.Second
	// A process without calls finds out nothing: it reports an adapter as down for that long after its last failed
	// call.
	breakerReport = 5 * time.Minute
)

// breaker is what a process knows about whether an adapter's counterparty can be reached. Its methods may be called
// from several goroutines.
type breaker struct {
	mu     sync.Mutex
	failed int       // calls in a row that failed to connect, up to breakerOpens
	last   time.Time // when the last call failed to connect
	probe  time.Time // when the next new payment may try, while it is down
}

// note records the result of a call. Any answer closes the breaker. An error after the connection was made says that
// the host is reachable, but not that it works: it ends a row of failures, but does not close the breaker.
func (b *breaker) note(err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(err, ErrUnreachable) {
		b.last = now
	}
	switch {
	case err == nil || errors.Is(err, ErrNotFound):
		b.failed = 0
	case errors.Is(err, context.Canceled): // we gave up
	case !errors.Is(err, ErrUnreachable):
		if b.failed < breakerOpens {
			b.failed = 0
		}
	case b.failed < breakerOpens:
		if b.failed++; b.failed == breakerOpens {
			b.probe = now.Add(breakerPause)
		}
	}
}

// down reports whether the counterparty is known to be down.
func (b *breaker) down(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed >= breakerOpens && now.Sub(b.last) < breakerReport
}

// holds reports whether a new payment should go elsewhere. It lets one through after each pause.
func (b *breaker) holds(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < breakerOpens {
		return false
	}
	if now.Before(b.probe) {
		return true
	}
	b.probe = now.Add(breakerPause)
	return false
}

// Watch has the registry notice adapters whose counterparties are down. Without it, none is. Call it before the
// registry is used; now is the machine's time.
func (r *Registry) Watch(now func() time.Time) {
	r.now, r.breakers = now, make(map[string]*breaker, len(r.adapters))
	for name := range r.adapters {
		r.breakers[name] = &breaker{}
	}
}

// Down reports whether an adapter's counterparty is known to be down: the latest calls of this process, the last one
// within five minutes, made no connection. Every process finds that out on its own.
func (r *Registry) Down(adapter string) bool {
	b := r.breakers[adapter]
	return b != nil && b.down(r.now())
}

// Holds reports whether a new payment should be made at another adapter, because this one is down (see
// [Registry.Down]). From time to time it lets a payment through, which finds out whether the counterparty is back. Ask
// only when the payment is about to be made.
func (r *Registry) Holds(adapter string) bool {
	b := r.breakers[adapter]
	return b != nil && b.holds(r.now())
}

// seen records the result of a call to an adapter.
func (r *Registry) seen(adapter, kind string, answer *Answer, err error) {
	if b := r.breakers[adapter]; b != nil {
		b.note(err, r.now())
	}
	r.observe(adapter, kind, answer, err)
}

package safehttp

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// How connections are kept.
const (
	// keptFor is how long one waits for the next exchange: less than servers wait, so that it is we who end it.
	keptFor = 2 * time.Second
	// renewedAfter is how long connections are used at most: then names are looked up again.
	renewedAfter = time.Minute
	// mostSpare is how many connections of all lines of a client wait.
	mostSpare = 1024
)

// Line sends requests of one caller to one host again and again, over connections that it keeps for a short
// while and shares with no other line. The address of each was judged when it was dialed, and it leads to
// no other. Its methods may be called from several goroutines; an exchange is made by the one that asks for it.
type Line struct {
	client *Client

	mu      sync.Mutex
	waiting []*wire // the one that was used last comes last
	ended   int     // how often the line was closed
}

// Line makes a line.
func (c *Client) Line() *Line { return &Line{client: c} }

// Do is [Client.Do] for a request that may arrive twice: if a connection that was kept ends before a byte of the
// answer came, as one does whose server closes it just then, the request is sent on one that is new, once.
func (l *Line) Do(r *http.Request) (Answer, error) {
	c := l.client
	if err := c.Check(r.URL); err != nil {
		return Answer{}, err
	}
	c.spare.Add(-1)
	defer c.spare.Add(1)
	ctx, cancel := context.WithTimeout(r.Context(), c.policy.Timeout)
	defer cancel()
	w, reused := l.take(addressOf(r.URL))
	if w == nil {
		var err error
		if w, err = l.dial(ctx, r); err != nil {
			return Answer{}, failure(r.Context(), err)
		}
	}
	last := r.Close || c.spare.Load() >= mostSpare
	a, keep, err := w.exchange(ctx, r, last)
	if keep && !last {
		l.keep(w)
	} else {
		w.close()
	}
	if err == nil {
		return a, nil
	}
	if err = failure(r.Context(), err); !reused || w.answered || ReasonOf(err) != Unreachable || r.GetBody == nil {
		return Answer{}, err
	}
	again := r.Clone(ctx)
	if again.Body, err = r.GetBody(); err != nil {
		return Answer{}, err
	}
	return c.exchange(again, c.once)
}

// take gives a connection to a place that waits and still stands.
func (l *Line) take(to address) (w *wire, reused bool) {
	for {
		l.mu.Lock()
		at := len(l.waiting) - 1
		for at >= 0 && l.waiting[at].to != to { // of a host that the line led to before
			at--
		}
		if at < 0 {
			l.mu.Unlock()
			return nil, false
		}
		w = l.remove(at)
		l.mu.Unlock()
		if w.silent() {
			return w, true
		}
		w.close()
	}
}

// remove takes a connection that waits. The caller holds the lock.
func (l *Line) remove(at int) *wire {
	w := l.waiting[at]
	w.patience.Stop()
	l.waiting = append(l.waiting[:at], l.waiting[at+1:]...)
	return w
}

// keep has a connection wait for the next exchange, unless it has grown old, or the line was closed meanwhile.
func (l *Line) keep(w *wire) {
	l.mu.Lock()
	good := !w.old && w.made == l.ended
	if good {
		w.patience.Reset(keptFor)
		l.waiting = append(l.waiting, w)
	}
	l.mu.Unlock()
	if !good {
		w.close()
	}
}

// drop ends a connection if it waits.
func (l *Line) drop(w *wire) {
	l.mu.Lock()
	at := len(l.waiting) - 1
	for at >= 0 && l.waiting[at] != w {
		at--
	}
	if at >= 0 {
		l.remove(at)
	}
	l.mu.Unlock()
	if at >= 0 {
		w.close()
	}
}

// Close ends the connections that wait, and each other after its exchange.
func (l *Line) Close() {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = nil
	l.ended++
	l.mu.Unlock()
	for _, w := range waiting {
		w.close()
	}
}

// dial makes a connection for a request, which is counted until it ends.
func (l *Line) dial(ctx context.Context, r *http.Request) (*wire, error) {
	l.mu.Lock()
	made := l.ended
	l.mu.Unlock()
	w, err := l.client.connect(ctx, addressOf(r.URL))
	if err != nil {
		return nil, err
	}
	w.made = made
	w.patience = time.AfterFunc(keptFor, func() { l.drop(w) })
	w.patience.Stop()
	w.age = time.AfterFunc(renewedAfter, func() {
		l.mu.Lock()
		w.old = true
		l.mu.Unlock()
		l.drop(w)
	})
	return w, nil
}

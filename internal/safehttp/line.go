package safehttp

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// How connections are kept.
const (
	// keptFor is how long one waits for the next exchange: less than servers wait, so that it is we who end it.
	keptFor = 2 * time.Second
	// renewedAfter is how long connections are used at most: then names are looked up again.
	renewedAfter = time.Minute
	// mostSpare is how many connections of all lines of a client wait.
	mostSpare = 512
)

// Line sends requests of one caller to one host again and again, over connections that it keeps for a short
// while and shares with no other line. The address of each was judged when it was dialed, and it leads to
// no other. Its methods may be called from several goroutines.
type Line struct {
	client *Client
	mu     sync.Mutex
	kept   *http.Transport // nil before the first exchange, and when the last connections have grown old
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
	var reused, answered atomic.Bool
	trace := &httptrace.ClientTrace{
		GotConn:              func(g httptrace.GotConnInfo) { reused.Store(g.Reused) },
		GotFirstResponseByte: func() { answered.Store(true) },
	}
	traced := r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	traced.Close = c.spare.Load() >= mostSpare
	a, err := c.exchange(traced, l.transport())
	if err == nil || !reused.Load() || answered.Load() || ReasonOf(err) != Unreachable || r.GetBody == nil {
		return a, err
	}
	again := r.Clone(r.Context())
	if again.Body, err = r.GetBody(); err != nil {
		return Answer{}, err
	}
	return c.exchange(again, c.once)
}

// transport is what holds the connections, for as long as they are young.
func (l *Line) transport() *http.Transport {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		t := l.client.transport()
		t.DialContext, t.IdleConnTimeout, t.MaxIdleConnsPerHost = l.client.dialCounted, keptFor, mostSpare
		time.AfterFunc(renewedAfter, func() { l.retire(t) })
		l.kept = t
	}
	return l.kept
}

// retire has some connections used no more: those that wait end now, the others after their exchanges.
func (l *Line) retire(t *http.Transport) {
	l.mu.Lock()
	if l.kept == t {
		l.kept = nil
	}
	l.mu.Unlock()
	t.CloseIdleConnections()
}

// Close ends the connections that wait.
func (l *Line) Close() {
	l.mu.Lock()
	t := l.kept
	l.mu.Unlock()
	if t != nil {
		l.retire(t)
	}
}

// dialCounted connects to a host as dial does, and counts the connection until it ends.
func (c *Client) dialCounted(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.spare.Add(1)
	return &counted{Conn: conn, ended: sync.OnceFunc(func() { c.spare.Add(-1) })}, nil
}

type counted struct {
	net.Conn
	ended func()
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.ended()
	return c.Conn.Close()
}

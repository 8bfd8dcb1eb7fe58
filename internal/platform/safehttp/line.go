package safehttp

import (
	"context"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// How connections are kept.
const (
	// keptFor is how long one waits for the next exchange: less than servers wait, so that the client ends it.
	keptFor = 2 * time.Second
	// renewedAfter is how long connections are used at most; then names are looked up again.
	renewedAfter = time.Minute
	// mostKept is how many open connections all lines of a client have at most before they keep none.
	mostKept = 1024
	// perLine is how many connections of a line wait at most.
	perLine = 64
)

// Line sends requests of one caller to one host again and again, over connections that it keeps for a short
// while and shares with no other line. The address of each was judged when it was dialed. Its methods may be
// called from several goroutines.
type Line struct {
	client *Client

	mu        sync.Mutex
	transport *http.Transport // nil: the line has no connection
	age       *time.Timer     // of the transport
}

// Line makes a line.
func (c *Client) Line() *Line { return &Line{client: c} }

// Do is [Client.Do] for a request that may arrive twice: if a connection that was kept ends before a byte of the
// answer came, as one does whose server closes it at that moment, the request is sent again.
func (l *Line) Do(r *http.Request) (Answer, error) {
	if err := l.client.Check(r.URL); err != nil {
		return Answer{}, err
	}
	r = r.WithContext(r.Context()) // the caller's own stays as it is
	r.Header = maps.Clone(r.Header)
	r.Header["Idempotency-Key"] = nil // a transport sends no such header, but repeats the request
	r.Close = r.Close || l.client.kept.Load() >= mostKept
	return l.client.exchange(r, l.current())
}

// current is the transport of the line, a new one each minute.
func (l *Line) current() *http.Transport {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.transport == nil {
		l.transport = l.client.transport()
		l.transport.DialContext = l.client.dialKept
		l.transport.IdleConnTimeout, l.transport.MaxIdleConnsPerHost = keptFor, perLine
		l.age = time.AfterFunc(renewedAfter, l.Close)
	}
	return l.transport
}

// Close ends the connections that wait, and each other after its exchange. The line can be used again.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.transport != nil {
		l.age.Stop()
		l.transport.CloseIdleConnections()
		l.transport = nil
	}
}

// dialKept makes a connection that is counted until it ends.
func (c *Client) dialKept(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.kept.Add(1)
	return &kept{Conn: conn, count: &c.kept}, nil
}

// kept is a connection of a line.
type kept struct {
	net.Conn
	count *atomic.Int64
	ended sync.Once
}

// Close implements net.Conn.
func (k *kept) Close() error {
	k.ended.Do(func() { k.count.Add(-1) })
	return k.Conn.Close()
}

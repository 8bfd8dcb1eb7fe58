package chaos

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is a network between two programs that can be told to fail.
type proxy struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	delay    atomic.Int64 // of every packet, in nanoseconds
	hole     atomic.Bool  // nothing gets through, and no one is told

	mu    sync.Mutex
	links map[*link]bool
	pumps sync.WaitGroup
}

// link is a connection through a proxy.
type link struct{ near, far net.Conn }

// close ends both sides; hard tells them of an error rather than of an end.
func (l *link) close(hard bool) {
	for _, c := range []net.Conn{l.near, l.far} {
		if tcp, ok := c.(*net.TCPConn); ok && hard {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}

func newProxy(t *testing.T, dial func() (net.Conn, error)) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, dial: dial, links: map[*link]bool{}}
	p.pumps.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.hole.Store(false)
		p.cut(false)
		p.pumps.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := p.dial()
		if err != nil {
			_ = near.Close()
			continue
		}
		l := &link{near, far}
		p.mu.Lock()
		p.links[l] = true
		p.mu.Unlock()
		p.pumps.Go(func() { p.pump(l, near, far) })
		p.pumps.Go(func() { p.pump(l, far, near) })
	}
}

// pump carries one direction of a link, and ends the link when it is over.
func (p *proxy) pump(l *link, from, to net.Conn) {
	defer func() {
		l.close(false)
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	for b := make([]byte, 32<<10); ; {
		n, err := from.Read(b)
		for p.hole.Load() && p.has(l) {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(p.delay.Load()))
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) has(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.links[l]
}

// cut ends every connection; hard resets it.
func (p *proxy) cut(hard bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close(hard)
		delete(p.links, l)
	}
}

// slow delays every packet for a while.
func (p *proxy) slow(by, during time.Duration) {
	p.delay.Store(int64(by))
	time.Sleep(during)
	p.delay.Store(0)
}

// swallow lets nothing through for a while. Connections do not outlive it.
func (p *proxy) swallow(during time.Duration) {
	p.hole.Store(true)
	time.Sleep(during)
	p.cut(false)
	p.hole.Store(false)
}

// TestProxyFails: each fault of the network is what it is called, and the network works after it.
func TestProxyFails(t *testing.T) {
	t.Parallel()
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	p := newProxy(t, func() (net.Conn, error) { return net.Dial("tcp", echo.Addr().String()) })
	ask := func() (net.Conn, error) {
		c, err := net.Dial("tcp", p.addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = c.Write([]byte("x"))
		return c, err
	}
	hear := func(c net.Conn) error {
		_, err := io.ReadFull(c, make([]byte, 1))
		return err
	}
	for what, fault := range map[string]struct {
		happens func()
		heard   func(error) bool
	}{
		"cut":     {func() { p.cut(false) }, func(err error) bool { return errors.Is(err, io.EOF) }},
		"reset":   {func() { p.cut(true) }, func(err error) bool { return err != nil && !errors.Is(err, io.EOF) }},
		"swallow": {func() { p.swallow(50 * time.Millisecond) }, func(err error) bool { return err != nil }},
	} {
		c, err := ask()
		if err == nil {
			err = hear(c)
		}
		if err != nil {
			t.Fatalf("before %s: %v", what, err)
		}
		fault.happens()
		if err := hear(c); !fault.heard(err) {
			t.Errorf("%s is heard as %v", what, err)
		}
	}
	p.delay.Store(int64(30 * time.Millisecond))
	began := time.Now()
	c, err := ask()
	if err == nil {
		err = hear(c)
	}
	if took := time.Since(began); err != nil || took < 60*time.Millisecond {
		t.Errorf("a slow network answers after %s, %v", took, err)
	}
}

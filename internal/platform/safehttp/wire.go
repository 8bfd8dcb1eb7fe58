package safehttp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"
)

const (
	// mostAtOnce is how long a request may be that is written before its answer is read: less than the two hosts hold
	// for programs that do not read. A longer one is written while the answer is waited for.
	mostAtOnce = 32 << 10
	// mostInterim is how many answers may come before the one that counts (RFC 9110, section 15.2).
	mostInterim = 5
)

// address is where a connection leads.
type address struct{ scheme, host, port string }

func addressOf(u *url.URL) address {
	to := address{u.Scheme, u.Hostname(), u.Port()}
	if to.port == "" {
		to.port = "80"
		if to.scheme == "https" {
			to.port = "443"
		}
	}
	return to
}

// wire is a connection over which one exchange goes at a time, written and read by whoever wants it: a goroutine for
// each direction, as net/http has them, costs more than the exchange does.
type wire struct {
	conn   net.Conn // TLS, or the socket
	socket syscall.RawConn
	in     *bufio.Reader
	out    *bufio.Writer
	left   int64 // what may still be read of a head
	to     address
	ended  func()

	// Of the line, under its lock.
	made          int // how often the line had been closed
	old           bool
	patience, age *time.Timer

	answered bool // a byte of the last exchange's answer came
}

// connect makes a connection to an address, which is judged where it is dialed.
func (c *Client) connect(ctx context.Context, to address) (*wire, error) {
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(to.host, to.port))
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, to: to, ended: func() { c.spare.Add(-1) }}
	if held, ok := conn.(syscall.Conn); ok {
		w.socket, err = held.SyscallConn()
	}
	if err == nil && to.scheme == "https" {
		w.conn, err = c.secure(ctx, conn, to.host)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	w.in, w.out = bufio.NewReader(w), bufio.NewWriter(w.conn)
	c.spare.Add(1)
	return w, nil
}

// secure speaks TLS with a host on a connection.
func (c *Client) secure(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	config := c.once.TLSClientConfig.Clone()
	config.ServerName = host
	secured := tls.Client(conn, config)
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return secured, secured.HandshakeContext(ctx)
}

// close ends the connection.
func (w *wire) close() {
	w.age.Stop()
	w.patience.Stop()
	w.ended()
	_ = w.conn.Close()
}

var errHead = errors.New("the head of the answer is too long")

// Read reads what the host said, as much as may be read.
func (w *wire) Read(b []byte) (int, error) {
	if w.left <= 0 {
		return 0, errHead
	}
	n, err := w.conn.Read(b[:min(int64(len(b)), w.left)])
	w.left -= int64(n)
	return n, err
}

// silent tells whether a connection that waits still stands, and its host has said nothing that nobody asked for: it would
// be taken for the answer to what is asked next.
func (w *wire) silent() bool {
	if w.in.Buffered() > 0 || w.socket == nil {
		return false
	}
	var said error
	var one [1]byte
	err := w.socket.Read(func(fd uintptr) bool {
		_, _, said = syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	if err != nil || !errors.Is(said, syscall.EAGAIN) {
		return false
	}
	if w.to.scheme != "https" {
		return true
	}
	if err = w.conn.SetReadDeadline(time.Unix(1, 0)); err == nil { // TLS may hold what came in one piece with the answer
		_, err = w.in.Peek(1)
	}
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// exchange sends a request and reads its answer, and tells whether the connection can be used again. The connection breaks
// when ctx ends.
func (w *wire) exchange(ctx context.Context, r *http.Request, last bool) (a Answer, keep bool, err error) {
	until, _ := ctx.Deadline() // Do gave it one
	if err := w.conn.SetDeadline(until); err != nil {
		return a, false, err
	}
	w.answered, w.left = false, maxHeader
	if r.Context().Done() != nil { // the caller may give up
		stop := context.AfterFunc(ctx, func() { _ = w.conn.SetDeadline(time.Unix(1, 0)) })
		defer func() { keep = stop() && keep }() // else the connection ends just now
	}
	if r.Body != nil && (r.ContentLength <= 0 || r.ContentLength > mostAtOnce) {
		return w.exchangeLong(r, last)
	}
	failed := w.write(r, last)
	a, keep, err = w.read(r)
	if err != nil && !w.answered && failed != nil {
		err = failed
	}
	return a, keep && failed == nil, err
}

// exchangeLong reads the answer while the request is written.
func (w *wire) exchangeLong(r *http.Request, last bool) (a Answer, keep bool, err error) {
	wrote := make(chan error, 1)
	go func() { wrote <- w.write(r, last) }()
	a, keep, err = w.read(r)
	select {
	case failed := <-wrote:
		if err != nil && !w.answered && failed != nil {
			err = failed
		}
		return a, keep && failed == nil, err
	default: // the answer came before the request was written: nobody reads the rest
		_ = w.conn.Close()
		<-wrote
		return a, false, err
	}
}

func (w *wire) write(r *http.Request, last bool) error {
	if last {
		once := *r
		once.Close = true
		r = &once
	}
	if err := r.Write(w.out); err != nil {
		return err
	}
	return w.out.Flush()
}

// read reads an answer up to its bounds.
func (w *wire) read(r *http.Request) (a Answer, keep bool, err error) {
	if _, err := w.in.Peek(1); err != nil {
		return a, false, err
	}
	w.answered = true
	response, err := http.ReadResponse(w.in, r)
	for n := 0; err == nil && response.StatusCode < 200 && response.StatusCode != http.StatusSwitchingProtocols; n++ {
		if n == mostInterim {
			return a, false, errHead
		}
		response, err = http.ReadResponse(w.in, r)
	}
	if err != nil {
		return a, false, err
	}
	w.left = 1 << 62
	var body []byte
	if response.ContentLength != 0 {
		body, err = io.ReadAll(io.LimitReader(response.Body, MaxBody+1)) // whose Close would read it all
	}
	if err != nil {
		return a, false, err
	}
	a = Answer{Status: response.StatusCode, Header: response.Header, Body: body[:min(len(body), MaxBody)], Cut: len(body) > MaxBody}
	return a, !a.Cut && !response.Close && a.Status != http.StatusSwitchingProtocols, nil
}

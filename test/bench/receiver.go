package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver takes webhooks on loopback, and notes which came.
type receiver struct {
	listener net.Listener
	pause    time.Duration // before each answer
	dead     bool          // it never answers

	secret string // of the endpoint that the service has for it

	mu          sync.Mutex
	seen        map[string]int // how often each came, by its webhook-id
	last        message
	connections map[net.Conn]struct{}
}

// message is what came.
type message struct {
	headers http.Header
	body    []byte
}

func newReceiver(pause time.Duration, dead bool) (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{listener: l, pause: pause, dead: dead, seen: make(map[string]int), connections: make(map[net.Conn]struct{})}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			go r.serve(conn)
		}
	}()
	return r, nil
}

func (r *receiver) url() string { return "http://" + r.listener.Addr().String() + "/" }

var thanks = []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

// serve takes what comes on a connection until it ends.
func (r *receiver) serve(conn net.Conn) {
	r.mu.Lock()
	r.connections[conn] = struct{}{}
	r.mu.Unlock()
	defer func() {
		_ = conn.Close()
		r.mu.Lock()
		delete(r.connections, conn)
		r.mu.Unlock()
	}()
	for in := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.note(message{request.Header, body})
		if r.dead {
			continue // the next read ends when the connection does
		}
		time.Sleep(r.pause)
		if _, err := conn.Write(thanks); err != nil {
			return
		}
	}
}

func (r *receiver) note(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[m.headers.Get("Webhook-Id")]++
	r.last = m
}

// body is that of the last message; "" if there was none.
func (r *receiver) body() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.last.body)
}

// forget begins anew; what a dead receiver holds is given up.
func (r *receiver) forget() {
	r.mu.Lock()
	clear(r.seen)
	r.mu.Unlock()
	if r.dead {
		r.hangUp()
	}
}

func (r *receiver) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.connections {
		_ = conn.Close()
	}
}

// took complains unless so many messages came, each at least once, and the last with a good signature.
func (r *receiver) took(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) != n {
		return fmt.Errorf("%d messages came of %d", len(r.seen), n)
	}
	hook, err := standardwebhooks.NewWebhook(r.secret)
	if err == nil && n > 0 {
		err = hook.Verify(r.last.body, r.last.headers)
	}
	return err
}

func (r *receiver) close() {
	_ = r.listener.Close()
	r.hangUp()
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
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
	last        []byte         // message, as it came; nil before the first
	connections map[net.Conn]struct{}
}

func newReceiver(pause time.Duration, dead bool) (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{listener: l, pause: pause, dead: dead, seen: make(map[string]int),
		connections: make(map[net.Conn]struct{})}
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
	var message []byte
	for in := bufio.NewReader(conn); ; {
		var id string
		var err error
		if message, id, err = receive(in, message[:0]); err != nil {
			return
		}
		r.note(id, message)
		if r.dead {
			continue // the next read ends when the connection does
		}
		time.Sleep(r.pause)
		if _, err := conn.Write(thanks); err != nil {
			return
		}
	}
}

// receive reads a message behind what it is given, and its webhook-id. It takes apart no more than that: what receivers
// cost is not the senders' doing.
func receive(in *bufio.Reader, before []byte) (message []byte, id string, err error) {
	for length := 0; ; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return before, "", err
		}
		before = append(before, line...)
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case len(name) == 0: // the body follows
			message = slices.Grow(before, length)[:len(before)+length]
			_, err = io.ReadFull(in, message[len(before):])
			return message, id, err
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 {
				return before, "", fmt.Errorf("a body of %s bytes", value)
			}
		case bytes.EqualFold(name, []byte("Webhook-Id")):
			id = string(value)
		}
	}
}

func (r *receiver) note(id string, message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[id]++
	r.last = append(r.last[:0], message...)
}

// came is how many messages came.
func (r *receiver) came() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// body is that of the last message; "" if there was none.
func (r *receiver) body() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, body, _ := apart(r.last)
	return string(body)
}

// apart reads a message as HTTP.
func apart(message []byte) (http.Header, []byte, error) {
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(message)))
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(request.Body)
	return request.Header, body, err
}

// forget begins again; what a dead receiver holds is given up.
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
	if n == 0 {
		return nil
	}
	headers, body, err := apart(r.last)
	if err != nil {
		return err
	}
	hook, err := standardwebhooks.NewWebhook(r.secret)
	if err == nil {
		err = hook.Verify(body, headers)
	}
	return err
}

func (r *receiver) close() {
	_ = r.listener.Close()
	r.hangUp()
}

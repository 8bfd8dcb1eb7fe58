package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// kept is a connection that its caller keeps.
type kept struct {
	net.Conn
	from *bufio.Reader
}

func keepTo(t *testing.T, addr string) kept {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the test may have done it
	return kept{conn, bufio.NewReader(conn)}
}

func (k kept) ask(t *testing.T, path string) {
	t.Helper()
	if _, err := io.WriteString(k, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Error(err)
	}
}

// hears reads an answer, which is or is not the connection's last.
func (k kept) hears(t *testing.T, last bool) {
	t.Helper()
	resp, err := http.ReadResponse(k.from, nil)
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "answer" || resp.Close != last {
		t.Errorf("%s, %v; the last one: %v instead of %v", body, err, resp.Close, last)
	}
}

// TestLeaveTaking: a server that stops answers anyone who is there, however it begins its answer, and tells
// them that it goes; it lets no one new in; it closes what says nothing.
func TestLeaveTaking(t *testing.T) {
	t.Parallel()
	asked, finish := make(chan bool, 2), make(chan bool)
	mux := http.NewServeMux()
	mux.HandleFunc("/at-once", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") })
	for path, begins := range map[string]func(http.ResponseWriter){
		"/slow":   func(http.ResponseWriter) {},
		"/slower": func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) },
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			asked <- true
			<-finish
			begins(w)
			_, _ = io.WriteString(w, "answer")
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, newServer(mux), l) }()

	silent, busy, slow, slower := keepTo(t, addr), keepTo(t, addr), keepTo(t, addr), keepTo(t, addr)
	for _, k := range []kept{silent, busy, busy} {
		k.ask(t, "/at-once")
		k.hears(t, false)
	}
	slow.ask(t, "/slow")
	slower.ask(t, "/slower")
	_, _ = <-asked, <-asked
	leave()
	began := time.Now()
	for {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			break
		}
		conn.Close()
	}
	busy.ask(t, "/at-once")
	busy.hears(t, true)
	if _, err := silent.from.ReadByte(); err != io.EOF || time.Since(began) < leaveTaking*9/10 {
		t.Errorf("the silent connection: %v after %s", err, time.Since(began))
	}
	close(finish)
	slow.hears(t, true)
	slower.hears(t, true)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServerThatCannotListenSaysSo(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := serveUntil(t.Context(), newServer(http.NotFoundHandler()), l); err == nil {
		t.Error("it served on a closed socket")
	}
}

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// leaveTaking is how long a server that stops goes on answering on connections that callers keep, and
// tells them to make new ones. Anyone who says nothing in that time has its connection closed.
const leaveTaking = time.Second

// serveUntil serves until ctx ends. Then it accepts no new connections, and clients that keep theirs are asked to
// go elsewhere, and running requests finish.
func serveUntil(ctx context.Context, s *http.Server, listeners ...net.Listener) error {
	leave := &leaving{next: s.Handler}
	s.Handler = leave
	errs := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { errs <- s.Serve(l) }()
	}
	select {
	case err := <-errs:
		_ = s.Close()
		return err
	case <-ctx.Done():
	}
	leave.now.Store(true)
	closeAll(listeners)
	var failed error
	for range listeners {
		if err := <-errs; !errors.Is(err, net.ErrClosed) {
			failed = err
		}
	}
	time.Sleep(leaveTaking)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), handlerTimeout)
	defer cancel()
	return errors.Join(failed, s.Shutdown(grace))
}

// leaving is a handler that makes every answer the last one of its connection from some moment on.
// http.Server.SetKeepAlivesEnabled would also close the idle connections at once, and with them those
// on which a request is on its way.
type leaving struct {
	now  atomic.Bool
	next http.Handler
}

// ServeHTTP implements http.Handler.
func (l *leaving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	last := &lastAnswer{w, &l.now}
	last.mark()
	l.next.ServeHTTP(last, r)
}

// lastAnswer looks at the moment when an answer begins: its request may be older.
type lastAnswer struct {
	http.ResponseWriter
	now *atomic.Bool
}

func (a *lastAnswer) mark() {
	if a.now.Load() {
		a.Header().Set("Connection", "close")
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *lastAnswer) WriteHeader(status int) {
	a.mark()
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *lastAnswer) Write(b []byte) (int, error) {
	a.mark()
	return a.ResponseWriter.Write(b)
}

// Unwrap leads http.ResponseController to what can do more.
func (a *lastAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

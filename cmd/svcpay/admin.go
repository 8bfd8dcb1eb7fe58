package main

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"
)

// adminHandler tells metrics and profiles to programs of this machine. A page that has its own name lead
// here is refused by the name.
func (a *app) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.meter.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index) // and each profile by its name
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil || !isLoopback(host) {
			http.Error(w, "This host name is not served here.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serveAdmin answers on the listeners, if any, until ctx ends or the function that it returns is
// called, which waits for the end. The service does not stop for want of its metrics.
func (a *app) serveAdmin(ctx context.Context, listeners []net.Listener) (stop func()) {
	if len(listeners) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := serveUntil(ctx, newServer(a.adminHandler()), listeners...); err != nil {
			a.log.Error("metrics are told no more", "error", err.Error())
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

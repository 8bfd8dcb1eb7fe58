package main

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// errNotLoopback keeps a development server from the network.
var errNotLoopback = errors.New("svcpay dev listens on loopback only: use localhost:PORT")

// listenLoopback listens on both loopback addresses, since a browser may try either for a name
// under localhost. Port 0 takes one that is free.
func listenLoopback(addr string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not host:port", addr)
	}
	if !isLoopback(host) {
		return nil, errNotLoopback
	}
	v4, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	listeners := []net.Listener{v4}
	_, port, err = net.SplitHostPort(v4.Addr().String())
	if err != nil {
		return nil, err
	}
	// A machine without IPv6 serves IPv4 alone. A port that another program has there must not be
	// passed over: browsers would reach that program.
	v6, err := net.Listen("tcp6", net.JoinHostPort("::1", port))
	switch {
	case err == nil:
		listeners = append(listeners, v6)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errors.Join(err, v4.Close())
	}
	return listeners, nil
}

// isLoopback reports whether a host is this machine alone.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// numberOf is the port of listeners.
func numberOf(l []net.Listener) int { return l[0].Addr().(*net.TCPAddr).Port }

// portOf returns ":8080".
func portOf(l []net.Listener) string {
	return fmt.Sprintf(":%d", numberOf(l))
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		_ = l.Close() // a server that used it has closed it already
	}
}

// lookup returns a variable of an environment list, or "".
func lookup(env []string, name string) string {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	return ""
}

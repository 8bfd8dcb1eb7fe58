package main

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestDevelopmentListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0",
		"localhost.example.org:0", "localhost"} {
		if l, err := listenLoopback(addr); err == nil {
			closeAll(l)
			t.Errorf("%s is listened on", addr)
		}
	}
	for _, addr := range []string{"localhost:0", "127.0.0.1:0", "[::1]:0"} {
		l, err := listenLoopback(addr)
		if err != nil {
			t.Fatalf("%s: %v", addr, err)
		}
		for _, one := range l {
			if a := one.Addr().(*net.TCPAddr); !a.IP.IsLoopback() ||
				one.Addr().(*net.TCPAddr).Port != l[0].Addr().(*net.TCPAddr).Port {
				t.Errorf("%s listens on %v", addr, a)
			}
		}
		closeAll(l)
	}
}

func TestPortOfAnotherProgramIsNotShared(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Log("this machine has no IPv6, hence nobody else on it")
		return
	}
	defer other.Close()
	_, port, _ := net.SplitHostPort(other.Addr().String())
	l, err := listenLoopback("localhost:" + port)
	if !errors.Is(err, syscall.EADDRINUSE) {
		closeAll(l)
		t.Errorf("beside another program: %v", err)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	env := []string{"AB=1", "A=2=3", "EMPTY="}
	if lookup(env, "A") != "2=3" || lookup(env, "EMPTY") != "" || lookup(env, "B") != "" {
		t.Error("another variable's value is found")
	}
}

package main

import (
	"net"
	"path/filepath"
	"slices"
	"testing"
)

func TestSuccessorHasTheSettingsAndItsOwnDescriptors(t *testing.T) {
	t.Parallel()
	env := []string{"DATABASE_URL=x", "LISTEN_PID=1", "LISTEN_FDS=9", "SVCPAY_ADDR=:1", "LISTEN_FDNAMES=old"}
	was := slices.Clone(env)
	want := []string{"DATABASE_URL=x", "SVCPAY_ADDR=:1", "LISTEN_FDS=2", "LISTEN_FDNAMES=service:ready"}
	if got := successorEnv(env, []string{serviceName, readyName}); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if !slices.Equal(env, was) {
		t.Errorf("our own became %v", env)
	}
}

func TestSystemdIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notify")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&doors{}).tellReady([]string{"NOTIFY_SOCKET=" + path}); err != nil {
		t.Error(err)
	}
	b := make([]byte, 99)
	if n, err := systemd.Read(b); err != nil || string(b[:n]) != "READY=1" {
		t.Errorf("%q, %v", b[:n], err)
	}
	if err := notify(nil, "READY=1"); err != nil {
		t.Errorf("without systemd: %v", err)
	}
	systemd.Close()
	if err := notify([]string{"NOTIFY_SOCKET=" + path}, "READY=1"); err == nil {
		t.Error("nobody hears, and nobody complains")
	}
}

package rig

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestKeeperKeepsAndRepeatsNothing: one connection for many requests, another when it was told or saw that
// the last one ended, and one request for each that was asked.
func TestKeeperKeepsAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/last":
			w.Header().Set("Connection", "close")
		case "/dies":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = conn.Close()
		}
	}))
	t.Cleanup(s.Close)
	k := &Keeper{Addr: s.Listener.Addr().String(), Patience: time.Minute}
	send := func(path string, ok bool, dials int) {
		t.Helper()
		if err := k.Refresh(); err != nil {
			t.Error(err)
		}
		a, err := k.Send("x.test", "POST", path, map[string]any{"a": 1}, map[string]string{"Idempotency-Key": "k"})
		if (err == nil) != ok || ok && a.Status != http.StatusOK || k.Dials != dials {
			t.Errorf("%s: %v, %s over %d connections, want %d", path, err, a, k.Dials, dials)
		}
	}
	send("/", true, 1)
	send("/", true, 1)
	send("/last", true, 1)
	send("/", true, 2)
	send("/dies", false, 2)
	send("/", true, 3)
	s.CloseClientConnections()
	send("/", true, 4) // it looked before
	if asked != 7 {
		t.Errorf("%d requests came of 7", asked)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestKeeperTellsThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{Addr: l.Addr().String(), Patience: time.Minute}
	if _, err := k.Send("x.test", "GET", "/", nil, nil); err == nil || k.Dials != 0 {
		t.Errorf("%v over %d connections", err, k.Dials)
	}
}

func TestBlocksOfADocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(file, []byte("a\n```bash\none\n```\n```ini\nx = 1\n```\n```bash\ntwo\nthree\n```\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Blocks(file, "bash"); err != nil || !slices.Equal(got, []string{"one\n", "two\nthree\n"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Blocks(file+"x", "bash"); err == nil {
		t.Error("a document that is not there")
	}
	if got, err := Block(file, "ini", "x", "y"); err != nil || got != "y = 1\n" {
		t.Errorf("%q, %v", got, err)
	}
	for language, text := range map[string]string{"ini": "z", "bash": "one", "sql": "one"} {
		if got, err := Block(file, language, text, "y"); err == nil {
			t.Errorf("%s without one %s: %q", language, text, got)
		}
	}
}

func TestKillAllLeavesNobody(t *testing.T) {
	t.Parallel()
	p, err := Start("/bin/sh", nil, nil, nil, "-c", "sleep 600 & sleep 600")
	if err != nil {
		t.Fatal(err)
	}
	var members map[int]string
	for begun := time.Now(); len(members) < 3 && time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
		members = Family(p.Cmd.Process.Pid)
	}
	if !KillAll(p.Cmd.Process.Pid) || len(Alive(members)) != 0 || len(members) != 3 {
		t.Errorf("%v were there, %v are", members, Alive(members))
	}
	<-p.Done
	if !Killed(p.Cmd.ProcessState) || KillAll(p.Cmd.Process.Pid) {
		t.Errorf("%s", p.Cmd.ProcessState)
	}
}

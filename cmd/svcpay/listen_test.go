package main

import (
	"os"
	"path/filepath"
	"testing"

	"svcpay/internal/devtools/listen"
	"svcpay/internal/platform/localpg"
)

// What listens before svcpay dev was ever started leaves it a state directory that its PostgreSQL can be reached in.
func TestListenMakesTheStateDirectoryAsDevDoes(t *testing.T) {
	t.Parallel()
	theirs := filepath.Join(t.TempDir(), "dev")
	if _, err := localpg.MakeDir(theirs); err != nil {
		t.Fatal(err)
	}
	p := &partner{url: "https://api.example.org", app: 7, stateDir: filepath.Join(t.TempDir(), "svcpay")}
	dir, err := listenCommand{}.keeps(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := listen.Secret(dir, listen.Target{BaseURL: p.url, ApplicationID: p.app}); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Stat(p.stateDir); err != nil || got.Mode() != want.Mode() {
		t.Errorf("%v, %v, want %s", got.Mode(), err, want.Mode())
	}
	if named, err := (listenCommand{StateDir: "elsewhere"}).keeps(p); err != nil || named != "elsewhere" {
		t.Errorf("%q, %v", named, err)
	}
}

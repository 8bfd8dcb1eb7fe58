package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStateIsClosedToOthersAndClaimedOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "state")
	release, err := claimState(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		want = 0o711 // the database's user passes through
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != want {
		t.Errorf("mode %v, %v; want %v", info.Mode().Perm(), err, want)
	}
	if _, err := claimState(dir); err == nil {
		t.Error("claimed twice")
	}
	release()
	release, err = claimState(dir)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	release()
}

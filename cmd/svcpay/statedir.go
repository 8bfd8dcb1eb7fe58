package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"svcpay/internal/platform/localpg"
)

// claimState makes dir and keeps every other development server away from it until release: two
// would overwrite each other's credentials, and the first to stop would take the database along.
// The kernel gives the claim back however this process ends; children do not inherit it.
func claimState(dir string) (release func(), err error) {
	if _, err := localpg.MakeDir(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "dev.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		_ = f.Close()
		return nil, fmt.Errorf("another svcpay dev uses %s: stop it, or choose another --state-dir", dir)
	case err != nil:
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil
}

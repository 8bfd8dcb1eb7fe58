package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// tryLock opens the file and locks it; nil means that somebody else has it.
// The lock belongs to the open file: it ends when the last process that shares
// it, a child included, closes it or ends.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, f.Close()
	default:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
}

// removeStalePID removes the pid file of a server that is gone. We hold the
// server's lock, so no server of ours lives; PostgreSQL itself cannot know
// that and would refuse to start if another process of the same user had the
// number now, which is common after a container restarts. A server that
// somebody started by hand on this data is recognized by its working directory.
func removeStalePID(data string) error {
	path := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	here, err := os.Stat(data)
	if err != nil {
		return err
	}
	cwd, err := os.Stat(filepath.Join("/proc", filepath.Base(pid), "cwd"))
	if err == nil && os.SameFile(cwd, here) {
		return fmt.Errorf("a PostgreSQL that svcpay did not start runs on %s (process %s): stop it first", data, pid)
	}
	return os.Remove(path)
}

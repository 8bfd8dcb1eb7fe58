package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lockFiles are the files in the data directory by which PostgreSQL keeps a second server away: from the data, and
// from its socket.
var lockFiles = []string{"postmaster.pid", ".s.PGSQL.5432.lock"}

// removeStaleLocks removes the lock files of a server that is gone. The caller holds the lock of the server, so none
// of ours runs. PostgreSQL cannot know that: it refuses to start while any process of the same user has the number in
// a lock file, which is common after a container restarts. A server that an operator started on this data by hand is
// recognized by its working directory.
func removeStaleLocks(data string) error {
	for _, name := range lockFiles {
		if err := removeStaleLock(data, name); err != nil {
			return err
		}
	}
	return nil
}

func removeStaleLock(data, name string) error {
	path := filepath.Join(data, name)
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

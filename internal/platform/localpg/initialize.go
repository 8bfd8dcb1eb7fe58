package localpg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const unfinished = "postgres.init-"

// initialize creates the data unless it is there. initdb works next to it, and
// a rename makes it ours: what an interrupted one leaves is never taken for
// data.
func (p *place) initialize(ctx context.Context, programs Programs, data string, lock *os.File) error {
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		return nil
	}
	if err := p.removeUnfinished(); err != nil {
		return err
	}
	p.say("creating a PostgreSQL %s database in %s (a few seconds)", programs.Major, data)
	dir, err := os.MkdirTemp(p.dir, unfinished)
	if err != nil {
		return err
	}
	if err := p.initdb(ctx, programs, dir, lock); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := os.Rename(dir, data); err != nil {
		return err
	}
	return syncDir(p.dir)
}

func (p *place) removeUnfinished() error {
	entries, err := os.ReadDir(p.dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(p.dir, entry.Name())))
		}
	}
	return err
}

func (p *place) initdb(ctx context.Context, programs Programs, dir string, lock *os.File) error {
	if p.as.drop {
		if err := os.Chown(dir, int(p.as.uid), int(p.as.gid)); err != nil {
			return err
		}
	}
	args := []string{"--pgdata=" + dir, "--username=" + superuser, "--auth=trust", "--locale=C", "--encoding=UTF8",
		"--data-checksums"}
	if p.Throwaway {
		args = append(args, "--no-sync")
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(programs.Dir, "initdb"), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdout, cmd.Stderr = &out, &out
	ended := make(chan struct{})
	if err := p.spawn(cmd, lock, syscall.SIGTERM, func() { close(ended) }); err != nil {
		return err
	}
	<-ended
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("initdb: %s\n%s", cmd.ProcessState, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svcpay/internal/platform/localpg"
)

// Cluster is a PostgreSQL of a test's own, as durable as an operator's.
type Cluster struct {
	Dir string // of its state
	*localpg.Server
}

// StartCluster starts the PostgreSQL of a directory, which has a database svcpay.
func StartCluster(ctx context.Context, dir string) (*Cluster, error) {
	home, _ := os.UserHomeDir() // none is needed if the system has PostgreSQL
	s, err := localpg.Start(ctx, localpg.Options{Dir: dir, Home: home, Database: "svcpay"})
	if err != nil {
		return nil, err
	}
	return &Cluster{dir, s}, nil
}

// NewCluster is [StartCluster] for a test, which it ends with.
func NewCluster(t testing.TB, dir string) *Cluster {
	t.Helper()
	c, err := StartCluster(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.End(t) })
	return c
}

// End stops the server in order. One that has ended already is no failure.
func (c *Cluster) End(t testing.TB) {
	t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// Data is where a state directory has the data, and the server its socket.
func Data(dir string) string { return filepath.Join(dir, "postgres") }

// Postmaster is the first process of the server whose data is there; an error if there is none.
func Postmaster(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

// Kill ends all of the server as a power cut would.
func (c *Cluster) Kill() error {
	pid, err := Postmaster(Data(c.Dir))
	if err == nil && !KillAll(pid) {
		err = fmt.Errorf("PostgreSQL (process %d) had ended on its own", pid)
	}
	return err
}

// As runs a block of commands as the owner of a file, where PostgreSQL's programs are found.
func As(ctx context.Context, owner, block string, env ...string) error {
	info, err := os.Stat(owner)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	programs, err := localpg.Find(ctx, "", home, os.Geteuid() == 0)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", block)
	cmd.Dir = "/"
	cmd.Env = append(env, "PATH="+programs.Dir+":/usr/bin:/bin", "LC_ALL=C")
	if st := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: st.Uid, Gid: st.Gid}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s%s%w", block, out, err)
	}
	return nil
}

// GiveTo makes the owner of a file that of another, too, so that both are one user's.
func GiveTo(owner, path string) error {
	info, err := os.Stat(owner)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	st := info.Sys().(*syscall.Stat_t)
	return os.Chown(path, int(st.Uid), int(st.Gid))
}

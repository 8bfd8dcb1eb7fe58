package localpg

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const holder = "localpg-test-holder"

// TestMain lets a test run this binary as a second process that starts the
// server, says so, and holds it until its standard input ends.
func TestMain(m *testing.M) {
	if os.Args[0] != holder {
		os.Exit(m.Run())
	}
	s, err := Start(context.Background(), options(os.Args[1]))
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("ready", s.cmd != nil)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := s.Stop(context.Background()); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// binVariable hands the programs that root found to a test without its rights.
const binVariable = "LOCALPG_TEST_BIN"

func options(dir string) Options {
	home, _ := os.UserHomeDir() // no one has none
	return Options{Dir: dir, Home: home, Database: "svcpay", Bin: os.Getenv(binVariable), Throwaway: true}
}

// stateDir is a short path that the server's user may enter, unlike
// t.TempDir. It is not created, and is removed at the end.
func stateDir(t *testing.T) string {
	t.Helper()
	parent, err := os.MkdirTemp(fastDir(), "lpg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		eventually(t, "no server process", func() bool { return len(serverProcesses(parent)) == 0 })
		if err := os.RemoveAll(parent); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(parent, "state")
}

// fastDir is in memory if there is plenty: initdb makes a thousand small files.
func fastDir() string {
	const memory, enough = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if os.TempDir() == "/tmp" && syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) > enough {
		return memory
	}
	return os.TempDir()
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// query runs one statement and returns its only value as text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(values, ",")
}

// hold starts a second process that holds the server of dir; its owner tells
// whether that process started it.
func hold(t *testing.T, dir string) (cmd *exec.Cmd, owner bool) {
	t.Helper()
	cmd = &exec.Cmd{Path: "/proc/self/exe", Args: []string{holder, dir}}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	if !strings.HasPrefix(line, "ready ") {
		t.Fatalf("the holder says %q", line)
	}
	return cmd, line == "ready true\n"
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// serverProcesses are those whose working directory is below dir; the
// backends too have theirs in the data directory.
func serverProcesses(dir string) []string {
	var found []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, dir) {
			found = append(found, link)
		}
	}
	return found
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("not reached: %s", what)
}

package pgtest

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

	"svcpay/internal/platform/localpg"
)

const peerName = "pgtest-peer"

// TestMain lets a test run this binary as another test process, which makes
// one database, tells about it and waits for the end of its input.
func TestMain(m *testing.M) {
	if os.Args[0] != peerName {
		os.Exit(m.Run())
	}
	if err := peer(context.Background()); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func peer(ctx context.Context) error {
	dir, err := server()
	if err != nil {
		return err
	}
	if err := double("peer", nil).clone(ctx, dir, "t_peer"+os.Args[1]); err != nil {
		return err
	}
	var names []string
	err = administer(ctx, dir, func(conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT datname::text FROM pg_database WHERE starts_with(datname, 't_') ORDER BY 1`)
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	pid, _, _ := strings.Cut(readFile(filepath.Join(dir, "postgres", "postmaster.pid")), "\n")
	fmt.Println("ready", pid, strings.Join(names, ","))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func readFile(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// double is a template whose schema is one table; each migration counts.
func double(print string, migrated func() error) template {
	return template{print: print, migrate: func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, `CREATE TABLE double (id int)`); err != nil {
			return err
		}
		if migrated == nil {
			return nil
		}
		return migrated()
	}}
}

// startPeer runs another test process with its temporary files below tmp, and
// returns what it says: the server's process and the databases there are.
func startPeer(t *testing.T, tmp, number string) (*exec.Cmd, string, string) {
	t.Helper()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{peerName, number}, Env: append(os.Environ(), "TMPDIR="+tmp)}
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
	words := strings.Fields(line)
	if len(words) != 3 || words[0] != "ready" {
		t.Fatalf("the peer says %q", line)
	}
	return cmd, words[1], words[2]
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// wantNoProcess waits until neither server nor supervisor of tmp lives.
func wantNoProcess(t *testing.T, tmp string) {
	t.Helper()
	var left []string
	for range 1000 {
		left = nil
		processes, _ := filepath.Glob("/proc/[0-9]*")
		for _, process := range processes {
			cwd, _ := os.Readlink(process + "/cwd")
			if strings.HasPrefix(cwd, tmp) ||
				strings.Contains(readFile(process+"/cmdline"), supervisorName+"\x00"+tmp) {
				left = append(left, process)
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("left behind: %v", left)
}

func databaseExists(t *testing.T, name string) (ok bool) {
	t.Helper()
	err := administer(t.Context(), baseDir(), func(conn *pgx.Conn) (err error) {
		ok, err = exists(t.Context(), conn, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func execute(t *testing.T, url, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), sql)
	return err
}

func nameOf(t *testing.T, url string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if want := localpg.URL(baseDir(), cfg.Database); url != want {
		t.Errorf("URL is %s, want %s", url, want)
	}
	return cfg.Database
}

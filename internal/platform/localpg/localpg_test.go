package localpg

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStartKeepsData(t *testing.T) {
	t.Parallel()
	o := options(stateDir(t))
	var said []string
	o.Progress = func(s string) { said = append(said, s) }
	o.Throwaway = false
	first := start(t, o)
	query(t, first.URL(), `CREATE TABLE t AS SELECT 'kept' AS v`)
	got := query(t, first.URL(), `SELECT setting FROM pg_settings
		WHERE name IN ('data_checksums', 'fsync', 'lc_collate', 'lc_messages', 'listen_addresses',
			'log_error_verbosity', 'max_connections', 'server_encoding')
		AND name NOT LIKE 'lc_c%' ORDER BY name`)
	if want := "on,on,C,,terse,200,UTF8"; got != want {
		t.Errorf("settings are %s, want %s", got, want)
	}
	if got := query(t, first.URL(), `SELECT datcollate || datctype FROM pg_database
		WHERE datname = 'svcpay'`); got != "CC" {
		t.Errorf("locale is %s", got)
	}
	stop(t, first)
	if left := serverProcesses(o.Dir); len(left) > 0 {
		t.Errorf("after Stop these are left: %v", left)
	}
	if len(said) != 2 || !strings.Contains(said[0], "creating") {
		t.Errorf("progress is %q", said)
	}
	second := start(t, o)
	if got := query(t, second.URL(), `SELECT v FROM t`); got != "kept" {
		t.Errorf("the table holds %q", got)
	}
	if len(said) != 3 {
		t.Errorf("the second start says %q", said[2:])
	}
}

func TestSecondProcessAdopts(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := start(t, options(dir))
	cmd, owner := hold(t, dir)
	if owner {
		t.Error("the second process started a server of its own")
	}
	other := options(dir)
	other.Database = "other" // in the same process, another database
	adopted := start(t, other)
	if got := query(t, adopted.URL(), `SELECT current_database()::text`); got != "other" {
		t.Errorf("connected to %s", got)
	}
	stop(t, adopted)
	kill(t, cmd)
	if got := query(t, s.URL(), `SELECT 'alive'`); got != "alive" {
		t.Error("the owner's server is gone")
	}
}

func TestParallelStartsShareOneServer(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	const n = 4
	servers := make(chan *Server, n)
	for range n {
		go func() {
			s, err := Start(context.Background(), options(dir))
			if err != nil {
				t.Error(err)
			}
			servers <- s
		}()
	}
	owners := 0
	for range n {
		s := <-servers
		if s == nil {
			continue
		}
		defer stop(t, s)
		if s.cmd != nil {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("%d servers were started", owners)
	}
}

func TestKilledOwnerTakesServerAlong(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	cmd, owner := hold(t, dir)
	if !owner {
		t.Fatal("the holder does not own its server")
	}
	query(t, URL(dir, "svcpay"), `CREATE TABLE t AS SELECT 'kept' AS v`)
	kill(t, cmd)
	// No pause here: the server is shutting down now, and must be waited for.
	s := start(t, options(dir))
	if s.cmd == nil {
		t.Error("a dying server was adopted")
	}
	if got := query(t, s.URL(), `SELECT v FROM t`); got != "kept" {
		t.Errorf("the table holds %q", got)
	}
	stop(t, s)
	second, _ := hold(t, dir)
	kill(t, second)
	eventually(t, "no server after kill -9", func() bool { return len(serverProcesses(dir)) == 0 })
}

func TestInterruptedInit(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	half := filepath.Join(dir, unfinished+"1234")
	makeDirs(t, dir, half)
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := options(dir)
	o.Progress = func(string) { time.AfterFunc(100*time.Millisecond, cancel) } // in the middle of initdb
	if _, err := Start(ctx, o); err == nil {
		t.Fatal("the interrupted start succeeded")
	}
	if names := list(t, dir); strings.Contains(names, "postgres.init") || strings.Contains(names, "postgres ") {
		t.Errorf("the interrupted start leaves %s", names)
	}
	start(t, options(dir))
}

func TestOtherVersionStaysUntouched(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	data := fakeData(t, dir, "9")
	before := list(t, data)
	_, err := Start(t.Context(), options(dir))
	wantError(t, err, "written by PostgreSQL 9", "untouched", data)
	if after := list(t, data); after != before {
		t.Errorf("the data directory holds %s", after)
	}
}

func TestForeignDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	data := fakeData(t, dir, "9")
	if err := os.Rename(filepath.Join(data, "PG_VERSION"), filepath.Join(data, "letters")); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), options(dir))
	wantError(t, err, "not a PostgreSQL database", data)
}

// After a restart of the machine any of PostgreSQL's lock files may name a process of something else.
func TestStaleLockFiles(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := start(t, options(dir))
	stop(t, s)
	// A process that has the number and the user of a server that is gone.
	other := exec.Command("sleep", "60")
	account, err := accountFor(dataDir(dir), os.Geteuid() == 0)
	if err != nil {
		t.Fatal(err)
	}
	other.SysProcAttr = account.attributes(syscall.SIGKILL)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { kill(t, other) }()
	pid := strconv.Itoa(other.Process.Pid)
	for _, name := range lockFiles {
		if err := os.WriteFile(filepath.Join(dataDir(dir), name), []byte(pid+"\n"+dataDir(dir)+"\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(dataDir(dir), name), int(account.uid), int(account.gid)); err != nil {
			t.Fatal(err)
		}
		stop(t, start(t, options(dir)))
	}
}

func TestServerStartedByHandIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	data := fakeData(t, dir, "9")
	byHand := exec.Command("sleep", "60")
	byHand.Dir = data
	if err := byHand.Start(); err != nil {
		t.Fatal(err)
	}
	defer kill(t, byHand)
	for _, name := range lockFiles {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, []byte(strconv.Itoa(byHand.Process.Pid)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		wantError(t, removeStaleLocks(data), "stop it first", strconv.Itoa(byHand.Process.Pid))
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func TestServerThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	stop(t, start(t, options(dir)))
	if err := os.Remove(filepath.Join(dataDir(dir), "global", "pg_control")); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), options(dir))
	wantError(t, err, "ended while starting", "pg_control")
	_, err = Start(t.Context(), options(dir))
	wantError(t, err, "ended while starting") // the locks are free again
}

func fakeData(t *testing.T, dir, version string) string {
	t.Helper()
	data := dataDir(dir)
	makeDirs(t, dir, data)
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(version+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(data, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func makeDirs(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		if _, err := createDir(dir, os.Geteuid() == 0); err != nil {
			t.Fatal(err)
		}
	}
}

func list(t *testing.T, dir string) string {
	t.Helper()
	var names strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		names.WriteString(path + " ")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.String()
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"svcpay/internal/platform/localpg"
)

const (
	supervisorName = "svcpay-test-database" // what the process list shows
	startTimeout   = 2 * time.Minute        // a first start on a busy machine
	pollEvery      = 20 * time.Millisecond
)

// init turns this process into the supervisor if it was started as one: a test
// binary's main function is not ours to change.
func init() {
	if os.Args[0] != supervisorName || len(os.Args) != 2 {
		return
	}
	if err := supervise(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// server returns the state directory of the running server.
var server = sync.OnceValues(func() (string, error) {
	dir := baseDir()
	if err := ownDir(dir); err != nil {
		return "", fmt.Errorf("pgtest: %w", err)
	}
	if err := join(dir); err != nil {
		return "", fmt.Errorf("pgtest: %w", err)
	}
	return dir, nil
})

// ownDir refuses a directory that someone else put there: its name is known.
func ownDir(dir string) error {
	switch err := os.Mkdir(dir, 0o700); {
	case err == nil:
		if err := os.Chmod(dir, dirMode()); err != nil { // whatever the umask
			return err
		}
	case !errors.Is(err, os.ErrExist):
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not our directory: remove it", dir)
	}
	return nil
}

// join waits for a server that is stopping, then starts or finds one.
func join(dir string) error {
	if err := lock(filepath.Join(dir, "users.lock"), syscall.LOCK_SH); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	answers := func() bool {
		return administer(ctx, dir, prepare) == nil
	}
	for !answers() {
		if err := launch(ctx, dir, answers); err != nil {
			return err
		}
	}
	return nil
}

// launch starts a supervisor and returns when the server answers, or when the
// supervisor has ended because another one is at work. No goroutine waits for
// it, so that tests may look for leaked ones.
func launch(ctx context.Context, dir string, answers func() bool) error {
	log, err := os.OpenFile(filepath.Join(dir, "supervisor.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	// The log, not our own output: `go test` waits for anyone who holds that.
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{supervisorName, dir}, Dir: "/", Stdout: log, Stderr: log,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // Ctrl-C is for the tests
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for !answers() {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WNOHANG, nil); {
		case err != nil && !errors.Is(err, syscall.EINTR):
			return err
		case pid != 0 && status.ExitStatus() == 0:
			return nil
		case pid != 0:
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("no server: %s", strings.TrimSpace(string(text)))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server in %s does not answer", dir)
		case <-time.After(pollEvery):
		}
	}
	return cmd.Process.Release()
}

// supervise runs the server until no test process is left.
func supervise(dir string) error {
	err := lock(filepath.Join(dir, "supervisor.lock"), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := discardOld(ctx, dir); err != nil {
		return err
	}
	s, err := localpg.Start(ctx, options(dir))
	if err != nil {
		return err
	}
	// Anyone who comes after this waits until we are gone.
	if err := lock(filepath.Join(dir, "users.lock"), syscall.LOCK_EX); err != nil {
		return errors.Join(err, s.Stop(ctx))
	}
	return errors.Join(tidy(ctx, dir), s.Stop(ctx))
}

func options(dir string) localpg.Options {
	home, _ := os.UserHomeDir() // none is needed if the system has PostgreSQL
	// Plans don't change in the middle of a test.
	return localpg.Options{Dir: dir, Home: home, Database: "postgres", Throwaway: true,
		Settings: []string{"autovacuum=off"}}
}

// discardOld removes the data of an earlier boot, which a power cut may have
// damaged, and of another version.
func discardOld(ctx context.Context, dir string) error {
	programs, err := localpg.Find(ctx, "", options(dir).Home, os.Geteuid() == 0)
	if err != nil {
		return err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	current, path := programs.Major+" "+string(boot), filepath.Join(dir, "made-by")
	if old, err := os.ReadFile(path); err == nil && string(old) == current {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, "postgres")); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(current), 0o600)
}

// lock opens the file and locks it until this process ends: no os.File, which
// would be closed when nothing refers to it any more.
func lock(path string, how int) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	for {
		err := syscall.Flock(fd, how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/platform/atomicfile"
)

const (
	immediateShutdown = syscall.SIGQUIT
	maxLog            = 16 << 20 // bytes; the log starts again above this
)

func (p *place) adopt(ctx context.Context) (*Server, error) {
	if err := createDatabase(ctx, p.dir, p.Database); err != nil {
		return nil, err
	}
	return &Server{url: URL(p.dir, p.Database)}, nil
}

// startOwned runs with the owner's lock held, and gives it up when it fails or
// when the server ends.
func (p *place) startOwned(ctx context.Context, owner *os.File) (*Server, error) {
	lock, err := p.lockServer(ctx)
	if err != nil {
		return nil, errors.Join(err, owner.Close())
	}
	defer lock.Close() // from here on it is the server's alone
	s, err := p.launch(ctx, owner, lock)
	if err != nil {
		return nil, errors.Join(err, owner.Close())
	}
	if err := p.ready(ctx, s); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// lockServer waits until the server of an earlier owner has ended.
func (p *place) lockServer(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for waited := false; ; waited = true {
		lock, err := atomicfile.Lock(p.file("lock"))
		if lock != nil || err != nil {
			return lock, err
		}
		if !waited {
			p.say("waiting for the previous PostgreSQL of %s to stop", p.dir)
		}
		if err := sleep(ctx, "the previous PostgreSQL of "+p.dir+" does not stop"); err != nil {
			return nil, err
		}
	}
}

func (p *place) launch(ctx context.Context, owner, lock *os.File) (*Server, error) {
	programs, err := p.programs(ctx)
	if err != nil {
		return nil, err
	}
	data := dataDir(p.dir)
	if err := p.initialize(ctx, programs, data, lock); err != nil {
		return nil, err
	}
	if err := removeStaleLocks(data); err != nil {
		return nil, err
	}
	log, err := p.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.say("starting PostgreSQL %s in %s", programs.Major, p.dir)
	// Not CommandContext: the server outlives ctx, and is never killed.
	cmd := exec.Command(filepath.Join(programs.Dir, "postgres"), p.arguments(data)...)
	cmd.Stdout, cmd.Stderr = log, log
	s := &Server{url: URL(p.dir, p.Database), cmd: cmd, exited: make(chan struct{})}
	err = p.spawn(cmd, lock, syscall.SIGINT, func() {
		owner.Close()
		close(s.exited)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// spawn starts a child that ends when we do, and calls ended when it has. The
// kernel sends the death signal when the thread that started the child ends,
// so that thread stays with it.
func (p *place) spawn(cmd *exec.Cmd, lock *os.File, signal syscall.Signal, ended func()) error {
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/bin:/bin"}
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = p.as.attributes(signal)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			ended()
		}
	}()
	return <-started
}

// programs are those that can open the data: PG_VERSION decides.
func (p *place) programs(ctx context.Context) (Programs, error) {
	major, err := dataVersion(dataDir(p.dir))
	if err != nil {
		return Programs{}, err
	}
	var found Programs
	if p.Bin != "" {
		found, err = choose(ctx, major, []string{p.Bin})
	} else {
		found, err = Find(ctx, major, p.Home, os.Geteuid() == 0)
	}
	if err != nil && major != "" {
		return found, fmt.Errorf("the data in %s was written by PostgreSQL %s and stays untouched: %w", dataDir(p.dir),
			major, err)
	}
	if err != nil {
		return found, err
	}
	return found, p.as.canReach(found.Dir)
}

// dataVersion is the major version that wrote the data, empty if there is none.
func dataVersion(data string) (string, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if entries, err := os.ReadDir(data); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("%s holds something that is not a PostgreSQL database: move it away", data)
	}
	return "", nil
}

func (p *place) arguments(data string) []string {
	settings := []string{
		"listen_addresses=", "port=5432", "unix_socket_permissions=0700",
		`unix_socket_directories="` + strings.ReplaceAll(data, `"`, `""`) + `"`,
		"max_connections=200", "shared_buffers=128MB", "timezone=UTC", "log_timezone=UTC",
		"log_error_verbosity=terse",     // no DETAIL: it quotes the values of a rejected row
		"log_min_error_statement=panic", // nor a statement, which may hold some
		"log_checkpoints=off",
	}
	if p.Throwaway {
		settings = append(settings, "max_connections=500", "fsync=off", "synchronous_commit=off",
			"full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=128MB", "min_wal_size=32MB")
	}
	args := []string{"-D", data}
	for _, setting := range append(settings, p.Settings...) {
		args = append(args, "-c", setting)
	}
	return args
}

// openLog appends, so that the reason of an earlier end stays readable.
func (p *place) openLog() (*os.File, error) {
	f, err := os.OpenFile(p.file("log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > maxLog {
		return f, f.Truncate(0)
	}
	return f, nil
}

// ready waits for the server to answer, and creates the database.
func (p *place) ready(ctx context.Context, s *Server) error {
	for ping(ctx, URL(p.dir, "postgres")) != nil {
		select {
		case <-s.exited:
			return fmt.Errorf("PostgreSQL ended while starting; %s says:\n%s", p.file("log"), tail(p.file("log")))
		default:
		}
		if err := sleep(ctx, "PostgreSQL does not answer, see "+p.file("log")); err != nil {
			return err
		}
	}
	return createDatabase(ctx, p.dir, p.Database)
}

func tail(path string) string {
	const lines = 6
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func createDatabase(ctx context.Context, dir, name string) error {
	conn, err := pgx.Connect(ctx, URL(dir, "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	const find = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`
	if err := conn.QueryRow(ctx, find, name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && (pgErr.Code == "42P04" || pgErr.Code == "23505") {
		return nil // another process was faster
	}
	return err
}

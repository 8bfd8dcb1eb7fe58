package localpg

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"svcpay/internal/platform/atomicfile"
)

const (
	superuser    = "svcpay"
	socketName   = ".s.PGSQL.5432"
	maxSocket    = 100
	startTimeout = 60 * time.Second
	stopTimeout  = 20 * time.Second
	pollEvery    = 20 * time.Millisecond
)

// Options say where the server lives and what it is for.
type Options struct {
	// Dir is the state directory; empty means DefaultDir. The data is in Dir/postgres.
	Dir string
	// Home is the home directory of the user, for DefaultDir; root needs none.
	Home string
	// Database is created if it is missing.
	Database string
	// Bin is the directory of the server's programs; empty means Find.
	Bin string
	// Throwaway gives up durability for speed: the data does not survive a power cut.
	Throwaway bool
	// Settings are further ones of PostgreSQL's, such as shared_buffers=2GB, and count before those that it is started
	// with otherwise.
	Settings []string
	// Progress, if set, is told about steps that may take longer than a second.
	Progress func(string)
}

// Server is a running PostgreSQL, started here or adopted.
type Server struct {
	url    string
	cmd    *exec.Cmd     // nil when adopted
	exited chan struct{} // closed when the server and all its processes are gone
}

// DefaultDir is the state directory of this machine (root) or of this user.
// Root's own home directory would be closed to the user that the server runs as.
func DefaultDir(root bool, home string) string {
	if root {
		return "/var/lib/svcpay"
	}
	return filepath.Join(home, ".local", "state", "svcpay")
}

// URL is the address of database in the server whose state directory is dir, for the role that owns everything.
func URL(dir, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database}
	u.RawQuery = url.Values{"host": {dataDir(dir)}, "port": {"5432"}, "sslmode": {"disable"}}.Encode()
	return u.String()
}

// As is an address of such a server for another of its roles: it asks none for a password.
func As(role, address string) string {
	return strings.Replace(address, "://"+superuser+"@", "://"+url.User(role).String()+"@", 1)
}

// Start returns the running server of o.Dir with its database: it adopts one
// that another process runs, else it initializes the data if there is none and
// starts one, which ends with this process, however that ends. It waits up to
// a minute for another process's server that is starting or shutting down, and
// until ctx ends for its own to recover. Errors are sentences for the person at
// the terminal.
func Start(ctx context.Context, o Options) (*Server, error) {
	p, err := prepare(o)
	if err != nil {
		return nil, err
	}
	patience, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		owner, err := atomicfile.Lock(p.file("owner"))
		if err != nil {
			return nil, err
		}
		if owner != nil {
			return p.startOwned(ctx, owner)
		}
		if ping(patience, URL(p.dir, "postgres")) == nil {
			return p.adopt(ctx)
		}
		if err := sleep(patience,
			"the PostgreSQL of "+p.dir+" is held by another process and does not answer"); err != nil {
			return nil, err
		}
	}
}

// URL is the address of the database, for pgx.
func (s *Server) URL() string { return s.url }

// Stop ends a server that was started here, disconnecting its clients, and
// returns when all of its processes are gone. It waits for a clean shutdown
// until ctx ends, 20 s at most, then demands an immediate one, after which the
// next start recovers from the log. It never kills. An adopted server is left
// running.
func (s *Server) Stop(ctx context.Context) error {
	if s.cmd == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case <-s.exited:
		return nil
	case <-ctx.Done():
	}
	_ = s.cmd.Process.Signal(immediateShutdown)
	select {
	case <-s.exited:
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("PostgreSQL (process %d) does not stop", s.cmd.Process.Pid)
	}
}

// place is a state directory, checked and ready to be used.
type place struct {
	Options
	dir string // absolute, without symbolic links
	as  account
}

func (p *place) file(kind string) string { return filepath.Join(p.dir, "postgres."+kind) }

func (p *place) say(format string, args ...any) {
	if p.Progress != nil {
		p.Progress(fmt.Sprintf(format, args...))
	}
}

func dataDir(dir string) string { return filepath.Join(dir, "postgres") }

// prepare creates the directory and checks everything that can be checked
// without touching the data.
func prepare(o Options) (*place, error) {
	root := os.Geteuid() == 0
	if o.Dir == "" {
		o.Dir = DefaultDir(root, o.Home)
	}
	dir, err := MakeDir(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if n := len(filepath.Join(dataDir(dir), socketName)); n >= maxSocket {
		return nil, fmt.Errorf(
			"state directory %s: its path is %d characters too long for a socket; choose a shorter one", dir,
			n-maxSocket+1)
	}
	as, err := accountFor(dataDir(dir), root)
	if err != nil {
		return nil, err
	}
	if err := as.canReach(dir); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	return &place{Options: o, dir: dir, as: as}, nil
}

// MakeDir makes a state directory that no one can list but its owner, and returns its absolute path
// without symbolic links. One that exists keeps its mode.
func MakeDir(dir string) (string, error) { return createDir(dir, os.Geteuid() == 0) }

func createDir(dir string, root bool) (string, error) {
	mode := os.FileMode(0o700)
	if root {
		mode = 0o711 // the server's user must pass through
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, mode); err != nil {
		return "", err
	}
	if missing != nil {
		if err := os.Chmod(dir, mode); err != nil { // whatever the umask
			return "", err
		}
	}
	return filepath.EvalSymlinks(dir)
}

// sleep waits a moment; when ctx is over it fails with what was waited for.
func sleep(ctx context.Context, what string) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case <-time.After(pollEvery):
		return nil
	}
}

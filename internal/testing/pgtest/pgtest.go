// Package pgtest gives every test a real, migrated PostgreSQL database of its
// own: a new clone of a template, or one that an earlier test used and that was
// reset to the template's state.
//
// All test processes of a user share one throw-away server. Each holds a
// shared lock on users.lock for as long as it lives; the first one starts a
// supervisor, which is the same test binary run under another name. The
// supervisor starts the server and waits for the exclusive lock: the kernel
// gives it when the last test process is gone, however it ended. Then it tidies
// up, stops the server and ends. If the supervisor itself is killed, the server
// ends with it. The data stays for the next run, so that only the first run
// after a reboot pays for it.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"svcpay/internal/platform/localpg"
	"svcpay/internal/platform/pg"
	"svcpay/migrations"
)

const closeTimeout = 10 * time.Second

// Patient is what New adds to a database's address: tests fill tables by single statements, which may take long on a
// busy machine.
const Patient = "&statement_timeout=60000"

// New returns a pool, opened as the product opens it but for [Patient], on a database of the
// test's own with the current schema. The pool is closed when the test ends,
// and what was written is gone. A connection that the test never returned fails
// it.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	source := current(t)
	dir, d := borrow(t, source)
	pool, err := pg.Open(t.Context(), localpg.URL(dir, d.name)+Patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn := last(context.Background(), pool)
		release(t, pool, closeTimeout)
		if err := source.giveBack(context.Background(), dir, d, conn); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return pool
}

// current is the template of the current schema.
func current(t testing.TB) template {
	t.Helper()
	print, err := fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return template{print: print, migrate: migrate}
}

func release(t testing.TB, pool *pgxpool.Pool, patience time.Duration) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Errorf("pgtest: %d connections were never released", pool.Stat().AcquiredConns())
	}
}

// URL returns the address of such a database, for code that opens its own
// pool. What is still connected when the test ends is disconnected.
func URL(t testing.TB) string {
	t.Helper()
	return clone(t, current(t))
}

// migrate makes the schema, and gives a server's role its rights to it.
func migrate(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	return migrations.Grant(ctx, url, migrations.ServerRole)
}

// StateDir returns a new directory, removed when the test ends, that a server
// started by localpg can use: short, and open to the server's user, which
// testing.T.TempDir is not when root runs the tests.
func StateDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svcpay-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, dirMode()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fingerprint names the schema, ours and the job queue's, and who may do what
// with it: another one needs another template.
var fingerprint = sync.OnceValues(func() (string, error) {
	return hash(migrations.FS, migrations.Grants, riverpgxv5.New(nil).GetMigrationFS("main"))
})

func hash(sources ...fs.FS) (string, error) {
	sum := sha256.New()
	for _, source := range sources {
		err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(source, path)
			fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func clone(t testing.TB, source template) string {
	t.Helper()
	dir, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := newName()
	if err := source.clone(t.Context(), dir, name); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		err := administer(context.Background(), dir, func(conn *pgx.Conn) error {
			return drop(context.Background(), conn, name)
		})
		if err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return localpg.URL(dir, name)
}

func newName() string { return clonePrefix + strings.ToLower(rand.Text()[:16]) }

const (
	memoryDir  = "/dev/shm"
	memoryFree = 2 << 30 // bytes
)

// baseDir is where the user's throw-away server lives: in memory if there is
// plenty, because a clone is hundreds of small files, and making them takes
// up to ten times as long on a disk. TMPDIR overrides that.
func baseDir() string {
	dir := os.TempDir()
	var fs syscall.Statfs_t
	if dir == "/tmp" && syscall.Statfs(memoryDir, &fs) == nil && fs.Bavail*uint64(fs.Bsize) > memoryFree {
		dir = memoryDir
	}
	return filepath.Join(dir, fmt.Sprintf("svcpay-test-%d", os.Geteuid()))
}

func dirMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711 // root's server runs as another user, who passes through
	}
	return 0o700
}

package chaos

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
	"svcpay/test/rig"
)

// database is a PostgreSQL of the run's own, as durable as an operator's, that can be killed.
type database struct {
	dir  string
	pool *pgxpool.Pool // around the faulty network
	down atomic.Bool   // killed, and not yet back
}

const databaseName = "svcpay"

func newDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{dir: pgtest.StateDir(t)}
	url, err := d.start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.stop)
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Grant(t.Context(), url, migrations.ServerRole); err != nil {
		t.Fatal(err)
	}
	if d.pool, err = pg.Open(t.Context(), url+"&application_name=audit&statement_timeout=60000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.pool.Close)
	var durable bool
	const asked = `SELECT bool_and(setting = 'on') FROM pg_settings
		WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')`
	if err := d.pool.QueryRow(t.Context(), asked).Scan(&durable); err != nil || !durable {
		t.Fatalf("the database is not durable: %v", err)
	}
	return d
}

func (d *database) start(ctx context.Context) (url string, err error) {
	c, err := rig.StartCluster(ctx, d.dir)
	if err != nil {
		return "", err
	}
	return c.URL(), nil
}

func (d *database) data() string { return rig.Data(d.dir) }

// dial is where the faulty network leads.
func (d *database) dial() (net.Conn, error) {
	return net.Dial("unix", filepath.Join(d.data(), ".s.PGSQL.5432"))
}

// family is the server and all its processes.
func (d *database) family() (postmaster int, members map[int]string) {
	postmaster, err := rig.Postmaster(d.data())
	if err != nil {
		return 0, nil
	}
	return postmaster, rig.Family(postmaster)
}

// kill ends all of the server as a power cut would, and starts it again: it recovers from its log. It
// reports whether there was a server to kill.
func (d *database) kill(ctx context.Context, found *findings) bool {
	if !d.down.CompareAndSwap(false, true) {
		return false
	}
	defer d.down.Store(false)
	if postmaster, err := rig.Postmaster(d.data()); err != nil || !rig.KillAll(postmaster) {
		return false
	}
	if _, err := d.start(ctx); err != nil {
		found.add("PostgreSQL does not come back: %v", err)
	}
	return true
}

// killBackend ends the process of one connection of the program, upon which PostgreSQL ends all others
// and recovers.
func (d *database) killBackend(ctx context.Context, r *rand.Rand) bool {
	if d.down.Load() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	backends, err := pg.Value[[]int](ctx, d.pool, `
		SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity WHERE application_name LIKE 'svcpay%'
			AND backend_type = 'client backend'`, pg.Args{})
	if err != nil || len(backends) == 0 {
		return false
	}
	return syscall.Kill(backends[r.IntN(len(backends))], syscall.SIGKILL) == nil
}

func (d *database) stop() {
	if postmaster, members := d.family(); postmaster != 0 {
		_ = syscall.Kill(postmaster, syscall.SIGQUIT)
		for len(rig.Alive(members)) > 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// complaints are what PostgreSQL says that should never be: its constraints are a last guard, which
// nothing must reach.
func (d *database) complaints() (lines []string) {
	text, err := os.ReadFile(filepath.Join(d.dir, "postgres.log"))
	if err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "violates check constraint") || strings.Contains(line, "PANIC") ||
			strings.Contains(line, "invalid page") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

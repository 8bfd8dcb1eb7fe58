package e2e

import (
	"net/http"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
	"svcpay/test/rig"
)

// place is what survives a server: its database and its key file, with two applications.
type place struct {
	url     string
	served  string // the URL that servers are given
	keyFile string
	pool    *pgxpool.Pool
	app     demo.Application
	other   demo.Application
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := newPlaceAt(t, pgtest.URL(t))
	p.served = served(t, p.url)
	return p
}

// newPlaceIn makes a place of a cluster's database, which is migrated first, and grants the role of servers its rights.
func newPlaceIn(t *testing.T, c *rig.Cluster) *place {
	t.Helper()
	if code, said := launch(t, program, []string{"DATABASE_URL=" + c.URL(), "SVCPAY_ENVIRONMENT=sandbox"},
		"migrate", "--grant", migrations.ServerRole).exits(t); code != 0 {
		t.Fatal(said)
	}
	return newPlaceAt(t, c.URL())
}

// newPlaceAt makes a place of a migrated database.
func newPlaceAt(t *testing.T, url string) *place {
	t.Helper()
	p := &place{keyFile: filepath.Join(t.TempDir(), "keys.json")}
	p.connect(t, url)
	c, err := fixture.Settle(t.Context(), p.pool, p.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	p.app, p.other = c.Application, *c.Other
	return p
}

// connect gives the place a database.
func (p *place) connect(t *testing.T, url string) {
	t.Helper()
	p.url, p.served = url, url
	var err error
	// A test's own statements fill tables and look at all of them: they may take longer than the servers'.
	if p.pool, err = pg.Open(t.Context(), url+"&application_name=audit&statement_timeout="+
		strconv.FormatInt(patience.Milliseconds(), 10)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.pool.Close)
}

// settings are those of a server of this place.
func (p *place) settings() []string { return fixture.ServerSettings(p.served, p.keyFile) }

// server is a running `svcpay serve`.
type server struct {
	*process
	site
}

// serve starts a server and waits until it is ready.
func (p *place) serve(t *testing.T, path string, env ...string) *server {
	t.Helper()
	s := &server{process: launch(t, path, append(p.settings(), env...), "serve")}
	s.site = p.siteAt(s.says(t, serving))
	s.awaitReady(t)
	return s
}

// serving is the line by which a server tells its address.
const serving = `"msg":"serving","addr":"([^"]+)"`

func (p *place) siteAt(addr string) site {
	return site{addr: addr, apiHost: "api.test", payHost: "pay.test", app: p.app}
}

func (s *server) awaitReady(t *testing.T) {
	t.Helper()
	eventually(t, patience, "readyz", func() bool {
		a, err := s.send(s.apiHost, "GET", "/readyz", nil, nil)
		return err == nil && a.status == http.StatusNoContent
	})
}

// kill ends the server as a power cut would.
func (s *server) kill(t *testing.T) {
	t.Helper()
	s.signal(syscall.SIGKILL)
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("the server had ended by itself: %s", state)
	}
}

// value reads one value from the place's database.
func value[T any](t *testing.T, p *place, sql string, args pg.Args) T {
	t.Helper()
	v, err := pg.Value[T](t.Context(), p.pool, sql, args)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

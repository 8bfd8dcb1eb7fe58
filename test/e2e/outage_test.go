package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/test/rig"
)

// soon is within how much a caller must hear that nothing can be done: a server waits two seconds for a
// connection, and a busy machine makes it more.
const soon = 10 * time.Second

// refused asks for a charge that cannot be made now.
func (s *server) refused(t *testing.T, key, token string) {
	t.Helper()
	begun := time.Now()
	a, err := s.charge(key, s.order(token, 4200))
	took := time.Since(begun)
	t.Logf("refused after %s: %d", took.Round(time.Millisecond), a.status)
	if err != nil || a.status != http.StatusServiceUnavailable || a.text("error", "code") != "overloaded" ||
		a.header.Get("Retry-After") == "" || took > soon {
		t.Errorf("%v, %s after %s", err, a, took)
	}
}

// asked is the answer to whether the server can serve.
func (s *server) asked(t *testing.T, path string) int {
	t.Helper()
	a, err := s.send(s.apiHost, "GET", path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a.status
}

// TestDatabaseGoesAndComesBack (promise P15): without its database a server says so at once, to callers and to who asks
// whether it is ready; when the database is back so is the server, which was not restarted. What was refused can be
// repeated and happens once.
func TestDatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	c := rig.NewCluster(t, pgtest.StateDir(t))
	p := newPlaceIn(t, c)
	s := p.serve(t, program)
	token := s.token(t, approvedCard)
	for round := range 2 {
		key := fmt.Sprint("key-", round)
		c.End(t)
		gone := eventually(t, patience, "the truth about the database",
			func() bool { return s.asked(t, "/readyz") == http.StatusServiceUnavailable })
		if alive := s.asked(t, "/healthz"); alive != http.StatusNoContent {
			t.Errorf("the program lives, and says %d", alive)
		}
		s.refused(t, key, token)
		c = rig.NewCluster(t, c.Dir)
		back := eventually(t, patience, "the truth about the database",
			func() bool { return s.asked(t, "/readyz") == http.StatusNoContent })
		t.Logf("known %s after it was gone, and %s after it was back", gone, back)
		if gone > soon || back > soon {
			t.Errorf("readiness is told %s and %s late", gone, back)
		}
		if a := s.insist(t, key, s.order(token, 4200)); a.status != http.StatusCreated {
			t.Errorf("repeated: %s", a)
		}
	}
	// whose connections ended with the database; one that rested for less than a second is not tried first
	p.pool.Reset()
	if n := len(audit(t, p)); n != 2 {
		t.Errorf("%d charges", n)
	}
}

// TestServersWaitForTheirDatabase (promise P15): a server that starts while its database is down serves as soon as the
// database is up. A server whose database rejects it exits at once.
func TestServersWaitForTheirDatabase(t *testing.T) {
	t.Parallel()
	c := rig.NewCluster(t, pgtest.StateDir(t))
	p := newPlaceIn(t, c)
	missing, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/missing"
	code, said := launch(t, program, fixture.ServerSettings(missing.String(), p.keyFile), "serve").exits(t)
	if code != 1 || strings.Contains(said, "waits") || !strings.Contains(said, "3D000") {
		t.Errorf("without its database: exit %d, %s", code, said)
	}
	c.End(t)
	s := &server{process: launch(t, program, p.settings(), "serve")}
	s.says(t, `"level":"(WARN)","msg":"the database does not answer, so this server waits for it"`)
	rig.NewCluster(t, c.Dir)
	s.site = p.siteAt(s.says(t, serving))
	s.awaitReady(t)
}

// noRoom takes away the room for a table that is empty: what the server would write goes to a device that is full, so
// that PostgreSQL gets ENOSPC from the system, as from a full disk. The function that it returns makes room.
func (p *place) noRoom(t *testing.T, c *rig.Cluster, table string) (makeRoom func()) {
	t.Helper()
	ctx := context.Background() // room is made after the test, too
	rewrite := func(do func(path string)) {
		t.Helper()
		tx, err := p.pool.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(ctx) }()
		// The table gets another file, which no one else can see or write to before the commit.
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '60s'; LOCK TABLE `+table+`; CLUSTER `+table+` USING `+
			table+`_pkey`); err != nil {
			t.Fatal(err)
		}
		var rows int
		var path string
		if err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM `+table+`)::int, pg_relation_filepath($1)`,
			table).Scan(&rows, &path); err != nil || rows != 0 {
			t.Fatalf("%d rows in %s, %v", rows, table, err)
		}
		do(filepath.Join(rig.Data(c.Dir), path))
		if err := tx.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(func(path string) {
		if _, err := p.pool.Exec(ctx, `CHECKPOINT`); err != nil { // so that nothing is to be flushed to the device
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/full", path); err != nil {
			t.Fatal(err)
		}
	})
	return sync.OnceFunc(func() { rewrite(func(string) {}) })
}

// TestFullDisk (promise P15): while PostgreSQL has no room a charge is refused at once, or, if the processor was called
// before, has no outcome yet; both are repaired by room alone.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	// written to before the processor is called, and after it
	for _, table := range []string{"charges", "ledger_entries"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			c := rig.NewCluster(t, pgtest.StateDir(t))
			p := newPlaceIn(t, c)
			s := p.serve(t, program)
			token := s.token(t, approvedCard)
			makeRoom := p.noRoom(t, c, table)
			defer makeRoom()
			calls := value[int64](t, p, `SELECT count(*) FROM sandbox_processor_book`, pg.Args{})
			if table == "charges" {
				s.refused(t, "key", token)
				if n := value[int64](t, p, `SELECT count(*) FROM sandbox_processor_book`, pg.Args{}); n != calls {
					t.Errorf("%d calls, though nothing could be written down", n)
				}
			} else if a, err := s.charge("key", s.order(token, 4200)); err != nil || a.status != http.StatusAccepted &&
				a.status != http.StatusServiceUnavailable {
				t.Errorf("%v, %s", err, a)
			}
			if a, err := s.api("GET", "/api/charges", nil, nil); err != nil || a.status != http.StatusOK {
				t.Errorf("reading needs no room: %v, %s", err, a)
			}
			makeRoom()
			begun := time.Now()
			if a := s.insist(t, "key", s.order(token, 4200)); a.status != http.StatusCreated {
				t.Errorf("repeated: %s", a)
			}
			t.Logf("done %s after there was room", time.Since(begun).Round(time.Millisecond))
			if n := len(audit(t, p)); n != 1 {
				t.Errorf("%d charges", n)
			}
		})
	}
}

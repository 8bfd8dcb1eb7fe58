package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
)

func TestNewHasTheSchema(t *testing.T) {
	t.Parallel()
	var tables int
	const count = `SELECT count(*) FROM information_schema.tables WHERE table_name IN ('charges', 'river_job')`
	if err := New(t).QueryRow(t.Context(), count).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	if tables != 2 {
		t.Errorf("%d of the 2 tables are there", tables)
	}
}

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	source := double("own", nil)
	var names []string
	for i := range 2 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			url := clone(t, source)
			names = append(names, nameOf(t, url))
			if err := execute(t, url, `CREATE TABLE mine (id int); INSERT INTO double VALUES (1)`); err != nil {
				t.Error(err)
			}
			conn, err := pgx.Connect(t.Context(), url) // and never closed
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range names {
		if databaseExists(t, name) {
			t.Errorf("%s was not dropped", name)
		}
	}
}

func TestTemplateIsMadeOnce(t *testing.T) {
	t.Parallel()
	var migrations atomic.Int32
	source := double("once"+uniqueSuffix(), func() error { migrations.Add(1); return nil })
	dir, err := server()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropNow(t, source.name()) })
	var parallel sync.WaitGroup
	for i := range 4 {
		name := fmt.Sprintf("t_once%d%s", i, uniqueSuffix())
		t.Cleanup(func() { dropNow(t, name) })
		parallel.Go(func() {
			if err := source.clone(t.Context(), dir, name); err != nil {
				t.Error(err)
			}
		})
	}
	parallel.Wait()
	if n := migrations.Load(); n != 1 {
		t.Errorf("migrated %d times", n)
	}
	if err := administer(t.Context(), dir, func(*pgx.Conn) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := pgx.Connect(t.Context(), localpg.URL(dir, source.name())); err == nil {
		t.Error("a test can connect to the template")
	}
}

func TestFailedMigrationLeavesNoTemplate(t *testing.T) {
	t.Parallel()
	fail := errors.New("half way")
	source := double("failing"+uniqueSuffix(), func() error { return fail })
	dir, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := "t_failing" + uniqueSuffix()
	if err := source.clone(t.Context(), dir, name); !errors.Is(err, fail) {
		t.Errorf("error is %v", err)
	}
	fail = nil
	t.Cleanup(func() {
		dropNow(t, name)
		dropNow(t, source.name())
	})
	if err := source.clone(t.Context(), dir, name); err != nil {
		t.Error(err)
	}
}

func TestKilledTestsLeaveNothing(t *testing.T) {
	t.Parallel()
	tmp := StateDir(t)
	first, server, databases := startPeer(t, tmp, "1")
	if databases != "t_peer1" {
		t.Errorf("the first test process sees %s", databases)
	}
	second, sameServer, databases := startPeer(t, tmp, "2")
	if sameServer != server || databases != "t_peer1,t_peer2" {
		t.Errorf("the second test process has server %s instead of %s, and sees %s", sameServer, server, databases)
	}
	kill(t, first)
	third, sameServer, _ := startPeer(t, tmp, "3")
	if sameServer != server {
		t.Error("the server ended with the process that came first")
	}
	kill(t, second)
	kill(t, third)
	wantNoProcess(t, tmp)
	fourth, otherServer, databases := startPeer(t, tmp, "4")
	if databases != "t_peer4" {
		t.Errorf("killed tests left %s", databases)
	}
	if otherServer == server {
		t.Error("the server did not end")
	}
	kill(t, fourth)
	fifth, _, _ := startPeer(t, tmp, "5") // without a pause: the server may be stopping now
	kill(t, fifth)
	wantNoProcess(t, tmp)
}

func TestDataOfAnEarlierBootIsDiscarded(t *testing.T) {
	t.Parallel()
	dir := StateDir(t)
	data, madeBy := filepath.Join(dir, "postgres"), filepath.Join(dir, "made-by")
	make := func() {
		if err := os.Mkdir(data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	left := func() bool {
		if err := discardOld(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(data)
		return err == nil
	}
	make()
	if left() {
		t.Error("data of unknown origin is kept")
	}
	make()
	if !left() {
		t.Error("data of this boot is not kept")
	}
	if err := os.WriteFile(madeBy, []byte("15 another-boot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left() {
		t.Error("data of another boot is kept")
	}
}

func TestForeignBaseDirIsRefused(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(link); err == nil {
		t.Error("a symbolic link is taken for our directory")
	}
}

func TestHashSeesNamesAndTexts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, files := range []fstest.MapFS{
		{"1.sql": {Data: []byte("a")}},
		{"2.sql": {Data: []byte("a")}},
		{"1.sql": {Data: []byte("b")}},
		{"1.sql": {Data: []byte("a")}, "2.sql": {Data: []byte("a")}},
	} {
		sum, err := hash(files)
		if err != nil {
			t.Fatal(err)
		}
		seen[sum] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 schemas have %d fingerprints", len(seen))
	}
}

// complaints records what a test would fail with.
type complaints struct {
	testing.TB
	texts []string
}

func (c *complaints) Helper() {}
func (c *complaints) Errorf(format string, args ...any) {
	c.texts = append(c.texts, fmt.Sprintf(format, args...))
}

func TestUnreleasedConnectionIsReported(t *testing.T) {
	t.Parallel()
	pool := New(t)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var c complaints
	release(&c, pool, 10*time.Millisecond)
	conn.Release()
	if len(c.texts) != 1 || !strings.Contains(c.texts[0], "1 connections") {
		t.Errorf("complaints are %q", c.texts)
	}
}

func uniqueSuffix() string { return fmt.Sprintf("%d", os.Getpid()) }

func dropNow(t *testing.T, name string) {
	t.Helper()
	ctx := context.Background()
	if err := administer(ctx, baseDir(), func(conn *pgx.Conn) error { return drop(ctx, conn, name) }); err != nil {
		t.Error(err)
	}
}

func BenchmarkURL(b *testing.B) {
	for b.Loop() {
		URL(b)
	}
}

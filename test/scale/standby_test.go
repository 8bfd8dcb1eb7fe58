//go:build scale

package scale

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
	"svcpay/test/rig"
)

// bothURL is the address of whichever of two servers takes writes.
func bothURL(first, second string) string {
	u := url.URL{Scheme: "postgres", User: url.User("svcpay"), Path: "/svcpay"}
	u.RawQuery = url.Values{"host": {rig.Data(first) + "," + rig.Data(second)}, "port": {"5432,5432"},
		"sslmode":              {"disable"},
		"target_session_attrs": {"read-write"}}.Encode()
	return u.String()
}

// TestFailoverToTheStandby: the primary is killed under load, and its synchronous standby takes its place by
// the commands of the document. Servers go on with it without a restart, and have every charge that was acknowledged.
func TestFailoverToTheStandby(t *testing.T) {
	commands, err := rig.Blocks(document, "bash")
	if err != nil || len(commands) != 3 {
		t.Fatalf("%d blocks of commands: %v", len(commands), err)
	}
	dir := pgtest.StateDir(t)
	primary := rig.NewCluster(t, filepath.Join(dir, "primary"))
	data, place := rig.Data(primary.Dir), filepath.Join(dir, "standby")
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := rig.GiveTo(data, place); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), primary.URL()); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Grant(t.Context(), primary.URL(), migrations.ServerRole); err != nil {
		t.Fatal(err)
	}
	as := func(block string, env ...string) {
		t.Helper()
		if err := rig.As(t.Context(), data, block, env...); err != nil {
			t.Fatal(err)
		}
	}
	as(commands[0], "PRIMARY="+primary.URL(), "DATA="+rig.Data(place))
	// our primary has its socket among its data
	if err := os.Remove(filepath.Join(rig.Data(place), ".s.PGSQL.5432.lock")); err != nil {
		t.Fatal(err)
	}
	standby := rig.NewCluster(t, place)
	as(commands[1], "PRIMARY="+primary.URL())
	p := newPlace(t, bothURL(primary.Dir, standby.Dir))
	eventually(t, "a standby that is waited for", func() bool {
		n, err := pg.Value[int](t.Context(), p.pool, `SELECT count(*)::int FROM pg_stat_replication
			WHERE sync_state = 'sync'`, pg.Args{})
		return err == nil && n == 1
	})
	s := p.serve(t, nil)
	r := p.rush(t, s.addr)
	r.more(t, enough)
	before, killed := r.count(), time.Now()
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	as(commands[2], "STANDBY="+standby.URL())
	promoted := time.Since(killed)
	r.more(t, enough)
	r.end()
	p.quiet(t)
	for _, f := range r.failed {
		if f.status != 503 {
			t.Errorf("%s while there was no primary: %s", f.key, f.what)
		}
	}
	r.check(t)
	p.audit(t, r.told)
	t.Logf("%d charges before the primary was killed, %d after; promoted after %s, nobody was answered for %s; %d tries failed, the last key was done after %s",
		before, len(r.told)-before, promoted.Round(time.Millisecond), r.longest(), len(r.failed), r.retried())
}

// longest is the longest time without an acknowledged charge, when the rush is over.
func (r *rush) longest() (gap time.Duration) {
	var all []time.Time
	for key, at := range r.answered {
		if r.told[key].status == "captured" {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	for i := 1; i < len(all); i++ {
		gap = max(gap, all[i].Sub(all[i-1]))
	}
	return gap.Round(time.Millisecond)
}

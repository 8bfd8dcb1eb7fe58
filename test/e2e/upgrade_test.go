package e2e

import (
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// A version to come may add columns and tables, as migrations do that leave the servers of this version at work.
const (
	additions = `SELECT 'ALTER TABLE ' || tablename || ' ADD COLUMN of_a_version_to_come text' AS sql FROM pg_tables
		WHERE schemaname = 'public' AND tablename <> 'goose_db_version'
		UNION ALL SELECT 'CREATE TABLE of_a_version_to_come (id bigint PRIMARY KEY)'
		UNION ALL SELECT
			'INSERT INTO goose_db_version (version_id, is_applied)
			SELECT max(version_id) + 1, true FROM goose_db_version'`
	upgradeCallers = 4
)

// TestNewerSchema (promise P19): while servers of this version are at work, the schema becomes that of a version to
// come; then one more of this version starts, as anyone who goes back has it. No one notices.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.lineage(t, nil, []string{program, "serve"})
	token := l.token(t, approvedCard)
	var r rush
	var callers sync.WaitGroup
	for i := range upgradeCallers {
		callers.Go(func() { r.call(l.keeper(), i, token) })
	}
	defer callers.Wait()
	defer r.over.Store(true)
	calls := func(more int64) {
		t.Helper()
		until := r.calls.Load() + more
		eventually(t, 2*patience, "more calls", func() bool { return r.calls.Load() >= until })
	}
	calls(150)
	begun := time.Now()
	n := p.extend(t)
	t.Logf("%d statements made the schema that of a version to come in %s", n,
		time.Since(begun).Round(time.Millisecond))
	calls(300)
	l.restart(t)
	calls(300)
	r.over.Store(true)
	callers.Wait()
	t.Logf("%d calls, %d charges, %d failed", r.calls.Load(), len(r.charges), r.failed.Load())
	if r.failed.Load() != 0 {
		t.Errorf("%d calls failed: %q", r.failed.Load(), r.failures)
	}
	r.acknowledgedOnce(t, p)
}

// extend makes the schema that of a version to come, and tells by how many statements. One that waits too long for its
// lock gives way to the servers, and is tried again.
func (p *place) extend(t *testing.T) int {
	t.Helper()
	type row struct {
		SQL string `db:"sql"`
	}
	all, err := pg.All[row](t.Context(), p.pool, additions, pg.Args{})
	if err != nil || len(all) < 50 {
		t.Fatalf("%d statements, %v", len(all), err)
	}
	for _, a := range all {
		eventually(t, patience, a.SQL, func() bool {
			_, err := p.pool.Exec(t.Context(), a.SQL)
			if err != nil && !pg.IsUnavailable(err) {
				t.Fatalf("%s: %v", a.SQL, err)
			}
			return err == nil
		})
	}
	return len(all)
}

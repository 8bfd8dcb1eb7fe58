//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/test/rig"
)

// as runs a block of commands as the owner of a file.
func as(t *testing.T, owner, block string, env ...string) {
	t.Helper()
	if err := rig.As(t.Context(), owner, block, env...); err != nil {
		t.Fatal(err)
	}
}

// shoppers charge until they are told to stop, and say which charges were acknowledged.
type shoppers struct {
	over   atomic.Bool
	group  sync.WaitGroup
	mu     sync.Mutex
	made   []string
	failed []string
}

func (r *shoppers) shop(s *server, token string, n int) {
	r.group.Go(func() {
		for i := 0; !r.over.Load(); i++ {
			a, err := s.charge(fmt.Sprintf("shopper-%d-%d", n, i), s.order(token, 100+i%900))
			r.mu.Lock()
			if err != nil || a.status != 201 {
				r.failed = append(r.failed, fmt.Sprint(err, a))
			} else {
				r.made = append(r.made, a.text("id"))
			}
			r.mu.Unlock()
		}
	})
}

func (r *shoppers) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.made)
}

// TestBackupIsRestored: what docs/backup.md tells is done while charges are made; then the cluster is lost. The
// restored one has every charge that was acknowledged, its books agree, and every row of the vault opens.
func TestBackupIsRestored(t *testing.T) {
	t.Parallel()
	blocks, err := rig.Blocks(filepath.Join(root, "docs/backup.md"), "bash")
	if err != nil || len(blocks) != 3 {
		t.Fatalf("%d blocks of commands: %v", len(blocks), err)
	}
	dir := pgtest.StateDir(t)
	first := rig.NewCluster(t, filepath.Join(dir, "first"))
	data := rig.Data(first.Dir)
	shared, err := localpg.MakeDir(filepath.Join(dir, "shared"))
	if err != nil {
		t.Fatal(err)
	}
	if err := rig.GiveTo(data, shared); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + first.URL(), "ARCHIVE=" + filepath.Join(shared, "archive"),
		"BACKUP=" + filepath.Join(shared, "backup"),
		"RESTORED=" + filepath.Join(shared, "restored", "postgres")}
	as(t, data, `mkdir "$ARCHIVE" "${RESTORED%/*}"`, env...)
	as(t, data, blocks[0], env...)
	first.End(t)
	first = rig.NewCluster(t, first.Dir)

	p := newPlaceIn(t, first)
	s := p.serve(t, program)
	var r shoppers
	for n := range 4 {
		r.shop(s, s.token(t, approvedCard), n)
	}
	defer r.group.Wait()
	defer r.over.Store(true)
	eventually(t, patience, "charges before the backup", func() bool { return r.count() > 20 })
	before := r.count()
	as(t, data, blocks[1], env...)
	during := r.count()
	eventually(t, patience, "charges after the backup", func() bool { return r.count() > during+20 })
	r.over.Store(true)
	r.group.Wait()
	if len(r.failed) > 0 {
		t.Errorf("%d charges failed: %s", len(r.failed), r.failed[0])
	}
	late := s.token(t, approvedCard) // in the log alone
	t.Logf("%d charges before the backup, %d while it was made, %d after it", before, during-before, len(r.made)-during)
	if during == before {
		t.Error("nothing was charged while the backup was made")
	}

	wal := value[string](t, p, `SELECT pg_walfile_name(pg_switch_wal())`, pg.Args{})
	eventually(t, patience, "the log's last piece in the archive", func() bool {
		_, err := os.Stat(filepath.Join(shared, "archive", wal))
		return err == nil
	})
	s.kill(t)
	p.pool.Close()
	first.End(t)
	if err := os.RemoveAll(first.Dir); err != nil { // the machine is lost
		t.Fatal(err)
	}

	as(t, shared, blocks[2], env...)
	second := rig.NewCluster(t, filepath.Join(shared, "restored"))
	restored := *p
	restored.connect(t, second.URL())
	restored.isWhole(t, r.made, late)
}

// isWhole checks a restored place by the commands that the document names, by the records that it has, and by making a
// charge with a token that no base backup holds.
func (p *place) isWhole(t *testing.T, charges []string, token string) {
	t.Helper()
	eventually(t, patience, "the end of the recovery",
		func() bool { return !value[bool](t, p, `SELECT pg_is_in_recovery()`, pg.Args{}) })
	tokens := value[int64](t, p, `SELECT count(*) FROM vault_keys`, pg.Args{})
	run := func(args ...string) string {
		t.Helper()
		code, said := launch(t, program,
			[]string{"DATABASE_URL=" + p.url, "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_VAULT_KEY_FILE=" + p.keyFile},
			args...).exits(t)
		if code != 0 {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
		return said
	}
	if said := run("vault", "check"); !strings.Contains(said, fmt.Sprintf("Rows that open: %d\n", tokens)) ||
		tokens < 5 {
		t.Errorf("%d tokens, and: %s", tokens, said)
	}
	run("audit", "check")
	s := p.serve(t, program)
	run("reconcile")
	known := map[string]bool{}
	for _, r := range audit(t, p) {
		known[r.ID.String()] = true
	}
	for _, id := range charges {
		if _, err := ids.ParseCharge(id); err != nil || !known[id] {
			t.Errorf("charge %s was acknowledged and is lost", id)
		}
	}
	if a, err := s.charge("after-the-restore", s.order(token, 4200)); err != nil || a.status != 201 ||
		!bytes.Contains(a.body, []byte(`"captured"`)) {
		t.Errorf("%v, %s", err, a)
	}
}

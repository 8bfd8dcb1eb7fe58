//go:build long

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
	"svcpay/test/rig"
)

// formerUntil is the first migration that the former program does not know.
const formerUntil = "migrations/00119_processor_accounts.sql"

// buildFormer builds the program as it was before processor accounts, of the repository's history.
func buildFormer(t *testing.T) string {
	t.Helper()
	sh := func(dir, command string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash",
			append([]string{"-c", "set -o pipefail; " + command, "bash"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return strings.TrimSpace(string(out))
	}
	source := t.TempDir()
	newer := sh(root, `git log --format=%H --diff-filter=A -- "$1"`, formerUntil)
	if newer == "" {
		t.Fatalf("the history has no commit that added %s: clone all of it", formerUntil)
	}
	sh(root, `git archive "$1^" | tar -x -C "$2" && cp -r static/dist "$2/static/"`, newer, source)
	path := filepath.Join(t.TempDir(), "svcpay-former")
	if err := rig.Build(source, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFormerSchema: a database of the former version, with payments in every state and some in progress, is migrated
// while servers of that version charge; servers of this one then finish what is open and go on with what there is.
func TestFormerSchema(t *testing.T) {
	t.Parallel()
	former := buildFormer(t)
	c := rig.NewCluster(t, filepath.Join(pgtest.StateDir(t), "former"))
	dir := stateDir(t)
	dev := startDevOf(t, former, dir, []string{"DATABASE_URL=" + c.URL()}, "--history")
	p := &place{keyFile: filepath.Join(dir, "vault-keys.json"), app: dev.credentials.Application,
		other: *dev.credentials.Other}
	p.connect(t, c.URL())
	dev.stop(t, syscall.SIGINT)

	owner := "DATABASE_URL=" + c.URL() // the former version had no other role
	old := p.serve(t, former, owner)
	token := old.token(t, approvedCard)
	held := make([]string, 3) // for a capture, a void, and a refund after its capture
	for i := range held {
		body := old.order(token, 5000)
		body["capture"] = i == 2
		made, err := old.charge(fmt.Sprint("held-", i), body)
		if err != nil || made.status != 201 {
			t.Fatalf("%v, %s", err, made)
		}
		held[i] = made.text("id")
	}
	lose := func(key string) {
		t.Helper()
		if a, err := old.charge(key, old.order(old.token(t, timeoutCard), 700)); err == nil && a.status >= 500 {
			t.Errorf("%s", a)
		}
	}
	lose("lost-1")
	var before shoppers
	for i := range upgradeCallers {
		before.shop(old, token, i)
	}
	made := func(r *shoppers, n int) func() bool { return func() bool { return r.count() >= n } }
	eventually(t, patience, "charges before the migration", made(&before, 20))
	if code, said := launch(t, program, append(p.settings(), owner), "migrate", "--grant",
		migrations.ServerRole).exits(t); code != 0 {
		t.Fatal(said)
	}
	eventually(t, patience, "charges of the former program on the new schema", made(&before, before.count()+20))
	lose("lost-2")
	s := p.serve(t, program)
	var after shoppers
	for i := range upgradeCallers {
		after.shop(s, token, upgradeCallers+i)
	}
	eventually(t, patience, "charges of both", made(&after, 20))
	before.over.Store(true)
	before.group.Wait()
	lose("lost-3")
	old.kill(t)
	eventually(t, patience, "charges of the new program", made(&after, after.count()+20))
	after.over.Store(true)
	after.group.Wait()
	if n := len(before.failed) + len(after.failed); n > 0 {
		t.Errorf("%d charges failed: %q %q", n, before.failed, after.failed)
	}
	eventually(t, 2*patience, "no operation without an outcome", func() bool {
		return value[int64](t, p, `SELECT count(*) FROM processor_operations WHERE state = 'open'`, pg.Args{}) == 0
	})
	for i, follow := range []string{"/api/charges/" + held[0] + "/capture", "/api/charges/" + held[1] + "/void",
		"/api/refunds"} {
		body := map[string]any{}
		if i == 2 {
			body = map[string]any{"charge_id": held[2], "amount": 100}
		}
		a, err := s.api("POST", follow, body, map[string]string{"Idempotency-Key": follow})
		if err != nil || a.status/100 != 2 {
			t.Errorf("%s: %v, %s", follow, err, a)
		}
	}
	states := value[int64](t, p, `SELECT count(DISTINCT status) FROM charges`, pg.Args{})
	t.Logf("%d charges before, %d after, charges in %d states", len(before.made), len(after.made), states)
	if states < 6 {
		t.Errorf("charges are in %d states only", states)
	}
	for _, a := range rig.AtEveryInstant() {
		for _, app := range []int64{p.app.AppID, p.other.AppID} {
			if n := value[int64](t, p, `SELECT count(*) FROM (`+a.SQL+`) wrong`, pg.Args{"app": app}); n != 0 {
				t.Errorf("audit: %d %s", n, a.What)
			}
		}
	}
}

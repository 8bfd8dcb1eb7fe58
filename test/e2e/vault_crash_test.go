package e2e

import (
	"fmt"
	"strings"
	"testing"

	"svcpay/internal/pg"
)

// rotationKills is where the rotation of the vault's key dies, one run after the other, with how many tokens it has sealed again by then.
var rotationKills = []struct {
	arm  string
	done int
}{
	{"vault.promoted:1", 0},
	{"vault.sealed_again:1", 0}, // before the first commit
	{"vault.rotated:1", 2},
	{"vault.sealed_again:2", 4}, // the second batch is lost
	{"vault.rotated:2", 8},
}

// rotationPoints are the points that these rows crash at.
func rotationPoints() (points []string) {
	for _, k := range rotationKills {
		point, _, _ := strings.Cut(k.arm, ":")
		points = append(points, point)
	}
	return points
}

// TestVaultRotationIsResumed: the rotation of the vault's key is killed at every point and goes on. All the while everything opens;
// in the end nothing is sealed by the former key, which is gone.
func TestVaultRotationIsResumed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	var token string
	for range 11 {
		token = s.token(t, approvedCard)
	}
	s.kill(t)
	if _, err := p.pool.Exec(t.Context(), `DELETE FROM vault_cvcs`); err != nil { // as after 15 minutes
		t.Fatal(err)
	}
	total := value[int64](t, p, `SELECT count(*) FROM vault_keys`, pg.Args{})
	run := func(path string, wanted int, env []string, args ...string) string {
		t.Helper()
		settings := []string{"DATABASE_URL=" + p.url, "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_VAULT_KEY_FILE=" + p.keyFile}
		c := launch(t, path, append(settings, env...), args...)
		if wanted < 0 {
			if state := c.ended(t, patience); !killed(state) {
				t.Fatalf("%v: not a kill: %s", env, state)
			}
			return ""
		}
		code, said := c.exits(t)
		if code != wanted {
			t.Fatalf("%v: exit %d: %s", args, code, said)
		}
		return said
	}
	opens := func() {
		t.Helper()
		if said := run(program, 0, nil, "vault", "check"); !strings.Contains(said, fmt.Sprintf("Rows that open: %d\n", total)) {
			t.Errorf("of %d tokens: %s", total, said)
		}
	}
	if said := run(program, 1, nil, "vault", "rotate"); !strings.Contains(said, "prepare another first") {
		t.Error(said)
	}
	run(program, 0, nil, "vault", "prepare")
	if _, err := p.pool.Exec(t.Context(), `CREATE TABLE former AS SELECT token_id, wrapped_key FROM vault_keys`); err != nil {
		t.Fatal(err)
	}
	for _, k := range rotationKills {
		run(chaosProgram, -1, []string{"SVCPAY_CRASH_POINT=" + k.arm}, "vault", "rotate", "--batch", "2")
		opens()
		done := value[int64](t, p, `SELECT count(*) FROM vault_keys k JOIN former f USING (token_id) WHERE k.wrapped_key <> f.wrapped_key`, pg.Args{})
		if done != int64(k.done) {
			t.Errorf("killed at %s: %d are sealed again, want %d", k.arm, done, k.done)
		}
		if said := run(program, 1, nil, "vault", "retire"); !strings.Contains(said, "run svcpay vault rotate") {
			t.Error(said)
		}
	}
	if said := run(program, 0, nil, "vault", "rotate", "--batch", "2"); !strings.Contains(said, fmt.Sprintf("sealed again: %d; left: 0", total-8)) {
		t.Error(said)
	}
	run(program, 0, nil, "vault", "retire")
	opens()
	s = p.serve(t, program)
	if a, err := s.charge("after-the-rotation", s.order(token, 4200)); err != nil || a.status != 201 {
		t.Errorf("%v, %s", err, a)
	}
}

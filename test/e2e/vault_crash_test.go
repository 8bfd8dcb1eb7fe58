package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/platform/pg"
)

// rotationKills is where the rotation of the vault's key dies, one run after the other, with how many tokens it has
// sealed again by then.
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

// TestVaultRotationIsResumed: the rotation of the vault's key is killed at every point and goes on. All the while
// everything opens; in the end nothing is sealed by the former key, which is gone, and with it a token that was
// shredded: what a backup has of it opens no more.
func TestVaultRotationIsResumed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	var token string
	for range 11 {
		token = s.token(t, approvedCard)
	}
	shredded := p.shred(t, s)
	s.kill(t)
	if _, err := p.pool.Exec(t.Context(), `DELETE FROM vault_cvcs`); err != nil { // as after 15 minutes
		t.Fatal(err)
	}
	total := value[int64](t, p, `SELECT count(*) FROM vault_keys`, pg.Args{})
	opens := func() {
		t.Helper()
		if said := p.vault(t, program, 0, "", "check"); !strings.Contains(said,
			fmt.Sprintf("Rows that open: %d\n", total)) {
			t.Errorf("of %d tokens: %s", total, said)
		}
	}
	if said := p.vault(t, program, 1, "", "rotate"); !strings.Contains(said, "prepare another first") {
		t.Error(said)
	}
	p.vault(t, program, 0, "", "prepare")
	if _, err := p.pool.Exec(t.Context(), `CREATE TABLE former AS SELECT token_id, wrapped_key
		FROM vault_keys`); err != nil {
		t.Fatal(err)
	}
	for _, k := range rotationKills {
		p.vault(t, chaosProgram, 0, k.arm, "rotate", "--batch", "2")
		opens()
		done := value[int64](t, p, `SELECT count(*) FROM vault_keys k JOIN former f USING (token_id)
			WHERE k.wrapped_key <> f.wrapped_key`, pg.Args{})
		if done != int64(k.done) {
			t.Errorf("killed at %s: %d are sealed again, want %d", k.arm, done, k.done)
		}
		if said := p.vault(t, program, 1, "", "retire"); !strings.Contains(said, "run svcpay vault rotate") {
			t.Error(said)
		}
	}
	if said := p.vault(t, program, 0, "", "rotate", "--batch", "2"); !strings.Contains(said,
		fmt.Sprintf("sealed again: %d; left: 0", total-8)) {
		t.Error(said)
	}
	p.vault(t, program, 0, "", "retire")
	opens()
	if kinds := value[[]string](t, p, `SELECT array_agg(DISTINCT subject_kind ORDER BY subject_kind) FROM audit_entries
		WHERE application_id = 0 AND permission = 'deployment:manage' AND actor_kind = 'command'`,
		pg.Args{}); !slices.Equal(kinds, []string{"vault_retirement", "vault_rotation"}) {
		t.Errorf("the audit log has %v", kinds)
	}
	p.bringBack(t)
	if said := p.vault(t, program, 1, "", "check"); !strings.Contains(said, shredded+" does not open\n") ||
		!strings.Contains(said, fmt.Sprintf("Rows that open: %d\n", total)) {
		t.Errorf("a backup's shredded token: %s", said)
	}
	s = p.serve(t, program)
	if a, err := s.charge("after-the-rotation", s.order(token, 4200)); err != nil || a.status != 201 {
		t.Errorf("%v, %s", err, a)
	}
}

// vault runs a command of svcpay vault that is to end with that status, or, if it is armed, to be killed.
func (p *place) vault(t *testing.T, path string, wanted int, armed string, args ...string) (said string) {
	t.Helper()
	env := []string{"DATABASE_URL=" + p.url, "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_VAULT_KEY_FILE=" + p.keyFile}
	if armed != "" {
		c := launch(t, path, append(env, "SVCPAY_CRASH_POINT="+armed), append([]string{"vault"}, args...)...)
		if state := c.ended(t, patience); !killed(state) {
			t.Fatalf("%s: not a kill: %s", armed, state)
		}
		return ""
	}
	code, said := launch(t, path, env, append([]string{"vault"}, args...)...).exits(t)
	if code != wanted {
		t.Fatalf("%v: exit %d: %s", args, code, said)
	}
	return said
}

// shred makes a token, keeps what a backup would have of it, and deletes it. With the present key it would be back.
func (p *place) shred(t *testing.T, s *server) (token string) {
	t.Helper()
	token = s.token(t, approvedCard)
	exec := func(sql string) {
		t.Helper()
		if _, err := p.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE kept_keys AS SELECT * FROM vault_keys ORDER BY created_at DESC LIMIT 1`)
	exec(`CREATE TABLE kept_values AS SELECT v.* FROM vault_values v JOIN kept_keys USING (token_id)`)
	if a, err := s.api("DELETE", "/api/tokens/"+token, nil, nil); err != nil || a.status >= 300 {
		t.Fatalf("%v, %s", err, a)
	}
	if n := value[int64](t, p, `SELECT count(*) FROM vault_keys JOIN kept_keys USING (token_id)`, pg.Args{}); n != 0 {
		t.Fatal("the token was not shredded")
	}
	p.bringBack(t)
	p.vault(t, program, 0, "", "check") // it opens with the key of the backup's time
	exec(`DELETE FROM vault_keys WHERE token_id IN (SELECT token_id FROM kept_keys)`)
	return token
}

// bringBack restores the rows of the token that was shredded.
func (p *place) bringBack(t *testing.T) {
	t.Helper()
	if _, err := p.pool.Exec(t.Context(), `INSERT INTO vault_keys SELECT * FROM kept_keys; INSERT INTO vault_values
		SELECT * FROM kept_values`); err != nil {
		t.Fatal(err)
	}
}

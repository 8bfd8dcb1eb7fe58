package vault_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
)

// reads loads a key file.
func reads(t *testing.T, path string) *vault.Vault {
	t.Helper()
	keys, err := vault.ReadKeyFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return vault.New(keys)
}

// opens counts what opens of a world's vault, and what does not.
func opens(t *testing.T, w *fixture.World, v *vault.Vault) (open, sealed int) {
	t.Helper()
	seen, err := v.Examine(t.Context(), w.Pool, ids.Token{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return seen.Opened, len(seen.Sealed)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is one whose tokens are sealed by a key file's keys: three cards, of which one has its verification code, and
// an account.
func world(t *testing.T) (w *fixture.World, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keys.json")
	keys, err := vault.CreateKeyFile(file)
	must(t, err)
	w = fixture.New(t, func(d *assembly.Deps) { d.Vault = vault.New(keys) })
	for _, number := range []string{"4242424242424242", "5555555555554444"} {
		w.Token(number)
	}
	w.BankToken(w.App.Merchants.US, w.USBank("000123456789"))
	_, err = w.Pool.Exec(t.Context(), `DELETE FROM vault_cvcs`)
	must(t, err)
	w.Token("378282246310005")
	return w, file
}

// inPages is a vault whose rotation looks at so many tokens at a time.
func inPages(v *vault.Vault, page int) *vault.Vault {
	out := *v
	out.Page = page
	return &out
}

// rotate goes through the vault in pages and says how many tokens were sealed again.
func rotate(t *testing.T, w *fixture.World, v *vault.Vault, most int) (total int) {
	t.Helper()
	for last := (ids.Token{}); ; {
		n, next, err := v.Rotate(t.Context(), w.Pool, last, most)
		must(t, err)
		if total, last = total+n, next; last.IsZero() {
			return total
		}
	}
}

func TestKeysTakeTurns(t *testing.T) {
	t.Parallel()
	w, file := world(t)
	before := reads(t, file)
	if err := vault.UseNewest(file); !errors.Is(err, vault.ErrOneKey) {
		t.Errorf("with one key: %v", err)
	}
	for i, want := range []bool{true, false} {
		if added, err := vault.AddKey(file); err != nil || added != want {
			t.Errorf("%d: %v, %v", i, added, err)
		}
	}
	prepared := reads(t, file)
	if left, _, err := prepared.Left(t.Context(), w.Pool); err != nil || left != 0 {
		t.Errorf("a key that waits has %d to do, %v", left, err)
	}
	for range 2 { // the second changes nothing
		must(t, vault.UseNewest(file))
	}
	after := reads(t, file)
	if left, waiting, err := after.Left(t.Context(), w.Pool); err != nil || left != 4 || waiting != 1 {
		t.Errorf("%d are left, %d wait, %v", left, waiting, err)
	}
	if n := rotate(t, w, after, 2); n != 3 {
		t.Errorf("%d were sealed again", n)
	}
	// Servers with the prepared file open what both keys have wrapped, those without it do not.
	for name, c := range map[string]struct {
		v    *vault.Vault
		open int
	}{"before": {before, 1}, "prepared": {prepared, 4}, "after": {after, 4}} {
		if open, sealed := opens(t, w, c.v); open != c.open || open+sealed != 4 {
			t.Errorf("%s: %d open, %d do not", name, open, sealed)
		}
	}
	if n := rotate(t, w, after, 2); n != 0 {
		t.Errorf("%d were sealed a second time", n)
	}
	n, err := vault.PurgeCVCs(t.Context(), w.Pool, w.Clock.Now().Add(time.Hour))
	if must(t, err); n != 1 {
		t.Errorf("%d codes", n)
	}
	if n := rotate(t, w, after, 2); n != 1 {
		t.Errorf("%d that had waited", n)
	}
	must(t, vault.DropFormer(file))
	if open, sealed := opens(t, w, reads(t, file)); open != 4 || sealed != 0 {
		t.Errorf("in the end: %d open, %d do not", open, sealed)
	}
}

// An account that a payer authorized is sealed under a former key for as long as a token can be made of it: the key is
// needed.
func TestAccountsThatBecomeTokensAreLeft(t *testing.T) {
	t.Parallel()
	w, file := world(t)
	_, err := w.Pool.Exec(t.Context(), `
		INSERT INTO bank_links (secret_hash, application_id, merchant_id, key_id, page_origin, scheme, language,
			color_scheme, state, authorization_id, wrapped_key, number, details, created_at, expires_at)
		SELECT sha256('a'), m.application_id, m.id, k.id, '', 'ach', 'en', 'system', 'authorized', 'ba_a',
			(SELECT wrapped_key FROM vault_keys LIMIT 1), '', '', now(), now() FROM merchants m, api_keys k LIMIT 1`)
	must(t, err)
	v := reads(t, file)
	before, passing, err := v.Left(t.Context(), w.Pool)
	must(t, err)
	_, err = vault.AddKey(file)
	must(t, err)
	must(t, vault.UseNewest(file))
	v = reads(t, file)
	left, waiting, err := v.Left(t.Context(), w.Pool)
	if must(t, err); before != 0 || passing != 0 || left != 5 || waiting != 2 {
		t.Errorf("%d, %d before; %d are left, %d wait", before, passing, left, waiting)
	}
}

// A rotation goes from page to page, whatever is to be done in one.
func TestRotationGoesOnPastWhatIsDone(t *testing.T) {
	t.Parallel()
	w, file := world(t)
	_, err := vault.AddKey(file)
	must(t, err)
	must(t, vault.UseNewest(file))
	v := reads(t, file)
	done, last, err := inPages(v, 2).Rotate(t.Context(), w.Pool, ids.Token{}, 1)
	if must(t, err); done != 1 || last.IsZero() {
		t.Errorf("at first: %d, on from %s", done, last)
	}
	for pages := range 5 {
		if left, waiting, err := inPages(v, pages+1).Left(t.Context(), w.Pool); err != nil || left != 3 ||
			waiting != 1 {
			t.Errorf("in pages of %d: %d are left, %d wait, %v", pages+1, left, waiting, err)
		}
	}
	if done, last, err = inPages(v, 1).Rotate(t.Context(), w.Pool, ids.Token{}, 2); err != nil || done != 0 ||
		last.IsZero() {
		t.Errorf("a page that is done: %d, on from %s, %v", done, last, err)
	}
	if n := rotate(t, w, inPages(v, 1), 2); n != 2 {
		t.Errorf("%d were sealed again", n)
	}
	if left, waiting, err := inPages(v, 1).Left(t.Context(), w.Pool); err != nil || left != 1 || waiting != 1 {
		t.Errorf("in the end %d are left, %d wait, %v", left, waiting, err)
	}
}

// No statement of a rotation reads more of the vault's keys than a page.
func TestRotationReadsPagesByTheIndex(t *testing.T) {
	t.Parallel()
	w, file := world(t)
	pool, sent := pgtest.Watched(t, w.Pool)
	v := reads(t, file)
	_, _, err := v.Left(t.Context(), pool)
	must(t, err)
	_, _, err = v.Rotate(t.Context(), pool, ids.NewToken(w.Clock.Now()), 100)
	must(t, err)
	statements := sent.Of("FROM vault_keys k")
	if len(statements) != 3 {
		t.Errorf("%d statements", len(statements))
	}
	for _, one := range statements {
		plan := pgtest.PlanOf(t, w.Pool, one)
		if !regexp.MustCompile(`vault_keys_pkey\b[^\n]*\n *Index Cond: \(\(?token_id > `).MatchString(plan) ||
			!strings.Contains(one.SQL, "OFFSET") && !strings.Contains(plan, "(token_id <= ") {
			t.Errorf("%s: %s", one.SQL, plan)
		}
	}
}

// What is sealed again is another text under another key, and not only wrapped again.
func TestRotationLeavesNoFormerText(t *testing.T) {
	t.Parallel()
	w, file := world(t)
	_, err := w.Pool.Exec(t.Context(), `
		DELETE FROM vault_cvcs;
		CREATE TABLE former AS SELECT k.token_id, k.wrapped_key, v.sealed FROM vault_keys k
			JOIN vault_values v USING (token_id)`)
	must(t, err)
	_, err = vault.AddKey(file)
	must(t, err)
	must(t, vault.UseNewest(file))
	rotate(t, w, reads(t, file), 100)
	same, err := pg.Value[int](t.Context(), w.Pool, `
		SELECT count(*)::int FROM former f JOIN vault_keys k USING (token_id) JOIN vault_values v USING (token_id)
		WHERE f.wrapped_key = k.wrapped_key OR f.sealed = v.sealed`, pg.Args{})
	if err != nil || same != 0 {
		t.Errorf("%d are as they were, %v", same, err)
	}
	// A backup of before: the former rows, a token that was shredded since among them, come back.
	must(t, vault.DropFormer(file))
	_, err = w.Pool.Exec(t.Context(), `
		DELETE FROM vault_keys;
		INSERT INTO vault_keys (token_id, wrapped_key, created_at) SELECT token_id, wrapped_key, now() FROM former;
		INSERT INTO vault_values (token_id, field, sealed) SELECT f.token_id, CASE t.kind WHEN 'card' THEN 'pan'
			ELSE 'account_number' END, f.sealed
			FROM former f JOIN tokens t ON t.id = f.token_id`)
	must(t, err)
	if open, sealed := opens(t, w, reads(t, file)); open != 0 || sealed != 4 {
		t.Errorf("of a backup from before the rotation %d open and %d do not", open, sealed)
	}
}

func TestKeyFilesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys.json")
	_, err := vault.CreateKeyFile(file)
	must(t, err)
	was, err := os.ReadFile(file)
	must(t, err)
	must(t, os.Chmod(file, 0o640))
	if _, err := vault.AddKey(file); !errors.Is(err, vault.ErrKeyFileMode) {
		t.Errorf("others may read it: %v", err)
	}
	must(t, os.Chmod(file, 0o600))
	if os.Geteuid() == 0 {
		must(t, os.Chown(file, 65534, 65534))
		if _, err := vault.AddKey(file); !errors.Is(err, vault.ErrOwner) {
			t.Errorf("it is another's: %v", err)
		}
	}
	if is, err := os.ReadFile(file); err != nil || string(is) != string(was) {
		t.Errorf("it was changed: %v", err)
	}
}

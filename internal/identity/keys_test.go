package identity_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

// make1 makes a key of the first application.
func make1(t *testing.T, w *fixture.World, s *identity.Service, in identity.NewKey) (string, ids.Key) {
	t.Helper()
	in.ApplicationID, in.Name = w.App.AppID, "made by a test"
	text, id, err := s.CreateKey(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return text, id
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	app := strconv.FormatInt(w.App.AppID, 10)
	a, err := w.Identity.Authenticate(t.Context(), w.App.SecretKey, app)
	if err != nil || a.Role != authz.RoleSecretKey || a.ApplicationID != w.App.AppID || a.KeyName != "Demo server" || a.KeyID.IsZero() {
		t.Errorf("%+v, %v", a, err)
	}
	production := identity.New(w.Pool, identity.Production, w.Clock.Now)
	live, _ := make1(t, w, production, identity.NewKey{Kind: identity.SecretKey})
	unheard, _ := make1(t, w, identity.New(fixture.New(t).Pool, identity.Sandbox, w.Clock.Now), identity.NewKey{Kind: identity.SecretKey})
	expiring, _ := make1(t, w, w.Identity, identity.NewKey{Kind: identity.SecretKey, ExpiresAt: w.Clock.Now().Add(time.Minute)})
	if _, err := w.Identity.Authenticate(t.Context(), expiring, app); err != nil {
		t.Errorf("a minute before its end: %v", err)
	}
	w.Clock.Advance(time.Minute)
	for _, c := range []struct{ name, key, app, want string }{
		{"no key", "", app, "api_key_missing"},
		{"no application", w.App.SecretKey, "", "app_id_missing"},
		{"neither", "", "", "api_key_missing"},
		{"nonsense", "hello", app, "api_key_invalid"},
		{"one character off", w.App.SecretKey[:len(w.App.SecretKey)-1] + "!", app, "api_key_invalid"},
		{"of a deployment that is not this one", unheard, app, "api_key_invalid"},
		{"public", w.App.PublicKey, app, "public_key_not_allowed"},
		{"live", live, app, "key_mode_mismatch"},
		{"expired", expiring, app, "api_key_expired"},
		{"another application's number", w.App.SecretKey, strconv.FormatInt(w.Other.AppID, 10), "app_id_mismatch"},
		{"another application's key", w.Other.SecretKey, app, "app_id_mismatch"},
		{"a padded number", w.App.SecretKey, "0" + app, "app_id_mismatch"},
	} {
		a, err := w.Identity.Authenticate(t.Context(), c.key, c.app)
		if f, ok := fault.As(err); code(err) != c.want || a != (authz.Actor{}) || !ok || f.Kind != fault.KindUnauthenticated {
			t.Errorf("%s: %+v, %v; want %s", c.name, a, err, c.want)
		}
	}
}

func TestPublicKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	use, err := w.Identity.PublicKey(t.Context(), w.App.PublicKeyRestricted)
	if err != nil || use.Actor.Role != authz.RolePublicKey || use.Actor.ApplicationID != w.App.AppID || !slices.Equal(use.AllowedOrigins, []string{fixture.PageOrigin}) {
		t.Errorf("%+v, %v", use, err)
	}
	live, _ := make1(t, w, identity.New(w.Pool, identity.Production, w.Clock.Now), identity.NewKey{Kind: identity.PublicKey})
	revoked, id := make1(t, w, w.Identity, identity.NewKey{Kind: identity.PublicKey})
	expired, _ := make1(t, w, w.Identity, identity.NewKey{Kind: identity.PublicKey, ExpiresAt: w.Clock.Now()})
	if err := w.Identity.RevokeKey(t.Context(), w.App.AppID, id); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, key, want string }{
		{"nothing", "", "invalid_public_key"},
		{"secret", w.App.SecretKey, "invalid_public_key"},
		{"live", live, "environment_mismatch"},
		{"revoked", revoked, "public_key_revoked"},
		{"expired", expired, "public_key_revoked"},
	} {
		if use, err := w.Identity.PublicKey(t.Context(), c.key); code(err) != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.name, use, err, c.want)
		}
	}
}

func TestRevocationIsSeenAtOnceHereAndSoonElsewhere(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	elsewhere := identity.New(w.Pool, identity.Sandbox, w.Clock.Now)
	key, id := make1(t, w, w.Identity, identity.NewKey{Kind: identity.SecretKey})
	app := strconv.FormatInt(w.App.AppID, 10)
	try := func(s *identity.Service) string {
		_, err := s.Authenticate(t.Context(), key, app)
		return code(err)
	}
	if here, there := try(w.Identity), try(elsewhere); here != "<nil>" || there != "<nil>" {
		t.Fatalf("%s, %s", here, there)
	}
	if err := w.Identity.RevokeKey(t.Context(), w.Other.AppID, id); code(err) != "resource_missing" || try(w.Identity) != "<nil>" {
		t.Errorf("another application revokes: %v", err)
	}
	if err := w.Identity.RevokeKey(t.Context(), w.App.AppID, id); err != nil {
		t.Fatal(err)
	}
	if here, there := try(w.Identity), try(elsewhere); here != "api_key_invalid" || there != "<nil>" {
		t.Errorf("at once: %s here, %s elsewhere, where the key is still remembered", here, there)
	}
	w.Clock.Advance(2*time.Second + time.Millisecond)
	if there := try(elsewhere); there != "api_key_invalid" {
		t.Errorf("two seconds later elsewhere: %s", there)
	}
	if err := w.Identity.RevokeKey(t.Context(), w.App.AppID, id); code(err) != "resource_missing" {
		t.Errorf("twice: %v", err)
	}
}

func TestUnknownKeyIsRememberedForAMomentOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	elsewhere := identity.New(w.Pool, identity.Sandbox, w.Clock.Now)
	key, id := make1(t, w, w.Identity, identity.NewKey{Kind: identity.SecretKey})
	app := strconv.FormatInt(w.App.AppID, 10)
	hide := func(sql string) {
		t.Helper()
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{"id": id}); err != nil {
			t.Fatal(err)
		}
	}
	hide(`UPDATE api_keys SET secret_hash = sha256(secret_hash) WHERE id = @id`)
	if _, err := elsewhere.Authenticate(t.Context(), key, app); code(err) != "api_key_invalid" {
		t.Fatal(err)
	}
	hide(`UPDATE api_keys SET secret_hash = '` + fmt.Sprintf("\\x%x", sha256.Sum256([]byte(key))) + `' WHERE id = @id`)
	w.Clock.Advance(2*time.Second + time.Millisecond)
	if _, err := elsewhere.Authenticate(t.Context(), key, app); err != nil {
		t.Error(err)
	}
}

func TestSecretIsKeptAsItsDigestOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	type row struct {
		All  string `db:"all"`
		Hash []byte `db:"hash"`
	}
	rows, err := pg.All[row](t.Context(), w.Pool, `SELECT k::text AS all, secret_hash AS hash FROM api_keys k WHERE application_id = @app ORDER BY kind DESC, name`, pg.Args{"app": w.App.AppID})
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d keys, %v", len(rows), err)
	}
	want := sha256.Sum256([]byte(w.App.SecretKey))
	if random := strings.Split(w.App.SecretKey, "_")[2]; strings.Contains(rows[0].All, random) || !bytes.Equal(rows[0].Hash, want[:]) {
		t.Errorf("the secret key's row is %s", rows[0].All)
	}
	if !strings.Contains(rows[1].All, w.App.PublicKey) || rows[1].Hash != nil {
		t.Errorf("the public key's row is %s", rows[1].All)
	}
}

package apikey_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

// another is the identity of another binary of w's deployment.
func another(w *fixture.World) *apikey.Service {
	return apikey.New(w.Pool, apikey.Sandbox, w.Clock.Now, w.Gate)
}

// live makes a key of the first application for production.
func live(t *testing.T, w *fixture.World, kind apikey.Kind) string {
	t.Helper()
	k, err := apikey.New(w.Pool, apikey.Production, w.Clock.Now, w.Gate).Create(t.Context(), w.Admin(),
		apikey.CreateInput{Kind: kind, Name: "Live"})
	if err != nil {
		t.Fatal(err)
	}
	return k.Text
}

// enter asks s who calls with a key of the first application, from an address or, with "", from none.
func enter(t *testing.T, w *fixture.World, s *apikey.Service, key, from string) (authz.Actor, error) {
	t.Helper()
	c := apikey.Credentials{APIKey: key, AppID: strconv.FormatInt(w.App.AppID, 10)}
	if from != "" {
		c.From = netip.MustParseAddr(from)
	}
	return s.Authenticate(t.Context(), c)
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	app := strconv.FormatInt(w.App.AppID, 10)
	a, err := enter(t, w, w.APIKeys, w.App.SecretKey, "")
	if err != nil || a.Role != authz.RoleSecretKey || a.ApplicationID != w.App.AppID || a.KeyName != "Demo server" ||
		a.KeyID.IsZero() || a.Restriction != nil {
		t.Errorf("%+v, %v", a, err)
	}
	unheard := fixture.New(t).Issue(apikey.CreateInput{Kind: apikey.Secret}).Text
	expiring := w.Issue(apikey.CreateInput{Kind: apikey.Secret, ExpiresAt: w.Clock.Now().Add(time.Minute)}).Text
	if _, err := enter(t, w, w.APIKeys, expiring, ""); err != nil {
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
		{"live", live(t, w, apikey.Secret), app, "key_mode_mismatch"},
		{"expired", expiring, app, "api_key_expired"},
		{"another application's number", w.App.SecretKey, strconv.FormatInt(w.Other.AppID, 10), "app_id_mismatch"},
		{"another application's key", w.Other.SecretKey, app, "app_id_mismatch"},
		{"another application's restricted key", w.Other.RestrictedKey, app, "app_id_mismatch"},
		{"a padded number", w.App.SecretKey, "0" + app, "app_id_mismatch"},
	} {
		a, err := w.APIKeys.Authenticate(t.Context(), apikey.Credentials{APIKey: c.key, AppID: c.app})
		if f, ok := fault.As(err); code(err) != c.want || !reflect.ValueOf(a).IsZero() || !ok ||
			f.Kind != fault.KindUnauthenticated {
			t.Errorf("%s: %+v, %v; want %s", c.name, a, err, c.want)
		}
	}
}

func TestRestrictedKeyActsWithinItsRights(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := apikey.CreateInput{Kind: apikey.Restricted, Name: "Refunds",
		Rights: []authz.Right{"refund:write", "charge:read"}, Merchants: []int64{w.App.Merchants.CA}}
	k := w.Issue(in)
	a, err := enter(t, w, w.APIKeys, k.Text, "")
	if err != nil || a.Role != authz.RoleRestrictedKey || a.KeyID != k.ID || a.KeyName != "Refunds" ||
		!slices.Equal(a.Restriction.Rights, []authz.Right{"charge:read", "refund:write"}) ||
		!slices.Equal(a.Restriction.Merchants, in.Merchants) {
		t.Fatalf("%+v, %+v, %v", a, a.Restriction, err)
	}
	for permission, want := range map[authz.Permission]bool{
		authz.RefundCreate: true, authz.RefundRead: true, authz.ChargeRead: true, authz.MeRead: true,
		authz.ChargeCreate: false, authz.PayoutRead: false, authz.KeyManage: false, authz.TokenCreate: false,
	} {
		if err := w.Gate.Check(a, permission); (err == nil) != want {
			t.Errorf("%s: %v", permission, err)
		}
	}
}

func TestKeyIsUsedFromItsAddressesOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := apikey.CreateInput{Kind: apikey.Secret,
		AllowedIPs: []string{"192.0.2.7", "198.51.100.0/24", "2001:db8::/32", "2001:db9::7"}}
	listed, free := w.Issue(in).Text, w.App.SecretKey
	in.AllowedIPs = []string{"0.0.0.0/0"}
	four := w.Issue(in).Text
	for _, c := range []struct {
		from              string
		inList, isVersion bool
	}{
		{"192.0.2.7", true, true},
		{"192.0.2.8", false, true},
		{"::ffff:192.0.2.7", true, true}, // as a server that listens on both versions sees it
		{"198.51.100.255", true, true},
		{"198.51.101.0", false, true},
		{"2001:db8:ffff::1", true, false},
		{"2001:db9::7", true, false},
		{"2001:db9::8", false, false},
		{"2001:db9::7%eth0", true, false},
		{"::1", false, false},
		{"", false, false},
	} {
		for key, want := range map[string]bool{listed: c.inList, four: c.isVersion, free: true} {
			a, err := enter(t, w, w.APIKeys, key, c.from)
			if (err == nil) != want {
				t.Errorf("from %q: %v", c.from, err)
			}
			if f, ok := fault.As(err); err != nil &&
				(!ok || f.Code != "ip_not_allowed" || f.Kind != fault.KindForbidden || !reflect.ValueOf(a).IsZero()) {
				t.Errorf("from %q: %+v, %v", c.from, a, err)
			}
		}
	}
}

func TestPublicKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	use, err := w.APIKeys.AuthenticatePublic(t.Context(), w.App.PublicKeyRestricted)
	if err != nil || use.Actor.Role != authz.RolePublicKey || use.Actor.ApplicationID != w.App.AppID ||
		!slices.Equal(use.AllowedOrigins, []string{fixture.PageOrigin}) {
		t.Errorf("%+v, %v", use, err)
	}
	revoked := w.Issue(apikey.CreateInput{Kind: apikey.Public})
	expired := w.Issue(apikey.CreateInput{Kind: apikey.Public, ExpiresAt: w.Clock.Now().Add(time.Second)})
	if _, err := w.APIKeys.Revoke(t.Context(), w.Admin(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	for _, c := range []struct{ name, key, want string }{
		{"nothing", "", "invalid_public_key"},
		{"secret", w.App.SecretKey, "invalid_public_key"},
		{"restricted", w.App.RestrictedKey, "invalid_public_key"},
		{"live", live(t, w, apikey.Public), "environment_mismatch"},
		{"unheard", fixture.New(t).Issue(apikey.CreateInput{Kind: apikey.Public}).Text, "invalid_public_key"},
		{"revoked", revoked.Text, "public_key_revoked"},
		{"expired", expired.Text, "public_key_revoked"},
	} {
		if use, err := w.APIKeys.AuthenticatePublic(t.Context(), c.key); code(err) != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.name, use, err, c.want)
		}
	}
}

func TestRevocationIsSeenAtOnceHereAndSoonElsewhere(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	elsewhere, key := another(w), w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	try := func(s *apikey.Service) string {
		_, err := enter(t, w, s, key.Text, "")
		return code(err)
	}
	if here, there := try(w.APIKeys), try(elsewhere); here != "<nil>" || there != "<nil>" {
		t.Fatalf("%s, %s", here, there)
	}
	if _, err := w.APIKeys.Revoke(t.Context(), w.Admin(), key.ID); err != nil {
		t.Fatal(err)
	}
	if here, there := try(w.APIKeys), try(elsewhere); here != "api_key_invalid" || there != "<nil>" {
		t.Errorf("at once: %s here, %s elsewhere, where the key is still remembered", here, there)
	}
	w.Clock.Advance(2*time.Second + time.Millisecond)
	if there := try(elsewhere); there != "api_key_invalid" {
		t.Errorf("two seconds later elsewhere: %s", there)
	}
}

func TestUnknownKeyIsRememberedForAMomentOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	elsewhere, key := another(w), w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	hide := func(sql string) {
		t.Helper()
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{"id": key.ID}); err != nil {
			t.Fatal(err)
		}
	}
	hide(`UPDATE api_keys SET secret_hash = sha256(secret_hash) WHERE id = @id`)
	if _, err := enter(t, w, elsewhere, key.Text, ""); code(err) != "api_key_invalid" {
		t.Fatal(err)
	}
	hide(`UPDATE api_keys SET secret_hash = '` + fmt.Sprintf("\\x%x", sha256.Sum256([]byte(key.Text))) +
		`' WHERE id = @id`)
	w.Clock.Advance(2*time.Second + time.Millisecond)
	if _, err := enter(t, w, elsewhere, key.Text, ""); err != nil {
		t.Error(err)
	}
}

func TestOnlyPublicKeysAreKeptInClear(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for text, inClear := range map[string]bool{w.App.SecretKey: false, w.App.RestrictedKey: false,
		w.App.PublicKey: true} {
		sum := sha256.Sum256([]byte(text))
		type row struct {
			All  string `db:"all"`
			Hash []byte `db:"hash"`
		}
		r, err := pg.One[row](t.Context(), w.Pool, `SELECT k::text AS all, secret_hash AS hash FROM api_keys k
			WHERE secret_hash = @hash OR public_value = @text`,
			pg.Args{"hash": sum[:], "text": text})
		if err != nil {
			t.Fatal(err)
		}
		random := strings.Split(text, "_")[2]
		if strings.Contains(r.All, text) != inClear || strings.Contains(r.All, random[:len(random)-4]) != inClear ||
			bytes.Equal(r.Hash, sum[:]) == inClear {
			t.Errorf("the row of %s is %s", text[:3], r.All)
		}
	}
}

// readUse waits until a key's last use was written down for the given time, which happens next to the request.
func readUse(t *testing.T, w *fixture.World, id ids.Key, at time.Time) (from netip.Addr) {
	t.Helper()
	for range 500 {
		p, err := w.APIKeys.List(t.Context(), w.Admin(), pageOf(100))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Items {
			if k.ID == id && k.LastUsedAt != nil && k.LastUsedAt.Equal(at) {
				if k.LastUsedIP != nil {
					return *k.LastUsedIP
				}
				return netip.Addr{}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no use at %v was written down", at)
	return netip.Addr{}
}

func TestLastUseIsWrittenDownOnceAMinute(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	elsewhere, began := another(w), w.Clock.Now()
	key := w.Issue(apikey.CreateInput{Kind: apikey.Secret, AllowedIPs: []string{"192.0.2.0/24", "2001:db8::/32"}})
	use := func(s *apikey.Service, from string) {
		t.Helper()
		if _, err := enter(t, w, s, key.Text, from); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := enter(t, w, w.APIKeys, key.Text, "198.51.100.1"); code(err) != "ip_not_allowed" { // no use
		t.Fatal(err)
	}
	use(w.APIKeys, "192.0.2.1")
	if from := readUse(t, w, key.ID, began); from != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("used from %v", from)
	}
	w.Clock.Advance(time.Minute - time.Millisecond)
	use(w.APIKeys, "192.0.2.2")
	use(elsewhere, "192.0.2.2")
	w.Clock.Advance(time.Millisecond)
	minute := w.Clock.Now()
	use(elsewhere, "2001:db8::3")
	if from := readUse(t, w, key.ID, minute); from != netip.MustParseAddr("2001:db8::3") {
		t.Errorf("a minute later it was used from %v", from)
	}
	use(w.APIKeys, "192.0.2.4") // which has not heard of that
	time.Sleep(100 * time.Millisecond)
	if from := readUse(t, w, key.ID, minute); from != netip.MustParseAddr("2001:db8::3") {
		t.Errorf("two binaries have written down one minute: %v", from)
	}
	public := w.Issue(apikey.CreateInput{Kind: apikey.Public})
	if _, err := w.APIKeys.AuthenticatePublic(t.Context(), public.Text); err != nil {
		t.Fatal(err)
	}
	if from := readUse(t, w, public.ID, minute); from.IsValid() {
		t.Errorf("a payer's address was kept: %v", from)
	}
}

// What is in the way of writing down a use is no matter of the request's.
func TestUseThatCannotBeWrittenDownDisturbsNobody(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE api_keys SET name = 'Held'
			WHERE id = @id`, pg.Args{"id": key.ID}); err != nil {
			return err
		}
		began := time.Now()
		_, err := enter(t, w, w.APIKeys, key.Text, "192.0.2.1")
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	readUse(t, w, key.ID, w.Clock.Now())
}

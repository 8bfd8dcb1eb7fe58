package identity_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

const password = "correct horse battery"

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

type people struct {
	*identity.Service
	pool  *pgxpool.Pool
	clock *fixture.Clock
	id    int64
}

// SignIn waits for its turn longer than a visitor would: the package's tests hash passwords at once.
func (p people) SignIn(ctx context.Context, email, password string, from identity.Visitor) (identity.Person, error) {
	for {
		person, err := p.Service.SignIn(ctx, email, password, from)
		if !fault.HasCode(err, "overloaded") {
			return person, err
		}
	}
}

func newPeople(t *testing.T) people {
	t.Helper()
	clock, pool := fixture.NewClock(), pgtest.New(t)
	p := people{Service: identity.New(pool, clock.Now, nil), pool: pool, clock: clock}
	var err error
	p.id, err = p.CreatePerson(t.Context(),
		identity.NewPerson{Email: "Ola@Example.org", Name: "Ola", Password: password,
			Grants: []identity.Grant{{Role: "system_admin", Scope: "system"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSignInGivesThePersonWithGrants(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	got, err := p.SignIn(t.Context(), "ola@example.ORG", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	want := identity.Grant{ID: got.Grants[0].ID, Role: "system_admin", Scope: "system", ScopeName: "Whole deployment"}
	if got.ID != p.id || got.Name != "Ola" || len(got.Grants) != 1 || got.Grants[0] != want ||
		want.Domain() != authz.System() {
		t.Errorf("signed in as %+v", got)
	}
}

func TestGrantsNameTheirScope(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	app, err := apikey.New(p.pool, apikey.Sandbox, p.clock.Now, nil).CreateApplication(t.Context(), "Riverside Giving")
	if err != nil {
		t.Fatal(err)
	}
	var org int64
	err = pg.InTx(t.Context(), p.pool, func(tx *pg.Tx) (err error) {
		org, err = identity.CreateOrganizationTx(t.Context(), tx, app, "Riverside", time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	in := identity.NewPerson{Email: "avery@example.org", Name: "Avery", Password: password, Grants: []identity.Grant{
		{Role: "application_admin", Scope: "app", ScopeID: app},
		{Role: "organization_staff", Scope: "org", ScopeID: org}}}
	if _, err := p.CreatePerson(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	got, err := p.SignIn(t.Context(), in.Email, password, identity.Visitor{})
	if err != nil || len(got.Grants) != 2 || got.Grants[0].ScopeName != "Riverside Giving" ||
		got.Grants[1].ScopeName != "Riverside" {
		t.Errorf("grants %+v, %v", got.Grants, err)
	}
}

func TestWrongPasswordAndUnknownAddressGetOneAnswer(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, wrong := p.SignIn(t.Context(), "ola@example.org", "not the password at all", identity.Visitor{})
	_, unknown := p.SignIn(t.Context(), "nobody@example.org", password, identity.Visitor{})
	w, _ := fault.As(wrong)
	u, _ := fault.As(unknown)
	if w == nil || u == nil || w.Code != "sign_in_failed" || w.Message != u.Message || w.Code != u.Code {
		t.Errorf("wrong: %v; unknown: %v", wrong, unknown)
	}
}

// elsewhere is a visitor from the i-th of many networks: what bounds one network bounds none of them.
func elsewhere(i int) identity.Visitor {
	return identity.Visitor{Address: netip.AddrFrom4([4]byte{198, 51, 100, byte(i + 1)})}
}

func TestTenFailuresLockForHalfAnHour(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	for i := range 10 {
		if _, err := p.SignIn(t.Context(), "ola@example.org", "guess", elsewhere(i)); !fault.HasCode(err,
			"sign_in_failed") {
			t.Fatal(err)
		}
	}
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{}); !fault.HasCode(err,
		"sign_in_failed") {
		t.Errorf("a locked account was let in: %v", err)
	}
	p.clock.Advance(30 * time.Minute)
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{}); err != nil {
		t.Errorf("still locked after half an hour: %v", err)
	}
}

func TestManyGuessesAtOnceDoNotOutrunTheLock(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if _, err := p.SignIn(t.Context(), "ola@example.org", "guess", elsewhere(i)); !fault.HasCode(err,
				"sign_in_failed") && !fault.HasCode(err, "overloaded") {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{}); !fault.HasCode(err,
		"sign_in_failed") {
		t.Errorf("let in after 12 guesses: %v", err)
	}
}

func TestAnAddressThatCannotExistIsUnknown(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	for _, email := range []string{"", "a\x00@b", "\xff@b", strings.Repeat("a", 300)} {
		if _, err := p.SignIn(t.Context(), email, password, identity.Visitor{}); !fault.HasCode(err, "sign_in_failed") {
			t.Errorf("%q: %v", email, err)
		}
	}
}

func TestASuccessForgetsFailures(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	for range 2 {
		for i := range 9 {
			if _, err := p.SignIn(t.Context(), "ola@example.org", "guess", elsewhere(i)); err == nil {
				t.Fatal("a guess was right")
			}
		}
		if _, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewPersonIsChecked(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, err := p.CreatePerson(t.Context(), identity.NewPerson{Email: "x@y", Password: password,
		Grants: []identity.Grant{{Role: "organization_staff", Scope: "system"}}})
	if f, ok := fault.As(err); !ok || len(f.Fields) != 2 || f.Fields[0].Param != "name" ||
		f.Fields[1].Param != "grants" {
		t.Errorf("no name and a grant beyond its scope: %v", err)
	}
	for _, tt := range []struct{ email, password, code string }{
		{"a@b", "abcdefghijklmnop", "parameter_invalid"},
		{"a@b", "short", "parameter_invalid"},
		{"a@b", strings.Repeat("x", 129), "parameter_invalid"},
		{"a@b", "passwordpassword", "parameter_invalid"},
		{"a@b", strings.Repeat("z", 20), "parameter_invalid"},
		{"nothing", password, "parameter_invalid"},
		{"nothing", "short", "validation_failed"},
		{"OLA@example.org", password, "email_taken"},
	} {
		_, err := p.CreatePerson(t.Context(), identity.NewPerson{Email: tt.email, Name: "X", Password: tt.password})
		if !fault.HasCode(err, tt.code) {
			t.Errorf("%s with %d characters: %v, want %s", tt.email, len(tt.password), err, tt.code)
		}
	}
}

func TestResetPersonUnlocksAndEndsSessions(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	session, err := p.StartSession(t.Context(), p.id)
	if err != nil {
		t.Fatal(err)
	}
	in := identity.NewPerson{Email: "ola@example.org", Name: "Ola", Password: "another good password"}
	if err := p.ResetPerson(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := p.FindSession(t.Context(), session); !errors.Is(err, identity.ErrNoSession) {
		t.Errorf("the session lives on: %v", err)
	}
	if _, err := p.SignIn(t.Context(), in.Email, in.Password, identity.Visitor{}); err != nil {
		t.Error(err)
	}
	in.Email = "nobody@example.org"
	if err := p.ResetPerson(t.Context(), in); !fault.HasCode(err, "resource_missing") {
		t.Errorf("resetting nobody: %v", err)
	}
}

// An account without a sign-in for 90 days is closed to its password, which no one learns who doesn't know it, until
// the password is reset.
func TestUnusedAccountsAreInactive(t *testing.T) {
	t.Parallel()
	const days = 24 * time.Hour
	p := newPeople(t)
	signIn := func(password string) error {
		person, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
		if err == nil {
			_, err = p.Enter(t.Context(), person, identity.Visitor{})
		}
		return err
	}
	for range 3 {
		p.clock.Advance(90*days - time.Second)
		if err := signIn(password); err != nil {
			t.Fatalf("within 90 days of the last sign-in: %v", err)
		}
	}
	p.clock.Advance(90 * days)
	if err := signIn(password); !fault.HasCode(err, "account_inactive") {
		t.Errorf("after 90 days: %v", err)
	}
	if err := signIn("wrong horse battery"); !fault.HasCode(err, "sign_in_failed") {
		t.Errorf("a wrong password: %v", err)
	}
	link, _, err := p.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin}, "ola@example.org")
	if err == nil {
		err = p.Reset(t.Context(), link, "brisk heron lagoon")
	}
	if err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(80 * days)
	if err := signIn("brisk heron lagoon"); err != nil {
		t.Errorf("80 days after a reset: %v", err)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	start := func() string {
		id, err := p.StartSession(t.Context(), p.id)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	alive := func(id string) bool {
		_, err := p.FindSession(t.Context(), id)
		if err != nil && !errors.Is(err, identity.ErrNoSession) {
			t.Fatal(err)
		}
		return err == nil
	}
	idle := start()
	p.clock.Advance(14 * time.Minute)
	if !alive(idle) {
		t.Error("a session ended before a quarter of an hour")
	}
	p.clock.Advance(15 * time.Minute)
	if alive(idle) {
		t.Error("an idle session lives on")
	}
	busy := start()
	for tenMinutes := 1; tenMinutes <= 12*6; tenMinutes++ {
		p.clock.Advance(10 * time.Minute)
		if want := tenMinutes < 12*6; alive(busy) != want {
			t.Fatalf("after %d minutes of use: alive is %t", tenMinutes*10, !want)
		}
	}
	ended := start()
	if err := p.EndSession(t.Context(), ended); err != nil || alive(ended) {
		t.Errorf("a session lives on after signing out: %v", err)
	}
	if n, err := p.PurgeSessions(t.Context()); err != nil || n != 2 {
		t.Errorf("purged %d sessions (%v), want the idle and the old one", n, err)
	}
	if alive("no such session") {
		t.Error("an unknown session is alive")
	}
}

func TestNothingThatSignsInIsKeptInClear(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	s := identity.New(pool, time.Now, nil)
	id, err := s.CreatePerson(t.Context(), identity.NewPerson{Email: "a@b", Name: "A", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	session, err := s.StartSession(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"people", "portal_sessions"} {
		text := dump(t.Context(), t, pool, table)
		if strings.Contains(text, password) || strings.Contains(text, session) {
			t.Errorf("%s holds a secret in clear: %s", table, text)
		}
		if text == "" {
			t.Errorf("%s is empty", table)
		}
	}
}

func dump(ctx context.Context, t *testing.T, q pg.Querier, table string) string {
	t.Helper()
	text, err := pg.Value[string](ctx, q, `SELECT coalesce(string_agg(t::text, E'\n'), '') FROM `+table+` t`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Who has a second factor proves with it who they are: a password that was found out is no proof.
func TestAPasswordProvesNothingBesideASecondFactor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Prove(t.Context(), ola, identity.Proof{Password: password}); err != nil {
		t.Fatal(err)
	}
	if err := p.Prove(t.Context(), ola, identity.Proof{Password: "not the password"}); !fault.HasCode(err,
		"password_wrong") {
		t.Errorf("a wrong password: %v", err)
	}
	for factor, sql := range map[string][2]string{
		"app":     {`UPDATE people SET totp_sealed = '\x00', totp_since = now() WHERE id = $1`, `UPDATE people SET totp_sealed = NULL, totp_since = NULL WHERE id = $1`},
		"passkey": {`INSERT INTO passkeys (person_id, credential_id, credential, name, created_at) VALUES ($1, '\x00', '{}', 'Key', now())`, `DELETE FROM passkeys WHERE person_id = $1`},
	} {
		if _, err := p.pool.Exec(t.Context(), sql[0], ola.ID); err != nil {
			t.Fatal(err)
		}
		if err := p.Prove(t.Context(), ola, identity.Proof{Password: password}); !fault.HasCode(err, "password_wrong") {
			t.Errorf("with the factor %s: %v", factor, err)
		}
		if _, err := p.pool.Exec(t.Context(), sql[1], ola.ID); err != nil {
			t.Fatal(err)
		}
		if err := p.Prove(t.Context(), ola, identity.Proof{Password: password}); err != nil {
			t.Errorf("without the factor %s: %v", factor, err)
		}
	}
}

package identity_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/testing/fixture"
)

// recorded is how many events of a person there are of one kind and outcome, from the address of the test.
func recorded(t *testing.T, w *fixture.World, person *int64, kind security.Kind, outcome string) int64 {
	t.Helper()
	if err := w.Security.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, err := pg.Value[int64](t.Context(), w.Pool, `
		SELECT coalesce(sum(count), 0)::bigint FROM security_events WHERE kind = @kind AND outcome = @outcome
			AND person_id IS NOT DISTINCT FROM @person::bigint AND address = '192.0.2.7'`,
		pg.Args{"kind": string(kind), "outcome": outcome, "person": person})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each outcome of a sign-in is recorded with its person and address, and five wrong codes bring the person one mail a
// day.
func TestOutcomesOfProofsAreRecorded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	at := netip.MustParseAddr("192.0.2.7")
	ctx := security.From(t.Context(), security.Origin{Address: at})
	from := identity.Visitor{Address: at}
	id, err := w.Identity.CreatePerson(ctx,
		identity.NewPerson{Email: "ola@example.org", Name: "Ola", Password: password,
			Grants: []identity.Grant{{Role: "system_admin", Scope: "system"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"ola@example.org", "nobody@example.org", "no\x00body@example.org"} {
		if _, err := w.Identity.SignIn(ctx, email, "wrong horse battery", from); code(err) != "sign_in_failed" {
			t.Fatal(err)
		}
	}
	p, err := w.Identity.SignIn(ctx, "ola@example.org", password, from)
	if err != nil {
		t.Fatal(err)
	}
	step, err := w.Identity.StartSecondStep(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for n := range 7 {
			want := map[bool]string{true: "code_wrong", false: "too_many_attempts"}[n < 5]
			if _, err := w.Identity.FinishSecondStep(ctx, step, "123456"); code(err) != want {
				t.Fatalf("code %d: %v", n, err)
			}
		}
		w.Clock.Advance(15 * time.Minute)
		if step, err = w.Identity.StartSecondStep(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Identity.Prove(ctx, p, identity.Proof{Password: "wrong"}); code(err) != "password_wrong" {
		t.Error(err)
	}
	if _, err := w.Identity.UsePasskey(ctx, "token", "{}"); code(err) != "passkey_refused" {
		t.Error(err)
	}
	if _, err := w.Identity.FindReset(ctx, "token"); code(err) != "reset_ended" {
		t.Error(err)
	}
	if _, err := w.Identity.FindInvitation(ctx, "token"); code(err) != "invitation_ended" {
		t.Error(err)
	}
	if _, err := w.Identity.Enter(ctx, p, from); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		person  *int64
		kind    security.Kind
		outcome string
		n       int64
	}{
		{&id, security.SignIn, "password_wrong", 1}, {nil, security.SignIn, "account_unknown", 2},
		{&id, security.SignIn, "code_wrong", 15}, {&id, security.SignIn, "too_many_attempts", 6},
		{&id, security.Proof, "password_wrong", 1}, {nil, security.SignIn, "passkey_refused", 1},
		{nil, security.Link, "reset_ended", 1}, {nil, security.Link, "invitation_ended", 1},
		{&id, security.SignIn, security.Succeeded, 1},
	} {
		if n := recorded(t, w, want.person, want.kind, want.outcome); n != want.n {
			t.Errorf("%s %s: %d, not %d", want.kind, want.outcome, n, want.n)
		}
	}
	if _, err := w.Mail.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	inbox, err := w.Mail.Inbox(t.Context())
	if err != nil || len(inbox) != 1 || inbox[0].To != "ola@example.org" ||
		!strings.Contains(inbox[0].Plain(), "192.0.2.7") {
		t.Errorf("%d mails, %v", len(inbox), err)
	}
	entries, err := pg.Value[int64](t.Context(), w.Pool, `SELECT count(*) FROM audit_entries
		WHERE person_id = @person AND after::text LIKE '%wrong_codes%' AND address = '192.0.2.7'`,
		pg.Args{"person": id})
	if err != nil || entries != 3 {
		t.Errorf("%d entries, %v", entries, err)
	}
}

// A locked account is recorded as such, with its person.
func TestLockedAccountsAreRecorded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ctx := security.From(t.Context(), security.Origin{Address: netip.MustParseAddr("192.0.2.7")})
	id, err := w.Identity.CreatePerson(ctx,
		identity.NewPerson{Email: "ola@example.org", Name: "Ola", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pg.Exec(ctx, w.Pool, `UPDATE people SET locked_until = @until WHERE id = @id`,
		pg.Args{"id": id, "until": w.Clock.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Identity.SignIn(ctx, "Ola@example.org", password,
		identity.Visitor{}); code(err) != "sign_in_failed" {
		t.Fatal(err)
	}
	if n := recorded(t, w, &id, security.SignIn, "account_locked"); n != 1 {
		t.Errorf("%d events", n)
	}
}

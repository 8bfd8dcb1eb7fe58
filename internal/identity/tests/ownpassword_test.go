package identity_test

import (
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
)

// signedIn is the person, signed in, and their session.
func (p people) signedIn(t *testing.T) (identity.Person, string) {
	t.Helper()
	ola, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := p.StartSession(t.Context(), p.id)
	if err != nil {
		t.Fatal(err)
	}
	return ola, session
}

// A new password is neither the current one, by whatever way it is set, nor made of the person's name or address.
func TestANewPasswordIsNew(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, session := p.signedIn(t)
	link, _, err := p.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin}, "ola@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{password, "ola@example.org", "Ola-Ola-Ola-Ola-Ola", "qwertyuiopasdfgh"} {
		if err := p.ChangePassword(t.Context(), ola, session, bad); !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("changed to %q: %v", bad, err)
		}
		if err := p.Reset(t.Context(), link, bad); !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("reset to %q: %v", bad, err)
		}
	}
	if err := p.Reset(t.Context(), link, "another good password"); err != nil {
		t.Errorf("the link no longer works: %v", err)
	}
	in := identity.NewPerson{Email: "avery@example.org", Name: "Avery Lindqvist", Password: "averylindqvist26"}
	if _, err := p.CreatePerson(t.Context(), in); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("a new person: %v", err)
	}
}

// None of the last four passwords can be chosen again, whether it was changed or reset (PCI DSS 8.3.7).
func TestTheLastFourPasswordsAreNotRepeated(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, session := p.signedIn(t)
	used := []string{password}
	change := func(to string) error { return p.ChangePassword(t.Context(), ola, session, to) }
	reset := func(to string) error {
		link, _, err := p.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin}, "ola@example.org")
		if err != nil {
			t.Fatal(err)
		}
		return p.Reset(t.Context(), link, to)
	}
	for _, next := range []string{"brisk heron lagoon", "quiet maple orbit", "velvet anchor storm"} {
		for _, set := range []func(string) error{change, reset} {
			for _, former := range used {
				if err := set(former); !fault.HasCode(err, "parameter_invalid") {
					t.Errorf("%q again after %q: %v", former, used, err)
				}
			}
		}
		if err := change(next); err != nil {
			t.Fatal(err)
		}
		used = append(used, next)
	}
	if err := change("amber tunnel forest"); err != nil {
		t.Fatal(err)
	}
	if err := change(password); err != nil {
		t.Errorf("the fifth password of before: %v", err)
	}
	kept, err := pg.Value[int](t.Context(), p.pool, `SELECT count(*) FROM former_passwords`, nil)
	if err != nil || kept != 3 {
		t.Errorf("%d former passwords are kept, %v", kept, err)
	}
}

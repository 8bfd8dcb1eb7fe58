package identity_test

import (
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
)

// A new password is neither the current one, however it is set, nor made of the person's name or address.
func TestANewPasswordIsNew(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := p.StartSession(t.Context(), p.id)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := p.ChangePassword(t.Context(), ola, session, password); err != nil {
		t.Errorf("a password of before the current one: %v", err)
	}
	in := identity.NewPerson{Email: "avery@example.org", Name: "Avery Lindqvist", Password: "averylindqvist26"}
	if _, err := p.CreatePerson(t.Context(), in); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("a new person: %v", err)
	}
}

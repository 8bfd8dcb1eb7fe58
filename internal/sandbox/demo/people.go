package demo

import (
	"context"
	"crypto/rand"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
)

// persona is someone of the demo.
type persona struct{ role, local, name, scope string }

// The people of the whole deployment, and those of one application.
var (
	deployment = []persona{
		{"system_admin", "system", "Sam Okafor", "system"},
		{"support_staff", "support", "Sol Marin", "system"},
	}
	staff = []persona{
		{"application_admin", "application", "Avery Lind", "app"},
		{"organization_admin", "organization", "Ola Brandt", "org"},
		{"organization_staff", "staff", "Remy Castel", "org"},
	}
)

// ensurePeople returns one working sign-in per role: those of before if they still work.
func (m Maker) ensurePeople(ctx context.Context, a Application, s story) ([]User, error) {
	if len(a.Users) > 0 {
		_, err := m.Identity.SignIn(ctx, a.Users[0].Email, a.Users[0].Password, identity.Visitor{})
		if err == nil || !fault.HasCode(err, "sign_in_failed") {
			return a.Users, err
		}
	}
	scopes := map[string]int64{"system": 0, "app": a.AppID, "org": a.OrganizationID}
	var users []User
	for _, p := range s.people {
		u := User{Email: p.local + "@" + s.host, Password: rand.Text(), Role: p.role}
		err := m.put(ctx, identity.NewPerson{Email: u.Email, Name: p.name, Password: u.Password,
			Grants: []identity.Grant{{Role: p.role, Scope: p.scope, ScopeID: scopes[p.scope]}}})
		if err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	return users, nil
}

func (m Maker) put(ctx context.Context, p identity.NewPerson) error {
	_, err := m.Identity.CreatePerson(ctx, p)
	if fault.HasCode(err, "email_taken") {
		return m.Identity.ResetPerson(ctx, p)
	}
	return err
}

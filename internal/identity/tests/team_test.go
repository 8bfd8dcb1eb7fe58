package identity_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// staffed is a world with someone in every role of the first application, of the other one, and of the deployment.
type staffed struct {
	*fixture.World
	people map[string]identity.Person // by their addresses' local part
}

func newStaffed(t *testing.T) staffed {
	t.Helper()
	s := staffed{fixture.New(t), map[string]identity.Person{}}
	for name, d := range map[string]struct {
		role authz.Role
		id   int64
	}{
		"sam": {authz.RoleSystemAdmin, 0}, "sol": {authz.RoleSupportStaff, 0},
		"avery": {authz.RoleApplicationAdmin, s.App.AppID}, "kit": {authz.RoleApplicationAdmin, s.Other.AppID},
		"ola":  {authz.RoleOrganizationAdmin, s.App.OrganizationID},
		"remy": {authz.RoleOrganizationStaff, s.App.OrganizationID},
		"hana": {authz.RoleOrganizationAdmin, s.Other.OrganizationID},
	} {
		s.add(name, d.role, d.id)
	}
	return s
}

// add makes a person with a role. Their password's hash is no one's: hashing takes long.
func (s staffed) add(name string, r authz.Role, scopeID int64) identity.Person {
	s.T.Helper()
	ctx := s.T.Context()
	id, err := pg.Value[int64](ctx, s.Pool, `
		INSERT INTO people (email, name, password_hash, created_at) VALUES (@email, @name, 'none', @now)
		ON CONFLICT (lower(email)) DO UPDATE SET name = excluded.name RETURNING id`,
		pg.Args{"email": name + "@example.org", "name": strings.ToUpper(name[:1]) + name[1:], "now": s.Clock.Now()})
	if err != nil {
		s.T.Fatal(err)
	}
	column := map[authz.Scope]string{authz.ScopeApplication: "application_id",
		authz.ScopeOrganization: "organization_id"}[r.Scope()]
	sql, args := `INSERT INTO grants (person_id, role, scope, created_at)
		VALUES (@id, @role, @scope, @now)`, pg.Args{"id": id, "role": r, "scope": r.Scope(), "now": s.Clock.Now()}
	if column != "" {
		sql = `INSERT INTO grants (person_id,
			role, scope, ` + column + `, created_at)
			VALUES (@id, @role, @scope, @of, @now)`
		args["of"] = scopeID
	}
	if _, err := pg.Exec(ctx, s.Pool, sql, args); err != nil {
		s.T.Fatal(err)
	}
	s.people[name] = s.reload(id)
	return s.people[name]
}

// reload signs a person in and reads who they are.
func (s staffed) reload(id int64) identity.Person {
	s.T.Helper()
	v, err := s.Identity.FindSession(s.T.Context(), s.session(id))
	if err != nil {
		s.T.Fatal(err)
	}
	return v.Person
}

func (s staffed) session(id int64) string {
	s.T.Helper()
	text, err := s.Identity.StartSession(s.T.Context(), id)
	if err != nil {
		s.T.Fatal(err)
	}
	return text
}

// as is a person where they act first.
func (s staffed) as(name string) authz.Actor {
	s.T.Helper()
	a, err := s.Identity.Act(s.T.Context(), identity.Session{Person: s.people[name]})
	if err != nil {
		s.T.Fatal(err)
	}
	return a.Actor
}

func (s staffed) grant(name string) int64 { return s.people[name].Grants[0].ID }

var all = page.Input[int64]{Limit: 50, Ascending: true}

// team lists the names in the team that a person sees, in order.
func (s staffed) team(name string) string {
	s.T.Helper()
	p, err := s.Identity.Team(s.T.Context(), s.as(name), identity.TeamInput{Page: all})
	if err != nil {
		return code(err)
	}
	var names []string
	for _, m := range p.Items {
		names = append(names, strings.ToLower(m.Name))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestEverybodySeesTheTeamOfTheirDomain(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	for name, want := range map[string]string{
		"sam": "avery ola remy sam sol", "sol": "avery ola remy sam sol", "avery": "avery ola remy", "kit": "hana kit",
		"ola": "ola remy", "hana": "hana", "remy": "permission_denied",
	} {
		if got := s.team(name); got != want {
			t.Errorf("%s sees %q, want %q", name, got, want)
		}
	}
	for name, sees := range map[string]string{"avery": "ola", "ola": "remy", "sam": "avery"} {
		m, err := s.Identity.Member(t.Context(), s.as(name), s.grant(sees))
		if err != nil || m.PersonID != s.people[sees].ID || m.Domain() != s.people[sees].Grants[0].Domain() ||
			m.ScopeName != s.people[sees].Grants[0].ScopeName {
			if sees != "avery" || m.Domain().ID != s.App.AppID {
				t.Errorf("%s sees %+v, %v", name, m, err)
			}
		}
	}
	for name, blind := range map[string]string{"avery": "sam", "kit": "ola", "ola": "avery", "hana": "remy"} {
		if _, err := s.Identity.Member(t.Context(), s.as(name), s.grant(blind)); code(err) != "resource_missing" {
			t.Errorf("%s sees %s: %v", name, blind, err)
		}
	}
}

// offers are who may offer which role where. Everything else is refused: 404 of what is not theirs.
func TestPeopleGrantNoMoreThanTheirOwnRole(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	domains := map[string]authz.Domain{"system": authz.System(),
		"app":       {Scope: authz.ScopeApplication, ID: s.App.AppID},
		"other app": {Scope: authz.ScopeApplication, ID: s.Other.AppID},
		"org":       {Scope: authz.ScopeOrganization, ID: s.App.OrganizationID},
		"other org": {Scope: authz.ScopeOrganization, ID: s.Other.OrganizationID},
		"no app":    {Scope: authz.ScopeApplication, ID: 999999}}
	allowed := map[string][]string{
		"sam":   {"system_admin system", "support_staff system", "application_admin app", "application_admin other app", "organization_admin org", "organization_staff org"},
		"avery": {"application_admin app", "organization_admin org", "organization_staff org"},
		"kit":   {"application_admin other app", "organization_admin other org", "organization_staff other org"},
		"ola":   {"organization_admin org", "organization_staff org"},
		"hana":  {"organization_admin other org", "organization_staff other org"},
	}
	for _, name := range slices.Sorted(maps.Keys(s.people)) {
		for _, role := range authz.PeopleRoles() {
			for place, d := range domains {
				in := identity.NewInvitation{Email: name + "-" + string(role) + "@example.org", Role: role, Domain: d}
				_, err := s.Identity.Invite(t.Context(), s.as(name), in)
				want := slices.Contains(allowed[name], string(role)+" "+place)
				if (err == nil) != want {
					t.Errorf("%s offers %s in %s: %v, want %v", name, role, place, err, want)
				}
				if f, ok := fault.As(err); err != nil &&
					(!ok || !slices.Contains([]string{"permission_denied", "resource_missing", "role_too_wide",
						"parameter_invalid"}, f.Code)) {
					t.Errorf("%s offers %s in %s: %v", name, role, place, err)
				}
			}
		}
	}
	for name, want := range map[string]int{"sam": 5, "avery": 3, "ola": 2, "remy": 1} {
		if got := identity.Grantable(s.as(name)); len(got) != want {
			t.Errorf("%s could give %v", name, got)
		}
	}
}

func TestChangesOfRoles(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	for _, c := range []struct {
		by, of string
		to     authz.Role // "" takes it away
		want   string
	}{
		{"remy", "ola", authz.RoleOrganizationStaff, "permission_denied"},
		{"sol", "remy", "", "permission_denied"},
		{"hana", "remy", authz.RoleOrganizationAdmin, "resource_missing"},
		{"kit", "avery", "", "resource_missing"},
		{"avery", "sam", "", "resource_missing"},
		{"ola", "avery", "", "resource_missing"},
		{"ola", "remy", authz.RoleApplicationAdmin, "parameter_invalid"},
		{"ola", "remy", "nobody", "parameter_invalid"},
		{"ola", "ola", authz.RoleOrganizationStaff, "last_administrator"},
		{"ola", "ola", "", "last_administrator"},
		{"sam", "ola", "", "last_administrator"},
		{"sam", "sam", authz.RoleSupportStaff, "last_administrator"},
		{"avery", "avery", "", "last_administrator"},
		{"ola", "remy", authz.RoleOrganizationStaff, ""}, // as it is
		{"ola", "remy", authz.RoleOrganizationAdmin, ""},
		{"remy", "ola", authz.RoleOrganizationStaff, ""}, // now there are two
		{"avery", "ola", "", ""},
		{"sam", "sol", authz.RoleSystemAdmin, ""},
		{"sol", "sam", "", ""},
	} {
		if c.by == "remy" && c.want == "" || c.by == "sol" && c.want == "" {
			s.people[c.by] = s.reload(s.people[c.by].ID)
		}
		kept := s.session(s.people[c.of].ID)
		var err error
		if c.to == "" {
			_, err = s.Identity.RemoveMember(ctx, s.as(c.by), s.grant(c.of))
		} else {
			_, err = s.Identity.SetRole(ctx, s.as(c.by), s.grant(c.of), c.to)
		}
		if got := code(err); got != c.want && !(c.want == "" && err == nil) {
			t.Errorf("%s makes %s %q: %v, want %s", c.by, c.of, c.to, err, c.want)
		}
		changed := c.want == "" && string(c.to) != s.people[c.of].Grants[0].Role
		if _, err := s.Identity.FindSession(ctx, kept); errors.Is(err, identity.ErrNoSession) != changed {
			t.Errorf("%s makes %s %q: their session: %v", c.by, c.of, c.to, err)
		}
	}
	if p := s.reload(s.people["ola"].ID); len(p.Grants) != 0 {
		t.Errorf("ola has %+v", p.Grants)
	}
	if _, err := s.Identity.Act(ctx, identity.Session{Person: s.reload(s.people["sam"].ID)}); code(
		err) != "role_missing" {
		t.Errorf("sam acts: %v", err)
	}
}

func TestRemovedPeoplesOffersEnd(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	s.add("second", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	offer := identity.NewInvitation{Email: "friend@example.org", Role: authz.RoleOrganizationAdmin,
		Domain: s.people["second"].Grants[0].Domain()}
	i, err := s.Identity.Invite(t.Context(), s.as("second"), offer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.RemoveMember(t.Context(), s.as("ola"), s.grant("second")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.FindInvitation(t.Context(), i.Token); code(err) != "invitation_ended" {
		t.Errorf("a removed person's offer: %v", err)
	}
	first := s.offer("ola", "friend@example.org", authz.RoleOrganizationStaff, s.App.OrganizationID)
	s.offer("ola", "friend@example.org", authz.RoleOrganizationStaff, s.App.OrganizationID)
	for _, ended := range []int64{i.ID, first.ID} { // each is in the log twice: made, and withdrawn
		n, err := pg.Value[int](t.Context(), s.Pool, `
			SELECT count(*)::int FROM audit_entries WHERE subject_kind = 'invitation' AND subject_id = @id::bigint::text
				AND outcome = 'done'`, pg.Args{"id": ended})
		if err != nil || n != 2 {
			t.Errorf("the offer %d is in the log %d times: %v", ended, n, err)
		}
	}
}

func TestPlacesAndSwitching(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	s.add("ola", authz.RoleOrganizationStaff, s.Other.OrganizationID)
	v, err := s.Identity.FindSession(ctx, s.session(s.people["ola"].ID))
	if err != nil || len(v.Grants) != 2 || v.Domain.Whole() {
		t.Fatalf("%+v, %v", v, err)
	}
	in, err := s.Identity.Act(ctx, v)
	places := in.Places
	if err != nil || len(places) != 2 || places[0].Application.ID == places[1].Application.ID ||
		places[0].Organization.Name == "" {
		t.Fatalf("%+v, %v", places, err)
	}
	id := s.session(v.ID)
	for _, p := range places {
		if err := s.Identity.Switch(ctx, id, v, p.Domain, 0); err != nil {
			t.Fatal(err)
		}
		now, err := s.Identity.FindSession(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Identity.Act(ctx, now)
		if err != nil || a.Actor.Domain() != p.Domain || a.Actor.OrganizationID != p.Organization.ID ||
			a.Actor.ApplicationID != p.Application.ID ||
			a.Actor.Role != p.Role || len(a.Actor.Merchants) != 3 || a.Place != p || a.Actor.PersonName != "Ola" {
			t.Errorf("%+v acts as %+v, %v", p, a, err)
		}
		for _, m := range a.Actor.Merchants {
			if _, err := s.Merchants.Get(ctx, a.Actor, m); err != nil {
				t.Errorf("merchant %d of %s: %v", m, p.Domain, err)
			}
		}
	}
	for _, d := range []authz.Domain{authz.System(), {Scope: authz.ScopeApplication, ID: s.App.AppID},
		{Scope: authz.ScopeOrganization, ID: 999999}, {}} {
		if err := s.Identity.Switch(ctx, id, v, d, 0); code(err) != "resource_missing" {
			t.Errorf("%s: %v", d, err)
		}
	}
}

func TestPeopleOfTheDeploymentWorkInOneApplication(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	id := s.session(s.people["sol"].ID)
	at := func() int64 {
		t.Helper()
		v, err := s.Identity.FindSession(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Identity.Act(ctx, v)
		if err != nil || a.Actor.Domain() != authz.System() || a.Actor.OrganizationID != 0 ||
			len(a.Actor.Merchants) > 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.Actor.ApplicationID
	}
	if at() != s.App.AppID {
		t.Error("who chose none does not work in the first")
	}
	v := identity.Session{Person: s.people["sol"]}
	if err := s.Identity.Switch(ctx, id, v, authz.System(), s.Other.AppID); err != nil || at() != s.Other.AppID {
		t.Errorf("%v", err)
	}
	if err := s.Identity.Switch(ctx, id, v, authz.System(), 999999); code(err) != "resource_missing" ||
		at() != s.Other.AppID {
		t.Errorf("an application that is none: %v", err)
	}
	if a, err := s.Identity.Act(ctx, v); err != nil || len(a.Places) != 2 ||
		a.Places[0].Role != authz.RoleSupportStaff {
		t.Errorf("%+v, %v", a, err)
	}
	if err := s.Identity.Switch(ctx, s.session(s.people["remy"].ID), v, authz.System(),
		0); code(err) != "resource_missing" {
		t.Errorf("another's session: %v", err)
	}
}

func TestADeploymentWithoutApplications(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	v, err := p.FindSession(t.Context(), func() string { id, _ := p.StartSession(t.Context(), p.id); return id }())
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Act(t.Context(), v)
	if err != nil || a.Actor.ApplicationID != 0 || a.Actor.Role != authz.RoleSystemAdmin || len(a.Places) != 1 ||
		a.Places[0] != a.Place {
		t.Errorf("%+v, %v", a, err)
	}
	p.clock.Advance(time.Hour)
}

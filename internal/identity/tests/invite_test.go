package identity_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/policy"
)

func (s staffed) offer(by, email string, r authz.Role, scopeID int64) identity.Invited {
	s.T.Helper()
	i, err := s.Identity.Invite(s.T.Context(), s.as(by),
		identity.NewInvitation{Email: email, Role: r, Domain: authz.Domain{Scope: r.Scope(), ID: scopeID}})
	if err != nil {
		s.T.Fatal(err)
	}
	return i
}

func TestInvitationMakesAPersonOnce(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	var sent []identity.Invited
	s.Identity.SendInvitations(func(_ *pg.Tx, i identity.Invited) error { sent = append(sent, i); return nil })
	i := s.offer("ola", " New@Example.org ", authz.RoleOrganizationStaff, s.App.OrganizationID)
	if len(sent) != 1 || sent[0].Token != i.Token || len(i.Token) != 43 || i.Email != "New@example.org" ||
		i.InvitedBy != "Ola" || i.Known ||
		i.ScopeName != "Riverside Community Trust" || i.ExpiresAt.Sub(i.CreatedAt.Time) != 7*24*time.Hour {
		t.Errorf("%+v, sent %+v", i, sent)
	}
	if text := dump(ctx, t, s.Pool, "invitations"); strings.Contains(text, i.Token) || text == "" {
		t.Errorf("the link is kept: %s", text)
	}
	for name, in := range map[string]identity.Acceptance{
		"no name": {Password: password}, "a short password": {Name: "Noa", Password: "short"},
		"a common one": {Name: "Noa", Password: "passwordpassword"},
	} {
		if _, err := s.Identity.Accept(ctx, i.Token, in); code(err) != "parameter_invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := s.Identity.FindInvitation(ctx, i.Token); err != nil || found.ID != i.ID ||
		found.Domain() != (authz.Domain{Scope: authz.ScopeOrganization, ID: s.App.OrganizationID}) {
		t.Errorf("%+v, %v", found, err)
	}
	id, err := s.Identity.Accept(ctx, i.Token, identity.Acceptance{Name: "Noa Berg", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Identity.SignIn(ctx, "new@example.org", password, identity.Visitor{})
	if err != nil || p.ID != id || p.Name != "Noa Berg" || len(p.Grants) != 1 ||
		p.Grants[0].Role != "organization_staff" || p.Grants[0].ScopeID != s.App.OrganizationID {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{i.Token, "", "nothing", strings.Repeat("A", 43)} {
		if _, err := s.Identity.Accept(ctx, text, identity.Acceptance{Name: "Again", Password: password}); code(
			err) != "invitation_ended" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	ended := func(what string, i identity.Invited) {
		t.Helper()
		if _, err := s.Identity.FindInvitation(ctx, i.Token); code(err) != "invitation_ended" {
			t.Errorf("%s: %v", what, err)
		}
	}
	first := s.offer("ola", "a@example.org", authz.RoleOrganizationStaff, s.App.OrganizationID)
	second := s.offer("avery", "A@example.org", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	ended("offered anew", first)
	other := s.offer("kit", "a@example.org", authz.RoleOrganizationStaff, s.Other.OrganizationID)
	for by, want := range map[string]string{"hana": "resource_missing", "remy": "permission_denied",
		"sol": "permission_denied"} {
		if _, err := s.Identity.Withdraw(ctx, s.as(by), second.ID); code(err) != want {
			t.Errorf("%s withdraws: %v", by, err)
		}
	}
	open := func(by string) int {
		p, err := s.Identity.Invitations(ctx, s.as(by), all)
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Items)
	}
	if open("ola") != 1 || open("avery") != 1 || open("kit") != 1 || open("hana") != 1 || open("sam") != 1 {
		t.Error("other offers are seen than those of the team")
	}
	for range 2 {
		if i, err := s.Identity.Withdraw(ctx, s.as("ola"), second.ID); err != nil || i.WithdrawnAt == nil {
			t.Errorf("%+v, %v", i, err)
		}
	}
	ended("withdrawn", second)
	s.Clock.Advance(7*24*time.Hour - time.Millisecond)
	if _, err := s.Identity.FindInvitation(ctx, other.Token); err != nil {
		t.Error(err)
	}
	s.Clock.Advance(time.Millisecond)
	ended("after seven days", other)
	if open("ola") != 0 || open("kit") != 0 {
		t.Error("ended offers are listed")
	}
}

// Who signs in already accepts as themselves, and keeps the wider role.
func TestInvitationsToPeopleWhoAreThere(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	i := s.offer("kit", "Remy@Example.ORG", authz.RoleOrganizationAdmin, s.Other.OrganizationID)
	if !i.Known {
		t.Error("remy is not known")
	}
	if _, err := s.Identity.Accept(ctx, i.Token, identity.Acceptance{Name: "Mallory", Password: password}); code(
		err) != "sign_in_first" {
		t.Errorf("whoever has the link becomes remy: %v", err)
	}
	if err := s.Identity.AcceptAs(ctx, i.Token, s.people["ola"]); code(err) != "invitation_ended" {
		t.Errorf("ola takes remy's: %v", err)
	}
	kept := s.session(s.people["remy"].ID)
	if err := s.Identity.AcceptAs(ctx, i.Token, s.people["remy"]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.FindSession(ctx, kept); err == nil {
		t.Error("the session did not end with the change of rights")
	}
	if p := s.reload(s.people["remy"].ID); len(p.Grants) != 2 {
		t.Errorf("%+v", p.Grants)
	}
	lesser := s.offer("kit", "remy@example.org", authz.RoleOrganizationStaff, s.Other.OrganizationID)
	if err := s.Identity.AcceptAs(ctx, lesser.Token, s.people["remy"]); err != nil {
		t.Fatal(err)
	}
	wider := s.offer("ola", "remy@example.org", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	if err := s.Identity.AcceptAs(ctx, wider.Token, s.people["remy"]); err != nil {
		t.Fatal(err)
	}
	for _, g := range s.reload(s.people["remy"].ID).Grants {
		if g.Role != "organization_admin" {
			t.Errorf("%+v", g)
		}
	}
}

func TestAcceptedOnceByMany(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	i := s.offer("ola", "remy@example.org", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	var all sync.WaitGroup
	var done atomic.Int64
	for range 8 {
		all.Go(func() {
			if err := s.Identity.AcceptAs(t.Context(), i.Token, s.people["remy"]); err == nil {
				done.Add(1)
			} else if code(err) != "invitation_ended" {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 {
		t.Errorf("accepted %d times", done.Load())
	}
}

func TestInvitationsAreChecked(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	org := authz.Domain{Scope: authz.ScopeOrganization, ID: s.App.OrganizationID}
	for _, email := range []string{"", "nobody", "@", "a@", "a b@c", "a@b\x00", "\xff@b",
		strings.Repeat("a", 300) + "@b"} {
		_, err := s.Identity.Invite(t.Context(), s.as("ola"),
			identity.NewInvitation{Email: email, Role: authz.RoleOrganizationStaff, Domain: org})
		if f, ok := fault.As(err); !ok || f.Code != "parameter_invalid" || f.Param != "email" {
			t.Errorf("%q: %v", email, err)
		}
	}
}

// The log has every offer, change and refusal, in the log of the application that it concerns.
func TestTeamsAreInTheLog(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	ctx := t.Context()
	i := s.offer("ola", "remy@example.org", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	if err := s.Identity.AcceptAs(ctx, i.Token, s.people["remy"]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.SetRole(ctx, s.as("ola"), s.grant("remy"), authz.RoleOrganizationStaff); err != nil {
		t.Fatal(err)
	}
	s.offer("sam", "root@example.org", authz.RoleSystemAdmin, 0)
	if _, err := s.Identity.RemoveMember(ctx, s.as("sol"), s.grant("remy")); code(err) != "permission_denied" {
		t.Fatal(err)
	}
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	log := audit.New(s.Pool, rules, s.Clock.Now)
	p, err := log.List(ctx, s.as("sam"), audit.ListInput{Page: page.Input[ids.AuditEntry]{Limit: 50, Ascending: true},
		People: []int64{s.people["ola"].ID,
			s.people["remy"].ID, s.people["sam"].ID, s.people["sol"].ID}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"team:manage invitation done": true, "invitation:accept grant done": true,
		"team:manage grant done":             true,
		"system_user:manage invitation done": true, "team:manage grant denied": true}
	for _, e := range p.Items {
		line := string(e.Permission) + " " + e.SubjectKind + " " + string(e.Outcome)
		if !want[line] {
			t.Errorf("%s: %+v", line, e)
		}
		delete(want, line)
		if system := e.Permission == authz.SystemUserManage; (e.ApplicationID == 0) != system || !system &&
			e.Outcome == audit.Done && (e.OrganizationID == nil || *e.OrganizationID != s.App.OrganizationID) {
			t.Errorf("%s is in the log %d of organization %v", line, e.ApplicationID, e.OrganizationID)
		}
		if strings.Contains(string(e.After), i.Token) {
			t.Error("the log has the link")
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the log: %v", want)
	}
}

package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/web"
)

// grantOf is the id of the one grant of the person with that address.
func (w *world) grantOf(email string) int64 {
	w.t.Helper()
	id, err := pg.Value[int64](w.t.Context(), w.Pool, `SELECT g.id FROM grants g JOIN people p ON p.id = g.person_id
		WHERE p.email = @email`, pg.Args{"email": email})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// member adds someone with a role in the first application, or in its organization, and returns where the form about
// them is.
func (w *world) member(email, name string, r authz.Role, in demo.Application) string {
	w.t.Helper()
	g := identity.Grant{Role: string(r), Scope: string(r.Scope())}
	switch r.Scope() {
	case authz.ScopeApplication:
		g.ScopeID = in.AppID
	case authz.ScopeOrganization:
		g.ScopeID = in.OrganizationID
	}
	w.invent(email, name, g)
	return fmt.Sprint(web.TeamPath, "/", w.grantOf(email))
}

// done counts the acts of a permission in the audit log.
func (w *world) done(p authz.Permission) int64 {
	w.t.Helper()
	n, err := pg.Value[int64](w.t.Context(), w.Pool, `SELECT count(*) FROM audit_entries
		WHERE outcome = @done AND permission = @p`, pg.Args{"done": audit.Done, "p": p})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestTheTeamIsThatOfThePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.member("ola@example.org", "Ola Brandt", authz.RoleOrganizationAdmin, w.App)
	w.member("avery@example.org", "Avery Lind", authz.RoleApplicationAdmin, w.App)
	w.member("piet@example.org", "Piet Harbor", authz.RoleOrganizationStaff, w.Other)
	organization, application, support := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleApplicationAdmin),
		w.as(authz.RoleSupportStaff)
	own := w.send(web.TeamPath, nil, "Cookie", organization)
	own.wants(t, http.StatusOK, "")
	own.says(t, "Ola Brandt", "ola@example.org", "(you)", "Organization administrator", "Riverside Community Trust",
		"Invite member")
	own.lacks(t, "Avery Lind", "Piet Harbor", "Dana Reed")
	app := w.send(web.TeamPath, nil, "Cookie", application)
	app.says(t, "Ola Brandt", "Avery Lind")
	app.lacks(t, "Piet Harbor", "Dana Reed")
	looks := w.send(web.TeamPath, nil, "Cookie", support)
	looks.says(t, "Ola Brandt", "Dana Reed")
	looks.lacks(t, "Invite member", web.TeamPath+"/1")

	only := w.send(web.TeamPath+"?role=application_admin", nil, "Cookie", application)
	only.says(t, "Avery Lind")
	only.lacks(t, "Ola Brandt")
	w.send(web.TeamPath+"?role=organization_staff", nil, "Cookie", organization).says(t, "Clear")
	w.send(web.TeamPath+"?role=&organization=", nil, "Cookie", application).wants(t, http.StatusSeeOther, web.TeamPath)
}

func TestARoleIsChangedAndTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, at := w.as(authz.RoleOrganizationAdmin), w.member("remy@example.org", "Remy Castel",
		authz.RoleOrganizationStaff, w.App)
	form := w.send(at, nil, "Cookie", admin)
	form.wants(t, http.StatusOK, "")
	form.says(t, "Remy Castel", `hx-post="`+at+`/role"`, `hx-post="`+at+`/remove"`, "Organization administrator")
	form.lacks(t, "Application administrator") // wider than one's own
	changed := w.send(at+"/role", url.Values{"role": {"organization_admin"}}, "Cookie", admin)
	changed.wants(t, http.StatusSeeOther, web.TeamPath)
	w.send(web.TeamPath, nil, "Cookie", admin+"; "+web.FlashCookie+"="+changed.cookie(t, web.FlashCookie).Value).says(t,
		"Role updated")
	// again: nothing
	w.send(at+"/role", url.Values{"role": {"organization_admin"}}, "Cookie", admin).wants(t, http.StatusSeeOther,
		web.TeamPath)
	if n := w.done(authz.TeamManage); n != 1 {
		t.Errorf("%d entries of the one change", n)
	}
	wrong := w.send(at+"/role", url.Values{"role": {"application_admin"}}, "Cookie", admin)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, "be assigned here.", "Remy Castel")

	w.send(at+"/remove", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.TeamPath)
	w.send(at+"/remove", url.Values{}, "Cookie", admin).wants(t, http.StatusNotFound, "")
	w.send(web.TeamPath, nil, "Cookie", admin).lacks(t, "Remy Castel")
}

// A role that changes ends the person's sessions: no one goes on with rights of before.
func TestWhoseRoleChangesIsSignedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, at := w.as(authz.RoleOrganizationAdmin), w.member("remy@example.org", "Remy Castel",
		authz.RoleOrganizationStaff, w.App)
	a := w.send(web.LoginPath, login("remy@example.org", password))
	remy := web.CookieName + "=" + a.cookie(t, web.CookieName).Value
	w.send(web.Home, nil, "Cookie", remy).wants(t, http.StatusOK, "")
	w.send(at+"/role", url.Values{"role": {"organization_admin"}}, "Cookie", admin).wants(t, http.StatusSeeOther,
		web.TeamPath)
	w.send(web.Home, nil, "Cookie", remy).wants(t, http.StatusSeeOther, web.LoginPath+"?notice=ended")
}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	at := fmt.Sprint(web.TeamPath, "/", w.grantOf("organization_admin.1@example.org"))
	for _, form := range []struct {
		path   string
		values url.Values
	}{{"/role", url.Values{"role": {"organization_staff"}}}, {"/remove", url.Values{}}} {
		a := w.send(at+form.path, form.values, "Cookie", admin)
		a.wants(t, http.StatusConflict, "")
		a.says(t, "Add another administrator before removing this one.", "Save role")
	}
	w.send(web.Home, nil, "Cookie", admin).wants(t, http.StatusOK, "")
}

// Someone of another organization, of another application, or with a wider role is out of reach.
func TestOthersMembersAreMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	for _, at := range []string{
		w.member("piet@example.org", "Piet Harbor", authz.RoleOrganizationStaff, w.Other),
		w.member("avery@example.org", "Avery Lind", authz.RoleApplicationAdmin, w.App),
		fmt.Sprint(web.TeamPath, "/", w.grantOf(dana)), web.TeamPath + "/999999", web.TeamPath +
			"/x", web.TeamPath + "/01",
	} {
		w.send(at, nil, "Cookie", admin).wants(t, http.StatusNotFound, "")
		for _, act := range []string{"/role", "/remove"} {
			w.send(at+act, url.Values{"role": {"organization_staff"}}, "Cookie", admin).wants(t,
				http.StatusNotFound, "")
		}
	}
	if n := w.done(authz.TeamManage); n != 0 {
		t.Errorf("%d changes", n)
	}
}

var invitationLink = regexp.MustCompile(`http://localhost:8080(/portal/invite/[\w-]+)`)

// invited has an administrator invite someone and returns the path of the link.
func (w *world) invited(cookie, email, place string) string {
	w.t.Helper()
	a := w.send(web.InvitePath, url.Values{"email": {email}, "place": {place}}, "Cookie", cookie)
	a.wants(w.t, http.StatusOK, "")
	found := invitationLink.FindStringSubmatch(a.body)
	if found == nil {
		w.t.Fatalf("no link:\n%s", a.body)
	}
	return found[1]
}

func (w *world) staffHere() string {
	return fmt.Sprintf("organization_staff@org:%d", w.App.OrganizationID)
}

func TestSomebodyNewIsInvited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	form := w.send(web.InvitePath, nil, "Cookie", admin)
	form.says(t, w.staffHere(), fmt.Sprintf("organization_admin@org:%d", w.App.OrganizationID))
	form.lacks(t, "application_admin@", "system_admin@", fmt.Sprintf("@org:%d", w.Other.OrganizationID))
	link := w.invited(admin, "jo@example.org", w.staffHere())
	w.send(web.TeamPath, nil, "Cookie", admin).says(t, "jo@example.org", "Not accepted yet", "Revoke")

	offer := w.send(link, nil)
	offer.wants(t, http.StatusOK, "")
	offer.says(t, "Kim Vale invited you", "Riverside Community Trust", "jo@example.org")
	short := w.send(link, url.Values{"name": {"Jo Winter"}, "password": {"too short"}})
	short.wants(t, http.StatusUnprocessableEntity, "")
	short.says(t, `value="Jo Winter"`, "15")
	short.lacks(t, "too short") // what was typed as a password is not sent back
	w.send(link, url.Values{"name": {"Jo Winter"}, "password": {password}}).wants(t, http.StatusSeeOther,
		web.LoginPath+"?notice=accepted")
	w.send(link, nil).wants(t, http.StatusGone, "")
	w.send(link, url.Values{"name": {"Jo Winter"}, "password": {password}}).wants(t, http.StatusGone, "")
	in := w.send(web.LoginPath, login("jo@example.org", password))
	in.wants(t, http.StatusSeeOther, web.Home)
	w.send(web.TeamPath, nil, "Cookie", admin).says(t, "Jo Winter")
}

func TestWhoHasAnAccountAcceptsAsThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := w.invited(w.as(authz.RoleOrganizationAdmin), dana, w.staffHere())
	w.send(link, nil).says(t, "Sign in to accept.", web.LoginPath+"?return=")
	// an address is taken over by no one
	w.send(link, url.Values{"name": {"Eve"}, "password": {password}}).wants(t, http.StatusConflict, "")
	other := w.as(authz.RoleOrganizationStaff)
	w.send(link, nil, "Cookie", other).says(t, "This invitation was sent to a different email.")
	w.send(link, url.Values{}, "Cookie", other).wants(t, http.StatusConflict, "")
	mine := w.signedIn()
	w.send(link, nil, "Cookie", mine).says(t, "Accept as Dana Reed")
	w.send(link, url.Values{}, "Cookie", mine).wants(t, http.StatusSeeOther, web.LoginPath+"?notice=accepted")
	// with other rights than before
	w.send(web.Home, nil, "Cookie", mine).wants(t, http.StatusSeeOther, web.LoginPath+"?notice=ended")
}

func TestAnInvitationIsTakenBackOrExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, foreign := w.as(authz.RoleOrganizationAdmin), w.in(authz.RoleOrganizationAdmin, w.Other)
	link := w.invited(admin, "jo@example.org", w.staffHere())
	id, err := pg.Value[int64](t.Context(), w.Pool, `SELECT id FROM invitations`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	withdraw := fmt.Sprint(web.TeamPath, "/invitations/", id, "/withdraw")
	w.send(withdraw, url.Values{}, "Cookie", foreign).wants(t, http.StatusNotFound, "")
	w.send(link, nil).wants(t, http.StatusOK, "")
	for range 2 {
		w.send(withdraw, url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.TeamPath)
	}
	w.send(link, nil).says(t, "has expired, was taken back or has been accepted")
	if n := w.done(authz.TeamManage); n != 2 { // made and taken back
		t.Errorf("%d entries", n)
	}
	late := w.invited(admin, "late@example.org", w.staffHere())
	w.pass(8 * 24 * time.Hour)
	w.send(late, nil).wants(t, http.StatusGone, "")
	w.send("/portal/invite/nonsense", nil).wants(t, http.StatusGone, "")
}

func TestWhatAnInvitationRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	bad := w.send(web.InvitePath, url.Values{"email": {"nowhere"}, "place": {w.staffHere()}}, "Cookie", admin)
	bad.wants(t, http.StatusUnprocessableEntity, "")
	bad.says(t, `value="nowhere"`, `aria-invalid="true"`)
	for _, place := range []string{"", "x", "organization_staff@", "organization_staff@org:0"} {
		a := w.send(web.InvitePath, url.Values{"email": {"jo@example.org"}, "place": {place}}, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Choose a role.", `value="jo@example.org"`)
	}
	// Forms that no one draws: a wider role, and places of others.
	for place, status := range map[string]int{
		fmt.Sprintf("application_admin@app:%d", w.App.AppID):             http.StatusForbidden,
		"system_admin@system":                                            http.StatusForbidden,
		fmt.Sprintf("organization_staff@org:%d", w.Other.OrganizationID): http.StatusNotFound,
	} {
		w.send(web.InvitePath, url.Values{"email": {"jo@example.org"}, "place": {place}}, "Cookie", admin).wants(t,
			status, "")
	}
	if n, err := pg.Value[int64](t.Context(), w.Pool, `SELECT count(*) FROM invitations`, pg.Args{}); err != nil ||
		n != 0 {
		t.Errorf("%d invitations, %v", n, err)
	}
}

// TestEveryInvitationCanBeReached: the team shows the newest fifty and leads to a list of all.
func TestEveryInvitationCanBeReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	w.invited(admin, "first@example.org", w.staffHere())
	w.send(web.TeamPath, nil, "Cookie", admin).lacks(t, "All invitations")
	_, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO invitations (token_hash, email, role, scope, application_id, organization_id, invited_by,
			created_at, expires_at)
		SELECT sha256(n::text::bytea), 'p' || n || '@example.org', role, scope, application_id, organization_id,
			invited_by, created_at, expires_at
		FROM invitations, generate_series(1, 50) n`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	team := w.send(web.TeamPath, nil, "Cookie", admin)
	team.says(t, "All invitations", `href="`+web.InvitationsPath+`"`)
	team.lacks(t, "first@example.org")
	newest := w.send(web.InvitationsPath, nil, "Cookie", admin)
	newest.says(t, "p50@example.org", "50 invitations on this page")
	newest.lacks(t, "first@example.org")
	next := regexp.MustCompile(regexp.QuoteMeta(web.InvitationsPath) + `\?after=\d+`).FindString(newest.body)
	w.send(next, nil, "Cookie", admin).says(t, "first@example.org", "1 invitation on this page", "/withdraw")
	w.send(web.InvitationsPath, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).says(t, "No invitations")
}

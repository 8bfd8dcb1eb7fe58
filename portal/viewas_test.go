package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

// viewing has someone look through a role of the first application, or of its organization.
func (w *world) viewing(cookie string, r authz.Role) {
	w.t.Helper()
	id := w.App.OrganizationID
	if r.Scope() == authz.ScopeApplication {
		id = w.App.AppID
	}
	place := string(r) + "@" + authz.Domain{Scope: r.Scope(), ID: id}.String()
	w.send(web.ViewPath, url.Values{"place": {place}, "reason": {"Ticket 4711"}}, "Cookie", cookie).wants(w.t,
		http.StatusSeeOther, web.Home)
}

func TestWhoViewsAsSeesWhatTheRoleSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	support := w.as(authz.RoleSupportStaff)
	w.send(web.ViewPath, nil, "Cookie", support).says(t, fmt.Sprintf("organization_staff@org:%d", w.App.OrganizationID),
		"for 30 minutes")
	w.send(web.Home, nil, "Cookie", support).lacks(t, "Viewing as")
	w.viewing(support, authz.RoleOrganizationStaff)
	a := w.send(web.Home, nil, "Cookie", support)
	a.says(t, "Viewing as Organization staff, Riverside Community Trust. Read-only until", "Exit")
	a.lacks(t, `href="`+web.TeamPath+`"`, `href="`+web.ViewPath+`"`)
	w.send(web.TeamPath, nil, "Cookie", support).wants(t, http.StatusForbidden, "")
	w.send("/portal/charges", nil, "Cookie", support).wants(t, http.StatusOK, "")

	w.send(web.ViewPath+"/end", url.Values{}, "Cookie", support).wants(t, http.StatusSeeOther, web.Home)
	w.send(web.TeamPath, nil, "Cookie", support).wants(t, http.StatusOK, "")
	entries := w.entries(authz.ViewAs)
	if len(entries) != 2 || !strings.Contains(string(entries[0].After)+string(entries[1].After), "Ticket 4711") {
		t.Errorf("%+v", entries)
	}
	for _, e := range entries {
		if e.Role != authz.RoleSupportStaff || e.OrganizationID == nil || *e.OrganizationID != w.App.OrganizationID {
			t.Errorf("%+v", e)
		}
	}
}

// A view changes nothing, whatever its role or one's own may do, and shows nothing that one's own role may not see.
func TestAViewIsReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for own, role := range map[authz.Role]authz.Role{authz.RoleSystemAdmin: authz.RoleOrganizationAdmin,
		authz.RoleSupportStaff: authz.RoleApplicationAdmin} {
		cookie := w.as(own)
		w.viewing(cookie, role)
		before := w.changes()
		for _, r := range w.routes() {
			if r.Method != http.MethodPost || r.Needs == web.Public || r.Needs == web.SignedIn {
				continue
			}
			if a := w.send(sampleOf(r.Path), formOf(r.Method), "Cookie",
				cookie); a.StatusCode != http.StatusForbidden && !strings.HasSuffix(string(r.Needs), ":read") {
				t.Errorf("%s as %s: %s is %d", own, role, r.Path, a.StatusCode)
			}
		}
		if n := w.changes() - before; n != 0 {
			t.Errorf("%s as %s made %d changes", own, role, n)
		}
	}
	through := w.Person(authz.RoleApplicationAdmin)
	for viewer, may := range map[authz.Role]bool{"": true, authz.RoleSupportStaff: false, authz.RoleSystemAdmin: true} {
		if through.Viewer = viewer; (w.Audit.Check(through, authz.ContentRead) == nil) != may {
			t.Errorf("%q reads bodies of requests through an application's administrator: %v", viewer, !may)
		}
	}
}

// Who works elsewhere from now on does so as themselves.
func TestAViewEndsWithAChangeOfPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	w.viewing(admin, authz.RoleOrganizationStaff)
	moved := w.send(web.SwitchPath, url.Values{"place": {fmt.Sprint("system/", w.Other.AppID)}, "return": {web.Home}},
		"Cookie", admin)
	moved.wants(t, http.StatusSeeOther, web.Home)
	a := w.send(web.Home, nil, "Cookie", web.CookieName+"="+moved.cookie(t, web.CookieName).Value)
	a.says(t, "Harbor Donations")
	a.lacks(t, "Viewing as")
}

func TestAViewEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	w.viewing(admin, authz.RoleApplicationAdmin)
	for range 3 {
		w.send(web.Home, nil, "Cookie", admin).says(t, "Viewing as")
		w.pass(9 * time.Minute)
	}
	w.pass(3 * time.Minute)
	w.send(web.Home, nil, "Cookie", admin).lacks(t, "Viewing as")
	w.send(web.SystemPath, nil, "Cookie", admin).wants(t, http.StatusOK, "")
}

func TestWhatAViewRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, organization := w.as(authz.RoleSystemAdmin), w.as(authz.RoleOrganizationAdmin)
	here := fmt.Sprintf("organization_admin@org:%d", w.App.OrganizationID)
	for _, form := range []url.Values{{"place": {here}, "reason": {" "}}, {"place": {""}, "reason": {"Ticket"}},
		{"place": {"system_admin@system"}, "reason": {"Ticket"}},
		{"place": {"organization_admin@system"}, "reason": {"Ticket"}},
		{"place": {here}, "reason": {strings.Repeat("r", 501)}}} {
		a := w.send(web.ViewPath, form, "Cookie", admin)
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("%v is %d", form, a.StatusCode)
		}
		a.says(t, "Check the highlighted fields")
	}
	w.send(web.ViewPath, url.Values{"place": {fmt.Sprintf("organization_admin@org:%d", w.Other.OrganizationID)},
		"reason": {"Ticket"}}, "Cookie", admin).wants(t, http.StatusNotFound, "")
	w.send(web.ViewPath, url.Values{"place": {here}, "reason": {"Ticket"}}, "Cookie", organization).wants(t,
		http.StatusForbidden, "")
	// there is none to end
	w.send(web.ViewPath+"/end", url.Values{}, "Cookie", organization).wants(t, http.StatusSeeOther, web.Home)
	if n := w.done(authz.ViewAs); n != 0 {
		t.Errorf("%d entries", n)
	}
}

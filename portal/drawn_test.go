package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/merchants"
	"svcpay/portal/web"
	"svcpay/views/kit"
	"svcpay/views/ui"
)

// inBoth is the Cookie header of an administrator of both applications, who acts in the first.
func (w *world) inBoth() string {
	w.t.Helper()
	id := w.invent("both@example.org", "Bo Both",
		identity.Grant{Role: "application_admin", Scope: "app", ScopeID: w.App.AppID},
		identity.Grant{Role: "application_admin", Scope: "app", ScopeID: w.Other.AppID})
	session, err := w.World.Identity.StartSession(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.switched(web.CookieName+"="+session, w.App)
}

func placeIn(app demo.Application) string { return fmt.Sprint("app:", app.AppID) }

// switched is the Cookie header of a session that acts in another application from now on.
func (w *world) switched(cookie string, to demo.Application) string {
	w.t.Helper()
	return w.send(web.SwitchPath, url.Values{"place": {placeIn(to)}}, "Cookie", cookie).session(w.t)
}

// ofNoPlace begin the routes of forms that concern no place, or choose one.
var ofNoPlace = []string{web.SwitchPath, web.ViewPath + "/end", web.ProofPath, web.SettingsPath + "/", web.StayPath}

// Whatever a session may do where it acts: a form, and a part of a page, of another place are refused on every route,
// and so is a form that does not say where it was drawn.
func TestNothingOfAnotherPlaceIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, before := w.inBoth(), w.changes()
	here, there := placeIn(w.App), placeIn(w.Other)
	for _, r := range w.routes() {
		path, form := sampleOf(r.Path), url.Values(nil)
		switch {
		case r.Needs == web.Public, r.Needs == web.SignedIn && r.Method == http.MethodGet:
			continue
		case r.Needs == web.SignedIn:
			if !slices.ContainsFunc(ofNoPlace, func(begin string) bool { return strings.HasPrefix(r.Path, begin) }) {
				t.Errorf("%s takes no permission: does it concern no place?", r.Path)
			}
			continue
		case r.Method == http.MethodPost:
			form = url.Values{web.PlaceField: {here}}
			other := w.send(path, url.Values{web.PlaceField: {there}}, "Cookie", cookie)
			other.wants(t, http.StatusConflict, "")
			other.says(t,
				"You switched to Riverside Giving in another tab. This page is for Harbor Donations. Nothing was changed.")
			w.send(path, url.Values{web.PlaceField: {""}}, "Cookie", cookie).wants(t,
				http.StatusUnprocessableEntity, "")
		}
		if a := w.send(path, form, "Cookie", cookie, web.PlaceHeader, here); a.StatusCode == http.StatusConflict {
			t.Errorf("%s %s of this place is refused: %s", r.Method, r.Path, a.words())
		}
		w.send(path, form, append(part(ui.ResultsID), "Cookie", cookie, web.PlaceHeader, there)...).wants(t,
			http.StatusConflict, "")
	}
	if n := w.changes() - before; n != 0 {
		t.Errorf("%d changes were made", n)
	}
}

// One tab shows the fees of an application, another switches to the next: what the first saves reaches neither. From
// the page that says so the first goes on where the session acts, or switches back and saves.
func TestATabLeftBehindChangesNothingElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.inBoth(), web.FeesPath+"/defaults"
	drawn := w.send(at, nil, "Cookie", cookie)
	typed := merchants.TypedRates(demo.Rates())
	typed.Set("version", drawn.hidden(t, "version"))
	typed.Set(web.PlaceField, drawn.hidden(t, web.PlaceField))
	cookie = w.switched(cookie, w.Other)
	refused := w.send(at, typed, "Cookie", cookie)
	refused.wants(t, http.StatusConflict, "")
	refused.says(t, "You switched to Harbor Donations in another tab. This page is for Riverside Giving",
		"Continue in Harbor Donations", `href="`+web.FeesPath+`"`,
		"Switch back to Riverside Giving", `name="place" value="`+placeIn(w.App)+`"`, `name="return" value="`+at+`"`)
	if got := w.defaultsOf(w.App).Version + w.defaultsOf(w.Other).Version; got != 0 {
		t.Fatalf("%d versions of fees were saved", got)
	}
	dialog := w.send(at, typed,
		append(part(ui.DialogID), "Cookie", cookie, "HX-Current-URL", "http://localhost:8080"+web.FeesPath+"?q=1")...)
	dialog.says(t, `<div class="dialog-panel"`, "Switch back to Riverside Giving",
		`name="return" value="`+web.FeesPath+`?q=1"`)
	back := w.send(web.SwitchPath, url.Values{"place": {placeIn(w.App)}, "return": {at}}, "Cookie", cookie)
	back.wants(t, http.StatusSeeOther, at)
	w.send(at, typed, "Cookie", back.session(t)).wants(t, http.StatusSeeOther, web.FeesPath)
	if here, there := w.defaultsOf(w.App).Version, w.defaultsOf(w.Other).Version; here != 1 || there != 0 {
		t.Errorf("versions %d and %d", here, there)
	}
}

func (w *world) defaultsOf(app demo.Application) fee.Defaults {
	w.t.Helper()
	d, err := w.Fees.Defaults(w.t.Context(),
		authz.Actor{Role: authz.RoleApplicationAdmin, ApplicationID: app.AppID, PersonID: 1,
			Granted: authz.Domain{Scope: authz.ScopeApplication, ID: app.AppID}})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// A page of a view that has ended, and one of a role in the same application, say so as well.
func TestPlacesAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	w.viewing(admin, authz.RoleOrganizationStaff)
	through := w.placeOf(admin)
	w.send(web.ViewPath+"/end", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.Home)
	a := w.send(web.MerchantsPath+"/new", url.Values{web.PlaceField: {through}}, "Cookie", admin)
	a.wants(t, http.StatusConflict, "")
	a.says(t, "in another tab. Nothing was changed.")
	a.lacks(t, "Switch back")

	id := w.invent("two@example.org", "To Roles",
		identity.Grant{Role: "application_admin", Scope: "app", ScopeID: w.App.AppID},
		identity.Grant{Role: "support_staff", Scope: "system"})
	session, err := w.World.Identity.StartSession(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	cookie := w.switched(web.CookieName+"="+session, w.App)
	w.send(web.MerchantsPath+"/new", url.Values{web.PlaceField: {fmt.Sprint("system/", w.App.AppID)}},
		"Cookie", cookie).
		says(t, "You switched to Riverside Giving (Application administrator) in another tab",
			"This page is for Riverside Giving (Support staff)")
}

// Every form that changes something says where it was drawn, on pages and on parts of them.
func TestFormsSayWhereTheyWereDrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	input := fmt.Sprintf(`<input type="hidden" name="drawn_in" value="%s"/>`, placeIn(w.App))
	for path, headers := range map[string][]string{kit.Path: nil, kit.ListPath: nil, kit.RefundPath: part(ui.DialogID),
		web.FeesPath + "/defaults": nil, web.MerchantsPath + "/new": nil,
		web.SettingsPath: nil, web.DonationsPath: nil, web.APIKeysPath + "/new?kind=secret": nil} {
		a := w.send(path, nil, append([]string{"Cookie", cookie}, headers...)...)
		a.wants(t, http.StatusOK, "")
		if forms, said := strings.Count(a.body, `method="post"`), strings.Count(a.body, input); forms == 0 ||
			forms != said {
			t.Errorf("%s: %d of %d forms say where they were drawn", path, said, forms)
		}
	}
	w.send(web.LoginPath, nil).lacks(t, web.PlaceField)
}

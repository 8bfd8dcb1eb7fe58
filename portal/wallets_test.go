package portal

import (
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/testing/fixture"
	"svcpay/portal/web"
)

// input is the value of a form's hidden input.
func (a answer) input(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile(`<input type="hidden" name="` + name + `" value="([^"]*)"`).FindStringSubmatch(a.body)
	if found == nil {
		t.Fatalf("the page has no input %s:\n%s", name, a.body)
	}
	return html.UnescapeString(found[1])
}

// withSites is a world whose websites under localhost are served by a handler.
func withSites(t *testing.T, sites http.HandlerFunc) *world {
	t.Helper()
	server := httptest.NewServer(sites)
	t.Cleanup(server.Close)
	port := server.Listener.Addr().(*net.TCPAddr).Port
	return worldOf(t, fixture.New(t, func(d *assembly.Deps) { d.LocalPort = port }), nil)
}

func TestDomainsAreLookedAtWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	w := withSites(t, func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Host, "good."):
			_, _ = rw.Write([]byte(`{"pspId":"1"}` + "\n"))
		case strings.HasPrefix(r.Host, "moved."):
			http.Redirect(rw, r, "https://www.example.org/sign-in", http.StatusFound)
		default:
			rw.WriteHeader(http.StatusNotFound)
			_, _ = rw.Write([]byte("<h1>Lost</h1>"))
		}
	})
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage("/wallets")
	a := w.send(at, nil, "Cookie", cookie)
	a.says(t, "There is no file to host yet",
		"Domains can’t be verified until a system administrator installs it.",
		"Managed by: System administrator, Support staff.")
	if strings.Contains(a.body, "Turn o") {
		t.Error("an organization turns wallet A on")
	}
	form := func(a answer, domains string) url.Values {
		return url.Values{"once": {a.input(t, "once")}, "version": {a.input(t, "version")}, "domains": {domains}}
	}
	b := w.send(at+"/domains", form(a, "good.localhost\r\n\r\nhttps://shop.example.org\nshop..x"), "Cookie", cookie)
	b.wants(t, http.StatusUnprocessableEntity, "")
	b.says(t, "Line 2: Leave the scheme out.", "Line 3: This is not the name of a website.",
		"https://shop.example.org\nshop..x</textarea>")

	w.send(at, nil, "Cookie", w.working(authz.RoleSystemAdmin)).says(t, "until you install it",
		`href="`+web.AssociationPath+`"`)
	w.send(at, nil, "Cookie", cookie).lacks(t, `href="`+web.AssociationPath+`"`)
	b = w.send(at+"/domains", form(a, "good.localhost"), "Cookie", cookie) // without the file it is saved all the same
	b.wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Not checked yet", "good.localhost:")

	if _, err := w.Portal.Merchants.InstallAssociation(t.Context(), w.Admin(), []byte(`{"pspId":"1"}`+"\n"),
		nil); err != nil {
		t.Fatal(err)
	}
	stale := form(a, "stale.localhost")
	stale.Set("once", web.NewOnce())
	b = w.send(at+"/domains", stale, "Cookie", cookie)
	b.wants(t, http.StatusConflict, "")
	b.says(t, "Someone else just edited these domains", "<code>good.localhost</code>", "stale.localhost</textarea>")

	b = w.send(at+"/domains",
		form(w.send(at, nil, "Cookie", cookie), "good.localhost\nmoved.localhost\ngone.localhost\n"), "Cookie", cookie)
	b.wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie+"; "+web.FlashCookie+"="+b.cookie(t, web.FlashCookie).Value).says(t,
		"1 domain verified, 2 failed", "File verified",
		"Redirects to: https://www.example.org/sign-in", "Response: 302 Found", "File not found", "Response: 404 Not Found",
		"Begins with: &lt;h1&gt;Lost&lt;/h1&gt;", "Verify all")

	part := w.send(at+"/verify", url.Values{"domain": {"gone.localhost"}}, "Cookie", cookie, "HX-Request", "true",
		"HX-Target", "results")
	part.wants(t, http.StatusOK, "")
	if !strings.HasPrefix(part.body, `<div id="results"`) {
		t.Errorf("a part is %s", part.body)
	}
	part.says(t, `tabindex="-1" data-said="1 domain verified, 2 failed"`, `id="verify-gone.localhost"`)
	w.send(at+"/verify", url.Values{"domain": {"foreign.localhost"}}, "Cookie", cookie).wants(t,
		http.StatusUnprocessableEntity, "")
	w.send(at+"/verify", url.Values{"none": {""}}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
}

func TestSupportTurnsWalletAOnAndOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleSupportStaff), w.merchantPage("/wallets")
	is := func() bool {
		m, err := w.World.Merchants.Find(t.Context(), w.App.AppID, w.App.Merchants.US)
		if err != nil {
			t.Fatal(err)
		}
		return m.HasWalletA
	}
	was := is()
	word := map[bool]string{true: "on", false: "off"}
	to := word[!was]
	w.send(at, nil, "Cookie", cookie).says(t, "/wallets/switch?to="+to)
	for range 2 { // pressed twice it stays what was wanted
		w.send(at+"/switch?to="+to, url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
		if is() == was {
			t.Error("nothing changed")
		}
	}
	w.send(at+"/switch?to="+word[was], url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	if is() != was {
		t.Error("it cannot be undone")
	}
	w.send(at+"/switch?to=maybe", url.Values{}, "Cookie", cookie).wants(t, http.StatusNotFound, "")
	w.send(at+"/switch?to=on", url.Values{}, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t,
		http.StatusForbidden, "")
}

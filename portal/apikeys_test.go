package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views/text"
)

var hidden = regexp.MustCompile(`name="once" value="([^"]+)"`)

// drawn opens a form and returns what it sends, with the fields that a person fills in.
func (w *world) drawn(path, cookie string, fields url.Values) url.Values {
	w.t.Helper()
	a := w.send(path, nil, "Cookie", cookie)
	a.wants(w.t, http.StatusOK, "")
	if m := hidden.FindStringSubmatch(a.body); m != nil {
		fields.Set("once", m[1])
	}
	return fields
}

// asked writes requests into the log that came with a key.
func (w *world) asked(k ids.Key, n int) {
	w.t.Helper()
	for range n {
		actor := w.Actor()
		actor.KeyID, actor.KeyName, actor.RequestID = k, "Server", ids.NewRequest(w.Clock.Now())
		w.RequestLogs.Add(requestlog.Entry{Actor: actor, Method: "POST", Path: "/api/charges",
			Query: "expand[]=merchant", Body: []byte(`{"amount":1200}`), BodyBytes: 15,
			Status: 201, IP: "192.0.2.1", UserAgent: "shop/1", APIVersion: "2026-12-01", At: w.Clock.Now()})
	}
	if err := w.RequestLogs.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

var keyTexts = regexp.MustCompile(`[srp]k_sandbox_[0-9A-Za-z]{38}`)

func TestKeysAreMadeAndShownOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.pass(time.Millisecond) // its key is the newest
	w.send(web.APIKeysPath+"/new", nil, "Cookie", cookie).says(t, "kind=secret", "kind=restricted", "kind=public")
	form := w.drawn(web.APIKeysPath+"/new?kind=restricted", cookie,
		url.Values{"kind": {"restricted"}, "name": {"Reports <b>"}, "rights": {"", "charge:read", "refund:write"},
			"merchant": {web.Whole(w.App.Merchants.US)}, "allowed_ips": {"192.0.2.7, 192.0.2.0/24"}})
	made := w.send(web.APIKeysPath+"/new", form, "Cookie", cookie)
	made.wants(t, http.StatusOK, "")
	made.says(t, "Copy it now", "Reports &lt;b&gt;", "/api/me")
	key := keyTexts.FindString(made.body)
	if !strings.HasPrefix(key, "rk_sandbox_") {
		t.Fatalf("no key is shown:\n%s", made.body)
	}
	again := w.send(web.APIKeysPath+"/new", form, "Cookie", cookie)
	again.says(t, "This key was already created")
	if keyTexts.MatchString(again.body) {
		t.Error("the key is shown twice")
	}
	list := w.send(web.APIKeysPath+"?kind=restricted&status=active", nil, "Cookie", cookie)
	list.says(t, "Reports &lt;b&gt;", "2 permissions, 1 merchant", "rk_sandbox_…"+key[len(key)-4:])
	one := regexp.MustCompile(`/portal/developers/keys/key_[a-z0-9]+`).FindString(list.body) // the newest
	page := w.send(one, nil, "Cookie", cookie)
	page.says(t, "Riverside Food Bank ("+web.Whole(w.App.Merchants.US)+")", "Refunds", "Read and write", "192.0.2.0/24",
		"Requests in the last hour", ">Never<")
	if keyTexts.MatchString(page.body) {
		t.Error("the key is shown later")
	}
	w.send(web.APIKeysPath+".csv?kind=restricted", nil, "Cookie", cookie).says(t, "Reports <b>",
		"charge:read refund:write")
	w.send(web.APIKeysPath+"?kind=restricted&status=revoked", nil, "Cookie", cookie).says(t, "No results")
	edit := url.Values{"name": {"Books"}, "allowed_ips": {"198.51.100.9"}}
	w.send(one+"/edit", edit, "Cookie", cookie).wants(t, http.StatusSeeOther, one)
	w.send(one, nil, "Cookie", cookie).says(t, "Books", "198.51.100.9")
	wrong := w.send(one+"/edit", url.Values{"name": {""}, "allowed_ips": {"somewhere"}}, "Cookie", cookie)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, `href="#name"`, `href="#allowed_ips"`, ">somewhere</textarea>")
}

// Merchants are chosen by their names; of the form that comes back they are still chosen.
func TestAKeyIsHeldToMerchantsByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, us := w.as(authz.RoleApplicationAdmin), web.Whole(w.App.Merchants.US)
	at := web.APIKeysPath + "/new?kind=restricted"
	w.send(at, nil, "Cookie", cookie).says(t, "Riverside Food Bank", `name="merchant" value="`+us+`"`)
	w.send(at, nil, "Cookie", cookie).lacks(t, `value="`+web.Whole(w.Other.Merchants.US)+`"`)
	form := w.drawn(at, cookie, url.Values{"kind": {"restricted"}, "name": {"A"}, "merchant": {us}})
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).says(t, `href="#rights"`,
		`name="merchant" value="`+us+`" checked`)
	form = w.drawn(at, cookie, url.Values{"kind": {"restricted"}, "name": {"A"}, "rights": {"charge:read"},
		"merchant": {web.Whole(w.Other.Merchants.US)}})
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).says(t, `href="#merchants"`)
}

// Of two who change one key at once the second sees what the first saved, and saves on top of it.
func TestTwoEditorsOfAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	at := web.APIKeysPath + "/" + w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"}).ID.String()
	draw := func(name string) url.Values {
		form := w.drawnForm(at+"/edit", cookie)
		form.Set("name", name)
		return form
	}
	first, second := draw("Shop"), draw("Books")
	w.send(at+"/edit", first, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	conflict := w.send(at+"/edit", second, "Cookie", cookie)
	conflict.wants(t, http.StatusConflict, "")
	conflict.says(t, "Someone else just edited this key", "Shop", `value="Books"`)
	second.Set("version", conflict.hidden(t, "version"))
	w.send(at+"/edit", second, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Books")
}

func TestAPublicKeyIsEmbeddedByItsOriginsOrByAnySite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{"https://*.example.org"}})
	at := web.APIKeysPath + "/" + key.ID.String()
	w.send(at, nil, "Cookie", cookie).says(t, "https://*.example.org", "Allowed origins only")
	form := url.Values{"name": {"Pages"}, "allowed_origins": {"https://*.example.org"}, "any_ancestor": {"true"},
		"version": {w.send(at+"/edit", nil, "Cookie", cookie).hidden(t, "version")}}
	w.send(at+"/edit", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "https://*.example.org", "Any site")
	w.send(at+"/edit", nil, "Cookie", cookie).says(t, "checked")
	if k, err := w.APIKeys.Get(t.Context(), w.Admin(), key.ID.String()); err != nil || !k.AnyAncestor ||
		k.MerchantDomains {
		t.Errorf("%+v, %v", k, err)
	}
	form.Set("merchant_domains", "true")
	form.Set("version", w.send(at+"/edit", nil, "Cookie", cookie).hidden(t, "version"))
	w.send(at+"/edit", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Also on", "Merchants’ domains")
	if k, err := w.APIKeys.Get(t.Context(), w.Admin(), key.ID.String()); err != nil || !k.MerchantDomains {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestMistakesOfANewKeyAreShownBesideWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	at := web.APIKeysPath + "/new?kind="
	form := w.drawn(at+"restricted", cookie,
		url.Values{"kind": {"restricted"}, "name": {"A"}, "merchants": {"999999"}, "expires_at": {"2020-01-01"}})
	a := w.send(web.APIKeysPath+"/new", form, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, `href="#rights"`, `href="#merchants"`, `href="#expires_at"`, `value="2020-01-01"`, ">999999</textarea>")
	form = w.drawn(at+"restricted", cookie, url.Values{"kind": {"restricted"}, "name": {"A"}, "rights": {"charge:read"},
		"merchants": {"all"}, "expires_at": {"soon"}})
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).says(t, "(for example, 1042)", "Choose a day.")
	form = w.drawn(at+"public", cookie,
		url.Values{"kind": {"public"}, "name": {"Pages"}, "allowed_origins": {"https://shop.example/pay"}})
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).says(t, `href="#allowed_origins"`)
	form.Set("allowed_origins", "https://shop.example")
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).says(t, "pk_sandbox_", "Add it to your pages")
	w.send(web.APIKeysPath+"/new", url.Values{"kind": {"secret"}, "name": {"x"}}, "Cookie", cookie).says(t,
		"This form is incomplete")
	w.send(web.APIKeysPath+"/new", url.Values{"kind": {"other"}}, "Cookie", cookie).wants(t, http.StatusNotFound, "")
}

func TestAKeyIsRolledWatchedAndRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	old := w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"})
	at := web.APIKeysPath + "/" + old.ID.String()
	form := w.drawn(at+"/roll", cookie, url.Values{"overlap": {"24h"}})
	rolled := w.send(at+"/roll", form, "Cookie", cookie)
	rolled.wants(t, http.StatusOK, "")
	rolled.says(t, "Copy it now", `href="`+at+`"`, "View both keys")
	if key := keyTexts.FindString(rolled.body); !strings.HasPrefix(key, "sk_sandbox_") || key == old.Text {
		t.Fatalf("the new key is %q", key)
	}
	if again := w.send(at+"/roll", form, "Cookie", cookie); keyTexts.MatchString(again.body) ||
		again.StatusCode != http.StatusOK {
		t.Errorf("sent again it says %d\n%s", again.StatusCode, again.body)
	}
	other := w.send(at+"/roll", w.drawn(at+"/roll", cookie, url.Values{"overlap": {"1h"}}), "Cookie", cookie)
	other.wants(t, http.StatusConflict, "")
	other.says(t, "Only a key that works and was not rolled before")
	w.send(at+"/roll", w.drawn(at+"/roll", cookie, url.Values{"overlap": {"9h"}}), "Cookie", cookie).wants(t,
		http.StatusUnprocessableEntity, "")

	kept, err := w.World.APIKeys.Get(t.Context(), w.Admin(), old.ID.String())
	if err != nil {
		t.Fatal(err)
	}
	next := web.APIKeysPath + "/" + kept.ReplacedBy.String()
	w.asked(old.ID, 3)
	w.asked(*kept.ReplacedBy, 2)
	w.send(at, nil, "Cookie", cookie).says(t, "3 requests in the last hour used the old key", "Old key", "New key",
		next, "Rolled")
	w.send(next, nil, "Cookie", cookie).says(t, "3 requests in the last hour used the old key", "Replaces Server")
	w.send(at+"/revoke", nil, "Cookie", cookie).says(t, "3 requests in the last hour still used this key.")
	w.pass(61 * time.Minute)
	cookie = w.as(authz.RoleApplicationAdmin)
	w.send(next, nil, "Cookie", cookie).says(t, "No requests used the old key in the last hour")
	w.send(at+"/revoke", nil, "Cookie", cookie).says(t, "No requests in the last hour.")
	w.send(at+"/revoke", url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	ended := w.send(at, nil, "Cookie", cookie)
	ended.says(t, "Revoked")
	if strings.Contains(ended.body, at+"/revoke") {
		t.Error("a revoked key can be revoked")
	}
	if strings.Contains(w.send(next, nil, "Cookie", cookie).body, "used the old key") {
		t.Error("a roll that is over is watched")
	}
}

func TestKeysAreSeenByWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"})
	at := web.APIKeysPath + "/" + key.ID.String()
	staff := w.as(authz.RoleSupportStaff)
	for _, path := range []string{web.APIKeysPath, at} {
		if a := w.send(path, nil, "Cookie", staff); a.StatusCode != http.StatusOK ||
			strings.Contains(a.body, "/roll") || strings.Contains(a.body, "/new") {
			t.Errorf("support staff sees %d\n%s", a.StatusCode, a.body)
		}
	}
	for _, path := range []string{at, at + "/roll", at + "/edit", at + "/revoke"} {
		w.send(path, nil, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
		w.send(path, nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).wants(t, http.StatusForbidden, "")
	}
	foreign := w.in(authz.RoleApplicationAdmin, w.Other)
	form := w.drawn(web.APIKeysPath+"/new?kind=secret", foreign, url.Values{"overlap": {"1h"}})
	for _, path := range []string{at + "/roll", at + "/revoke", at + "/edit"} {
		w.send(path, form, "Cookie", foreign).wants(t, http.StatusNotFound, "")
	}
	if strings.Contains(w.send(web.APIKeysPath, nil, "Cookie", foreign).body, key.ID.String()) {
		t.Error("another application's keys are listed")
	}
}

func TestEveryRightOfAKeyHasAName(t *testing.T) {
	t.Parallel()
	for _, right := range authz.Rights() {
		resource, _, _ := strings.Cut(string(right), ":")
		if text.English.Keys.Resources[resource] == "" {
			t.Errorf("the portal has no name for %s", right)
		}
	}
}

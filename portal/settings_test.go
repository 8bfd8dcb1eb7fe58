package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	first := w.send(web.LoginPath, login(dana, password), "User-Agent",
		"Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36")
	in := first.session(t)
	second := w.send(web.LoginPath, login(dana, password), "User-Agent",
		"Mozilla/5.0 (iPhone; CPU) Safari/604.1").session(t)
	l, n := w.of("new_sign_in", dana)
	if n != 1 || !strings.Contains(strings.Join(l.Lines, " "), "Safari on iPhone, from IP address 192.0.2.1") {
		t.Errorf("%d mails: %+v", n, l)
	}
	w.send(web.LoginPath, login(dana, password), "Cookie",
		web.BrowserCookie+"="+first.cookie(t, web.BrowserCookie).Value)
	if _, n := w.of("new_sign_in", dana); n != 1 {
		t.Error("a browser that is known is told of")
	}
	a := w.send(web.SettingsPath, nil, "Cookie", in)
	a.says(t, "Chrome on Linux (current session)", "Safari on iPhone", "192.0.2.1", "Turn on two-step verification",
		"New sign-ins")

	foreign := w.as(authz.RoleOrganizationStaff)
	ends := regexp.MustCompile(`/portal/settings/sessions/\d+/end`).FindAllString(a.body, -1)
	if len(ends) != 2 {
		t.Fatalf("%v", ends)
	}
	w.send(ends[0], url.Values{}, "Cookie", foreign).wants(t, http.StatusNotFound, "")
	w.send("/portal/settings/sessions/x/end", url.Values{}, "Cookie", in).wants(t, http.StatusNotFound, "")
	for _, end := range ends {
		w.send(end, url.Values{}, "Cookie", in).wants(t, http.StatusSeeOther, web.SettingsPath)
	}
	w.send("/portal", nil, "Cookie", second).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	other := w.send(web.LoginPath, login(dana, password)).session(t)
	w.send("/portal/settings/sessions/others", url.Values{}, "Cookie", in).wants(t, http.StatusSeeOther,
		web.SettingsPath)
	w.send("/portal", nil, "Cookie", other).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal", nil, "Cookie", in, "Cookie", foreign).wants(t, http.StatusOK, "")

	looks := w.send("/portal/settings/looks", url.Values{"theme": {"dark"}, "zone": {"America/Los_Angeles"}},
		"Cookie", in)
	looks.wants(t, http.StatusSeeOther, web.SettingsPath)
	if looks.cookie(t, web.ThemeCookie).Value != "dark" {
		t.Error("the theme is not kept")
	}
	zone, _ := time.LoadLocation("America/Los_Angeles")
	w.send(web.SettingsPath, nil, "Cookie", in).says(t, `<option value="America/Los_Angeles" selected`,
		w.Clock.Now().In(zone).Format("3:04 PM"))
	if w.send(web.LoginPath, login(dana, password)).cookie(t, web.ThemeCookie).Value != "dark" {
		t.Error("the theme does not come along")
	}
	w.send("/portal/settings/looks", url.Values{"theme": {"dark"}, "zone": {"Local"}}, "Cookie", in).wants(t,
		http.StatusUnprocessableEntity, "")
	w.send("/portal/settings/looks", url.Values{"theme": {"pink"}}, "Cookie", in).wants(t,
		http.StatusUnprocessableEntity, "")

	_, before := w.of("new_sign_in", dana)
	w.send("/portal/settings/mails", url.Values{"mail": {}}, "Cookie", in).wants(t, http.StatusSeeOther,
		web.SettingsPath)
	w.send(web.LoginPath, login(dana, password))
	if _, n := w.of("new_sign_in", dana); n != before {
		t.Error("a mail that nobody wants is sent")
	}
}

func TestAPasswordIsChangedByWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	in, other := w.signedIn(), w.signedIn()
	a := w.send("/portal/settings/password", url.Values{"password": {"short"}}, "Cookie", in)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a = w.send("/portal/settings/password", url.Values{"password": {another}}, "Cookie", in)
	a.wants(t, http.StatusSeeOther, web.SettingsPath)
	w.send("/portal", nil, "Cookie", other).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal", nil, "Cookie", a.session(t)).wants(t, http.StatusOK, "")
	w.send(web.LoginPath, login(dana, another)).wants(t, http.StatusSeeOther, web.Home)
}

package portal

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/portal/web"
)

func TestSignInShowsWhoIsThere(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	w.send("/", nil).wants(t, http.StatusSeeOther, "/portal")
	w.send("/portal/", nil).wants(t, http.StatusSeeOther, "/portal")
	w.send("/portal", nil).wants(t, http.StatusSeeOther, "/portal/login")
	page := w.send("/portal/login", nil)
	page.wants(t, http.StatusOK, "")
	page.says(t, `<h1 class="text-xl">Sign in</h1>`, "credentials.json", "Sandbox: test data only",
		`autocomplete="current-password"`)

	in := w.signedIn()
	a := w.send("/portal", nil, "Cookie", in)
	a.wants(t, http.StatusOK, "")
	a.says(t, "Hello, Dana Reed", dana, "Support staff", "Sign out")
	w.send("/portal/login?return=/portal/_kit", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/_kit")
}

func TestSignInCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.send(web.LoginPath, login(" Dana@Example.org ", password)).cookie(t, web.CookieName)
	if len(first.Value) != 43 || !first.Secure || !first.HttpOnly || first.SameSite != http.SameSiteLaxMode ||
		first.Path != "/" ||
		first.Domain != "" || first.MaxAge != 0 || !first.Expires.IsZero() {
		t.Errorf("the cookie is %s", first)
	}
	again := w.send(web.LoginPath, login(dana, password), "Cookie", web.CookieName+"="+first.Value).cookie(t,
		web.CookieName)
	if again.Value == first.Value {
		t.Error("a sign-in kept the session's id")
	}
	w.send("/portal", nil, "Cookie", web.CookieName+"="+first.Value).wants(t, http.StatusSeeOther,
		"/portal/login?notice=ended")
	planted := w.send(web.LoginPath, login(dana, password), "Cookie",
		web.CookieName+"="+strings.Repeat("A", 43)).cookie(t, web.CookieName)
	if planted.Value == strings.Repeat("A", 43) {
		t.Error("a planted id became a session")
	}
}

func TestWrongSignInsGetOneAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const wrong = "The email address or the password is wrong, or the account is locked for a while."
	for _, email := range []string{dana, "nobody@example.org"} {
		a := w.send(web.LoginPath, login(email, "wrong password!"))
		a.wants(t, http.StatusUnauthorized, "")
		a.says(t, wrong, `role="alert" tabindex="-1" autofocus`, `value="`+email+`"`, "<title>Error: Sign in")
		if len(a.Cookies()) != 0 || strings.Contains(a.body, "wrong password!") {
			t.Error("a wrong sign-in sets a cookie or shows the password")
		}
	}
}

func TestFiveFailuresKeepAnAddressAwayForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, email := range []string{dana, "nobody@example.org"} {
		for range 5 {
			w.send(web.LoginPath, login(email, "wrong")).wants(t, http.StatusUnauthorized, "")
		}
		a := w.send(web.LoginPath, login(strings.ToUpper(email), password))
		a.wants(t, http.StatusTooManyRequests, "")
		a.says(t, "This was tried too often.")
		if a.Header.Get("Retry-After") == "" {
			t.Error("nobody learns when to try again")
		}
	}
	w.pass(16 * time.Minute)
	w.signedIn()
}

func TestMissingValuesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send(web.LoginPath, login("", ""))
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, `href="#email"`, `href="#password"`, `aria-describedby="email-error"`, `id="password-error"`,
		`aria-invalid="true"`)
	for _, email := range []string{"dana", "da na@example.org", strings.Repeat("d", 250) + "@x.org"} {
		a := w.send(web.LoginPath, login(email, password))
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Enter your full email address.")
	}
	a = w.send(web.LoginPath, login(`"><script>alert(1)</script>@x`, ""))
	if strings.Contains(a.body, "<script>alert") {
		t.Error("what was typed became markup")
	}
}

func TestReturnStaysHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send("/portal/nothing?x=1", nil).wants(t, http.StatusNotFound, "")
	for address, want := range map[string]string{
		"/portal/_kit": "/portal/_kit", "/portal/_kit?a=b&c=d": "/portal/_kit?a=b&c=d",
		"/portal?a=%2F%2Fx": "/portal?a=%2F%2Fx",
		"":                  web.Home, "/": web.Home, "/api/charges": web.Home, "/portalx": web.Home,
		"portal/_kit": web.Home, "//evil.example/portal": web.Home,
		"https://evil.example/portal": web.Home, "javascript:alert(1)": web.Home, `/portal\evil`: web.Home,
		"/portal/../api":        web.Home,
		"/portal//evil.example": web.Home, "/portal/%2e%2e/api": web.Home, "/portal\n": web.Home,
		"/portal\tx": web.Home, "/portal/%zz": web.Home,
		"http:/portal": web.Home, "//localhost:8080/portal": web.Home, "?/portal": web.Home,
	} {
		if got := web.LocalPath(address); got != want {
			t.Errorf("%q leads to %q, want %q", address, got, want)
		}
	}
	form := login(dana, password)
	form.Set("return", "//evil.example/portal")
	w.send(web.LoginPath, form).wants(t, http.StatusSeeOther, web.Home)
	form.Set("return", "/portal/_kit?a=b")
	w.send(web.LoginPath, form).wants(t, http.StatusSeeOther, "/portal/_kit?a=b")
	w.send(web.LoginPath+"?return="+url.QueryEscape("https://evil.example"), nil).says(t,
		`name="return" value="/portal"`)
}

func TestEveryKindOfFaultHasAStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]int{
		fault.KindInvalid: 422, fault.KindRefused: 422, fault.KindDeclined: 422, fault.KindUnauthenticated: 401,
		fault.KindForbidden: 403,
		fault.KindNotFound:  404, fault.KindConflict: 409, fault.KindChanged: 409, fault.KindGone: 410,
		fault.KindLimited: 429, fault.KindUnavailable: 503, fault.KindInternal: 500,
	} {
		if got := web.StatusOf(kind); got != want {
			t.Errorf("%s is a %d, want %d", kind, got, want)
		}
	}
}

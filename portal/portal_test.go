package portal

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/portal/web"
)

func TestEveryRouteIsDeclared(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []bool{true, false} {
		w := newWorld(t, func(c *Config) { c.Sandbox = sandbox })
		declared := map[string]bool{}
		for _, r := range w.routes() {
			if needed := r.Needs; r.Needs != web.Public && r.Needs != web.SignedIn && len(w.desk.Holders(needed)) == 0 {
				t.Errorf("%s %s takes %q, which no role of people has", r.Method, r.Path, r.Needs)
			}
			declared[r.Method+r.Path] = true
			path := strings.ReplaceAll(r.Path, "*", "aa/portal.css")
			var form url.Values
			if r.Method == http.MethodPost {
				form = url.Values{"theme": {"dark"}}
			}
			a := w.send(path, form)
			if to, why, _ := strings.Cut(a.Header.Get("Location"), "?"); (to == web.LoginPath &&
				why != "notice=signed_out") != (r.Needs != web.Public) {
				t.Errorf("%s %s is %s, and answers %d without a session", r.Method, r.Path, r.Needs, a.StatusCode)
			}
		}
		for _, r := range w.echo.Routes() {
			method := strings.Replace(r.Method, http.MethodHead, http.MethodGet, 1)
			if !declared[method+r.Path] {
				t.Errorf("%s %s is not in the table", r.Method, r.Path)
			}
		}
	}
}

func TestKitIsForTheSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send("/portal/_kit", nil)
	a.wants(t, http.StatusOK, "")
	a.says(t, "Button", "Field", "Banner", "Status", "Key and value", "Code", "Empty", "Icon")
	w = newWorld(t, func(c *Config) { c.Sandbox = false })
	w.send("/portal/_kit", nil).wants(t, http.StatusNotFound, "")
	if a := w.send("/portal/login", nil); strings.Contains(a.body, "andbox") || strings.Contains(a.body, "demo") {
		t.Error("production speaks of the sandbox")
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.BaseURL = "https://pay.example.org" })
	policy := func(nonce string) string {
		return "default-src 'none'; script-src 'self' 'nonce-" + nonce +
			"'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; report-uri /csp-reports; report-to csp; frame-ancestors 'none'"
	}
	seen := map[string]bool{}
	for _, path := range []string{"/portal/login", "/portal", "/nothing", "/portal/_kit"} {
		h := w.send(path, nil).Header
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Reporting-Endpoints": `csp="/csp-reports"`,
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		csp, id := h.Get("Content-Security-Policy"), h.Get("Request-Id")
		nonce := regexp.MustCompile(`'nonce-([A-Z2-7]{26})'`).FindStringSubmatch(csp)
		if len(nonce) != 2 || csp != policy(nonce[1]) || seen[nonce[1]] {
			t.Fatalf("%s: the policy is %q", path, csp)
		}
		seen[nonce[1]] = true
		if !strings.Contains(h.Get("Permissions-Policy"), "camera=()") || !strings.HasPrefix(id, "req_") || seen[id] {
			t.Errorf("%s: permissions %q, request %q", path, h.Get("Permissions-Policy"), id)
		}
		seen[id] = true
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, path := range []string{"/portal/login", "/portal/logout", "/portal/theme"} {
		for _, headers := range [][]string{
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
			{"Origin", "http://pay.localhost:8080"},
			{"Origin", "null"},
		} {
			a := w.send(path, login(dana, password), headers...)
			a.wants(t, http.StatusForbidden, "")
			a.says(t, "came from another site", a.Header.Get("Request-Id"))
			if len(a.Cookies()) != 0 {
				t.Errorf("%s sets a cookie for %q", path, headers)
			}
		}
	}
	w.send(web.LoginPath, login(dana, password), "Sec-Fetch-Site", "same-origin", "Origin", "null").wants(t,
		http.StatusSeeOther, web.Home)
	w.send(web.LoginPath, login(dana, password), "Origin", "http://localhost:8080").wants(t,
		http.StatusSeeOther, web.Home)
}

func TestLargeFormsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	form := login(dana, password)
	form.Set("more", strings.Repeat("x", web.MaxForm))
	a := w.send(web.LoginPath, form)
	a.wants(t, http.StatusRequestEntityTooLarge, "")
	a.says(t, "This form is too large")
	r := httptest.NewRequest(http.MethodPost, web.LoginPath, strings.NewReader("email=%zz"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w.do(r).wants(t, http.StatusUnprocessableEntity, "")
}

func TestThemeIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(web.LoginPath, nil).says(t, `data-theme="system"`,
		`aria-label="System theme" title="System theme" aria-pressed="true"`)
	a := w.send("/portal/theme", url.Values{"theme": {"dark"}, "return": {"/portal/login?notice=ended"}})
	a.wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	c := a.cookie(t, web.ThemeCookie)
	if !c.Secure || !c.HttpOnly || c.Path != "/" || c.MaxAge != web.ThemeAge || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %s", c)
	}
	w.send(web.LoginPath, nil, "Cookie", web.ThemeCookie+"="+c.Value).says(t, `data-theme="dark"`,
		`title="Dark theme" aria-pressed="true"`)
	w.send(web.LoginPath, nil, "Cookie", web.ThemeCookie+"=neon").says(t, `data-theme="system"`)
	w.send("/portal/theme", url.Values{"theme": {"neon"}}).wants(t, http.StatusUnprocessableEntity, "")
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	fail := func(path string, err error) { w.echo.GET(path, func(echo.Context) error { return err }) }
	fail("/gone", fault.New(fault.KindGone, "invitation_expired", "This invitation has expired."))
	fail("/limited", fault.New(fault.KindLimited, "rate_limited", "Too often.").After(1500*time.Millisecond))
	fail("/broken", errors.New("secret of the database"))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/nothing":       {404, "Page not found"},
		"/static/x/y":    {404, "Page not found"},
		"/portal/logout": {405, "isn’t supported here"},
		"/gone":          {410, "This invitation has expired."},
		"/limited":       {429, "Too often."},
		"/broken":        {500, "Something went wrong on our side"},
	} {
		a := w.send(path, nil)
		a.wants(t, want.status, "")
		a.says(t, want.text, a.Header.Get("Request-Id"), "/static/aa/portal.css", `<html lang="en"`)
		if a.Header.Get("Content-Security-Policy") == "" || strings.Contains(a.body, "secret of the database") {
			t.Errorf("%s: headers are missing or the cause is told", path)
		}
	}
	if got := w.send("/limited", nil).Header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After is %q", got)
	}
	if !strings.Contains(w.log.String(), "secret of the database") {
		t.Error("the log does not tell the cause")
	}
}

func TestFilesAreServedForGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for accept, want := range map[string]string{"": "plain", "gzip": "gzip", "gzip, deflate, br": "brotli",
		"br;q=0, gzip": "gzip", "br;q=0.1": "brotli", "brx": "plain"} {
		a := w.send("/static/aa/portal.css", nil, "Accept-Encoding", accept)
		if a.body != want || a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			a.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q gets %q with %v", accept, a.body, a.Header)
		}
	}
	if a := w.send("/static/dd/inter.woff2", nil, "Accept-Encoding", "br"); a.body != "font" ||
		a.Header.Get("Content-Type") != "font/woff2" {
		t.Errorf("the font is %q of %s", a.body, a.Header.Get("Content-Type"))
	}
	for _, path := range []string{"/static/manifest.json", "/static/aa/portal.css.br",
		"/static/../portal/manifest.json", "/static/"} {
		w.send(path, nil).wants(t, http.StatusNotFound, "")
	}
	head := w.do(httptest.NewRequest(http.MethodHead, "/static/aa/portal.css", nil))
	head.wants(t, http.StatusOK, "")
}

func TestPortalWithoutFrontEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Static = fstest.MapFS{} })
	a := w.send(web.LoginPath, nil)
	a.wants(t, http.StatusOK, "")
	if strings.Contains(a.body, "stylesheet") || !strings.Contains(w.log.String(), "has not been built") {
		t.Errorf("log: %s", w.log)
	}
	for text, files := range map[string]fstest.MapFS{
		"manifest.json": {"portal/manifest.json": {Data: []byte("{")}},
		"not exist":     {"portal/manifest.json": {Data: []byte(`{"a.css":"x/a.css"}`)}},
		"media type":    {"portal/manifest.json": {Data: []byte(`{"a.exe":"x/a.exe"}`)}},
	} {
		if _, err := New(Config{Static: files}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("damage is told as %v, want %q", err, text)
		}
	}
}

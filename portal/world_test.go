package portal

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/portal/web"
)

const (
	dana     = "dana@example.org"
	password = "correct horse battery"
)

// world is a portal over a sandbox of its own, whose clock the test moves, with one person and a log.
type world struct {
	*Portal
	*fixture.World
	t    *testing.T
	echo *echo.Echo
	log  *strings.Builder

	people int
}

func (w *world) pass(d time.Duration) { w.Clock.Advance(d) }

// built is a front end as the build lays it out.
var built = fstest.MapFS{
	"portal/manifest.json": {Data: []byte(`{"portal.css":"aa/portal.css","portal.js":"bb/portal.js","icon.svg":"cc/icon.svg","inter.woff2":"dd/inter.woff2"}`)},
	"portal/aa/portal.css": {Data: []byte("plain")}, "portal/aa/portal.css.br": {Data: []byte("brotli")},
	"portal/aa/portal.css.gz": {Data: []byte("gzip")},
	"portal/bb/portal.js":     {Data: []byte("script")}, "portal/cc/icon.svg": {Data: []byte("<svg/>")},
	"portal/dd/inter.woff2": {Data: []byte("font")},
}

func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	return worldOf(t, fixture.New(t), change)
}

// mailWorld is a world that sends mails.
func mailWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	return worldOf(t, fixture.New(t, fixture.SendsMail), change)
}

func worldOf(t *testing.T, inner *fixture.World, change func(*Config)) *world {
	t.Helper()
	w := &world{World: inner, t: t, echo: echo.New(), log: &strings.Builder{}}
	w.invent(dana, "Dana Reed", identity.Grant{Role: "support_staff", Scope: "system"})
	c := Config{Services: *w.Services, Static: built, BaseURL: fixture.BaseURL, Sandbox: true,
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: w.Clock.Now}
	if change != nil {
		change(&c)
	}
	var err error
	if w.Portal, err = New(c); err != nil {
		t.Fatal(err)
	}
	w.Register(w.echo)
	w.echo.HTTPErrorHandler = func(err error, c echo.Context) { w.Error(c, err) }
	return w
}

// invent adds a person with that address and name.
func (w *world) invent(email, name string, grants ...identity.Grant) int64 {
	w.t.Helper()
	return w.Invent(email, name, password, grants...)
}

// as is the Cookie header of someone new with a role where it belongs: in the first application or its organization.
func (w *world) as(r authz.Role) string {
	w.t.Helper()
	return w.in(r, w.App)
}

// in is the Cookie header of someone new with a role in one of the two applications, or in its organization.
func (w *world) in(r authz.Role, app demo.Application) string {
	w.t.Helper()
	g := identity.Grant{Role: string(r), Scope: string(r.Scope())}
	switch r.Scope() {
	case authz.ScopeApplication:
		g.ScopeID = app.AppID
	case authz.ScopeOrganization:
		g.ScopeID = app.OrganizationID
	}
	w.people++
	id := w.invent(fmt.Sprintf("%s.%d@example.org", r, w.people), "Kim Vale", g)
	session, err := w.World.Identity.StartSession(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return web.CookieName + "=" + session
}

// answer is what came back, body included.
type answer struct {
	*http.Response
	body string
}

// send asks for a page; headers are pairs of name and value. A form makes it a POST, drawn where the session acts
// unless it says where.
func (w *world) send(path string, form url.Values, headers ...string) answer {
	w.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		if at := slices.Index(headers, "Cookie"); at >= 0 && !form.Has(web.PlaceField) {
			form = maps.Clone(form)
			form.Set(web.PlaceField, w.placeOf(headers[at+1]))
		}
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, "http://localhost:8080"+path, body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.do(r)
}

func (w *world) do(r *http.Request) answer {
	w.t.Helper()
	rec := httptest.NewRecorder()
	w.echo.ServeHTTP(rec, r)
	return answer{rec.Result(), rec.Body.String()}
}

var pagePlace = regexp.MustCompile(`<body [^>]*data-place="([^"]*)"`)

// placeOf is where a session acts, as its pages say.
func (w *world) placeOf(cookie string) string {
	w.t.Helper()
	said := pagePlace.FindStringSubmatch(w.send(web.ShortcutsPath, nil, "Cookie", cookie, web.PollHeader, "1").body)
	if said == nil {
		w.t.Fatal("a page does not say where it was drawn")
	}
	return said[1]
}

// login is the form of the sign-in page.
func login(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// cookie returns a cookie that an answer sets.
func (a answer) cookie(t *testing.T, name string) *http.Cookie {
	t.Helper()
	for _, c := range a.Cookies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("the answer sets no cookie %s", name)
	return nil
}

// signedIn signs Dana in and returns the Cookie header of what follows.
func (w *world) signedIn() string {
	w.t.Helper()
	a := w.send(web.LoginPath, login(dana, password))
	a.wants(w.t, http.StatusSeeOther, web.Home)
	return web.CookieName + "=" + a.cookie(w.t, web.CookieName).Value
}

// wants checks status and Location of an answer.
func (a answer) wants(t *testing.T, status int, location string) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Location") != location {
		t.Fatalf("got %d to %q, want %d to %q", a.StatusCode, a.Header.Get("Location"), status, location)
	}
}

var tag = regexp.MustCompile(`(?s)<svg.*?</svg>|<head.*?</head>|<nav id="side".*?</nav>|<[^>]*>|\s+`)

// words are what people read of a page, without its frame.
func (a answer) words() string {
	return strings.Join(strings.Fields(tag.ReplaceAllString(a.body, " ")), " ")
}

// says checks that the page contains the texts.
func (a answer) says(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("the page does not say %q:\n%s", text, a.words())
		}
	}
}

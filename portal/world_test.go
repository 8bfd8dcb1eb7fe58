package portal

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
	"svcpay/internal/pgtest"
)

const (
	dana     = "dana@example.org"
	password = "correct horse battery"
)

// world is a portal over a database of its own, with one person, a clock that the test sets, and a log.
type world struct {
	*Portal
	t    *testing.T
	echo *echo.Echo
	log  *strings.Builder

	mu  sync.Mutex
	now time.Time
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// built is a front end as the build lays it out.
var built = fstest.MapFS{
	"portal/manifest.json": {Data: []byte(`{"portal.css":"aa/portal.css","portal.js":"bb/portal.js","icon.svg":"cc/icon.svg","inter.woff2":"dd/inter.woff2"}`)},
	"portal/aa/portal.css": {Data: []byte("plain")}, "portal/aa/portal.css.br": {Data: []byte("brotli")}, "portal/aa/portal.css.gz": {Data: []byte("gzip")},
	"portal/bb/portal.js": {Data: []byte("script")}, "portal/cc/icon.svg": {Data: []byte("<svg/>")}, "portal/dd/inter.woff2": {Data: []byte("font")},
}

func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	w := &world{t: t, echo: echo.New(), log: &strings.Builder{}, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	people := identity.New(pgtest.New(t), identity.Sandbox, w.clock, nil)
	_, err := people.CreatePerson(t.Context(), identity.NewPerson{Email: dana, Name: "Dana Reed", Password: password,
		Grants: []identity.Grant{{Role: "support_staff", Scope: "system"}}})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Identity: people, Static: built, BaseURL: "http://localhost:8080", Sandbox: true,
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: w.clock}
	if change != nil {
		change(&c)
	}
	if w.Portal, err = New(c); err != nil {
		t.Fatal(err)
	}
	w.Register(w.echo)
	w.echo.HTTPErrorHandler = func(err error, c echo.Context) { w.Error(c, err) }
	return w
}

// answer is what came back, body included.
type answer struct {
	*http.Response
	body string
}

// send asks for a page; headers are pairs of name and value. A form makes it a POST.
func (w *world) send(path string, form url.Values, headers ...string) answer {
	w.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
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
	a := w.send(loginPath, login(dana, password))
	a.wants(w.t, http.StatusSeeOther, home)
	return cookieName + "=" + a.cookie(w.t, cookieName).Value
}

// wants checks status and Location of an answer.
func (a answer) wants(t *testing.T, status int, location string) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Location") != location {
		t.Fatalf("got %d to %q, want %d to %q", a.StatusCode, a.Header.Get("Location"), status, location)
	}
}

// says checks that the page contains the texts.
func (a answer) says(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("the page does not say %q:\n%s", text, a.body)
		}
	}
}

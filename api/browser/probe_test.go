package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labstack/echo/v4"

	"svcpay/static"
)

// deployed is a pay origin of production, behind a proxy, and what a probe of it finds.
func deployed(t *testing.T, proxy func(next http.Handler) http.Handler) (files int, differences []string) {
	t.Helper()
	d := newDonor(t)
	if err := RegisterFiles(d.e, static.FS(), keys, NewLimit(1, d.Clock.Now), true); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(proxy(d.e))
	t.Cleanup(s.Close)
	c := s.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	files, differences, err := Probe{PayURL: s.URL, Static: static.FS(), Production: true, Client: c}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return files, differences
}

func TestAProbeOfTheSameBuildFindsNothing(t *testing.T) {
	t.Parallel()
	files, differences := deployed(t, func(next http.Handler) http.Handler { return next })
	if files < 200 || len(differences) > 0 {
		t.Errorf("%d files, %q", files, differences)
	}
}

// tampered changes the response at a path, for browsers alone.
func tampered(path string, change func(w http.ResponseWriter, was *httptest.ResponseRecorder)) func(
	http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path || !strings.HasPrefix(r.UserAgent(), "Mozilla/5.0 ") {
				next.ServeHTTP(w, r)
				return
			}
			was := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding")
			next.ServeHTTP(was, r)
			for name, values := range was.Header() {
				w.Header()[name] = values
			}
			change(w, was)
		})
	}
}

func TestAProbeNamesWhatWasChanged(t *testing.T) {
	t.Parallel()
	adds := func(text string) func(http.ResponseWriter, *httptest.ResponseRecorder) {
		return func(w http.ResponseWriter, was *httptest.ResponseRecorder) {
			_, _ = w.Write([]byte(was.Body.String() + text))
		}
	}
	const policy = "Content-Security-Policy"
	for _, tt := range []struct {
		path, want string
		change     func(w http.ResponseWriter, was *httptest.ResponseRecorder)
	}{
		{"/3.2/svcpay.js", "is sha384-", adds(";steal()")},
		{"/3.2.0/svcpay.js", "is sha384-", adds(" ")},
		{modalAssets + bundle(t).Path("htmx.js"), "is sha384-", adds(" ")},
		{"/3.2/frame/field", "is sha384-", adds("<script src=https://evil.example></script>")},
		{"/3.2/frame/field", "has the header " + policy, func(w http.ResponseWriter, was *httptest.ResponseRecorder) {
			w.Header().Set(policy, strings.Replace(was.Header().Get(policy), "'self'", "*", 1))
			adds("")(w, was)
		}},
		{"/3.2/frame/controller", "has the header " + policy,
			func(w http.ResponseWriter, was *httptest.ResponseRecorder) {
				w.Header().Del(policy)
				adds("")(w, was)
			}},
		{"/3.2/modal.js", "has the status 302 instead of 200",
			func(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
				w.Header().Set(echo.HeaderLocation, "https://evil.example")
				w.WriteHeader(http.StatusFound)
			}},
		{"/3.2/integrity.json", "can't be fetched",
			func(http.ResponseWriter, *httptest.ResponseRecorder) { panic(http.ErrAbortHandler) }},
	} {
		_, got := deployed(t, tampered(tt.path, tt.change))
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.path+" "+tt.want) {
			t.Errorf("%s: %q", tt.path, got)
		}
	}
}

func bundle(t *testing.T) *static.Bundle {
	t.Helper()
	b, err := static.LoadBundle(static.FS(), "modal")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A program without the library would find nothing to compare.
func TestAProbeNeedsABuiltLibrary(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]fstest.MapFS{"nothing": {}, "no modal": library()} {
		p := Probe{PayURL: "https://pay.example", Static: tree, Client: http.DefaultClient}
		if _, _, err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no browser library") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

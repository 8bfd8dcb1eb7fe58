package portal

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

func TestSessionEndsWhenIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	for range 3 {
		w.pass(14 * time.Minute)
		w.send("/portal", nil, "Cookie", in).wants(t, http.StatusOK, "")
	}
	w.pass(15 * time.Minute)
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal/login?notice=ended", nil).says(t, "Your session has ended. Sign in again to go on.")
}

func TestSessionEndsAfterTwelveHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	for range 71 {
		w.pass(10 * time.Minute)
		w.send("/portal", nil, "Cookie", in).wants(t, http.StatusOK, "")
	}
	w.pass(10 * time.Minute)
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
}

func TestSignOutEndsTheSessionItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	a := w.send("/portal/logout", url.Values{}, "Cookie", in)
	a.wants(t, http.StatusSeeOther, "/portal/login?notice=signed_out")
	if c := a.cookie(t, cookieName); c.Value != "" || c.MaxAge >= 0 || !c.Secure || c.Path != "/" {
		t.Errorf("the cookie becomes %s", c)
	}
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal/login?notice=signed_out", nil).says(t, "You are signed out.")
	w.send("/portal/logout", url.Values{}).wants(t, http.StatusSeeOther, "/portal/login?notice=signed_out")
	w.send("/portal/logout", nil, "Cookie", in).wants(t, http.StatusMethodNotAllowed, "")
}

func TestSessionsFailWithTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := httptest.NewRequest(http.MethodGet, "http://localhost:8080/portal", nil)
	r.Header.Set("Cookie", cookieName+"=x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := w.do(r.WithContext(ctx)); a.StatusCode < 500 {
		t.Errorf("a session that nobody can look up is a %d", a.StatusCode)
	} else {
		a.says(t, a.Header.Get("Request-Id"))
	}
}

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
	w.send("/portal/login?notice=ended", nil).says(t, "Your session expired. Sign in again to continue.")
}

// A form of somebody whose session has ended leads, once they have signed in, back to the page that it stood on: its own address,
// or the nearest above it that is a page. What a form claims of itself is not asked.
func TestAFormLeadsBackToItsPageAfterSigningIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ended := cookieName + "=of-nobody"
	for path, page := range map[string]string{
		feesPath + "/defaults":                   feesPath + "/defaults",
		"/portal/merchants/7/edit":               "/portal/merchants/7/edit",
		"/portal/merchants/7/wallets/domains":    "/portal/merchants/7/wallets",
		"/portal/merchants/7/fees/confirm":       "/portal/merchants/7/fees",
		statusesPath + "/set":                    donationsPath,
		webhooksPath + "/we_1/replays/9/cancel":  webhooksPath + "/we_1/replays/9",
		"/portal/charges/ch_%2F..%2Fx/refund":    "",
		"/portal/merchants/%2F%2Fevil/daf/leave": "",
		switchPath:                               "",
	} {
		a := w.send(path, url.Values{"return": {"https://evil.example"}}, "Cookie", ended, "Referer", "https://evil.example/portal")
		query := url.Values{"notice": {"ended"}}
		if page != "" {
			query.Set("return", page)
		}
		a.wants(t, http.StatusSeeOther, loginPath+"?"+query.Encode())
	}
	a := w.send(feesPath+"/defaults", url.Values{}, "Cookie", ended)
	form := login(dana, password)
	form.Set("return", w.send(a.Header.Get("Location"), nil).hidden(t, "return"))
	w.send(loginPath, form).wants(t, http.StatusSeeOther, feesPath+"/defaults")
}

// Answers say when a session ends, if nothing more is asked for and at the latest: a poll puts nothing off, and what stays does.
func TestAnswersSayWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	says := func(a answer, want string) {
		t.Helper()
		if got := a.Header.Get(sessionHeader); got != want {
			t.Errorf("the session ends in %q, want %q", got, want)
		}
	}
	first := w.send(settingsPath, nil, "Cookie", in)
	says(first, "900 43200")
	first.says(t, `data-lasts="900 43200"`, `data-stay="`+stayPath+`"`, "You’ll be signed out in 2 minutes", `role="alertdialog"`)
	w.pass(14 * time.Minute)
	says(w.send(settingsPath, nil, "Cookie", in, pollHeader, "1"), "60 42360")
	stays := w.send(stayPath, url.Values{}, "Cookie", in)
	stays.wants(t, http.StatusNoContent, "")
	says(stays, "900 42360")
	for range 49 {
		w.pass(14 * time.Minute)
		w.send(stayPath, url.Values{}, "Cookie", in).wants(t, http.StatusNoContent, "")
	}
	w.pass(10 * time.Minute)
	says(w.send(stayPath, url.Values{}, "Cookie", in), "900 600")
	w.pass(10 * time.Minute)
	w.send(stayPath, url.Values{}, "Cookie", in).wants(t, http.StatusSeeOther, loginPath+"?notice=ended")
	w.send(loginPath, nil).lacks(t, "data-lasts")
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
	w.send("/portal/login?notice=signed_out", nil).says(t, "You’re signed out.")
	w.send("/portal/logout", url.Values{}).wants(t, http.StatusSeeOther, "/portal/login?notice=signed_out")
	w.send("/portal/logout", nil, "Cookie", in).wants(t, http.StatusMethodNotAllowed, "")
}

func TestSessionsFailWithTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := httptest.NewRequest(http.MethodGet, "http://localhost:8080/portal", nil)
	r.Header.Set("Cookie", cookieName+"=x")
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if a := w.do(r.WithContext(ctx)); a.StatusCode < 500 {
		t.Errorf("a session that nobody can look up is a %d", a.StatusCode)
	} else {
		a.says(t, a.Header.Get("Request-Id"))
	}
}

package portal

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"svcpay/portal/web"
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

// A form of someone whose session has ended leads, once they have signed in, back to the page that it stood on: its own
// address, or the nearest above it that is a page. What a form claims of itself is not asked.
func TestAFormLeadsBackToItsPageAfterSigningIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ended := web.CookieName + "=of-nobody"
	for path, page := range map[string]string{
		web.FeesPath + "/defaults":                  web.FeesPath + "/defaults",
		"/portal/merchants/7/edit":                  "/portal/merchants/7/edit",
		"/portal/merchants/7/wallets/domains":       "/portal/merchants/7/wallets",
		"/portal/merchants/7/fees/confirm":          "/portal/merchants/7/fees",
		web.DonationsPath + "/statuses/set":         web.DonationsPath,
		web.WebhooksPath + "/we_1/replays/9/cancel": web.WebhooksPath + "/we_1/replays/9",
		"/portal/charges/ch_%2F..%2Fx/refund":       "",
		"/portal/merchants/%2F%2Fevil/daf/leave":    "",
		web.SwitchPath:                              "",
	} {
		a := w.send(path, url.Values{"return": {"https://evil.example"}}, "Cookie", ended, "Referer",
			"https://evil.example/portal")
		query := url.Values{"notice": {"ended"}}
		if page != "" {
			query.Set("return", page)
		}
		a.wants(t, http.StatusSeeOther, web.LoginPath+"?"+query.Encode())
	}
	a := w.send(web.FeesPath+"/defaults", url.Values{}, "Cookie", ended)
	form := login(dana, password)
	form.Set("return", w.send(a.Header.Get("Location"), nil).hidden(t, "return"))
	w.send(web.LoginPath, form).wants(t, http.StatusSeeOther, web.FeesPath+"/defaults")
}

// Answers say when a session ends, if nothing more is asked for and at the latest: a poll puts nothing off, and what
// stays does.
func TestAnswersSayWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	says := func(a answer, want string) {
		t.Helper()
		if got := a.Header.Get(web.SessionHeader); got != want {
			t.Errorf("the session ends in %q, want %q", got, want)
		}
	}
	first := w.send(web.SettingsPath, nil, "Cookie", in)
	says(first, "900 43200")
	first.says(t, `data-lasts="900 43200"`, `data-stay="`+web.StayPath+`"`, "You’ll be signed out in 2 minutes",
		`role="alertdialog"`)
	w.pass(14 * time.Minute)
	says(w.send(web.SettingsPath, nil, "Cookie", in, web.PollHeader, "1"), "60 42360")
	stays := w.send(web.StayPath, url.Values{}, "Cookie", in)
	stays.wants(t, http.StatusNoContent, "")
	says(stays, "900 42360")
	for range 49 {
		w.pass(14 * time.Minute)
		w.send(web.StayPath, url.Values{}, "Cookie", in).wants(t, http.StatusNoContent, "")
	}
	w.pass(10 * time.Minute)
	says(w.send(web.StayPath, url.Values{}, "Cookie", in), "900 600")
	w.pass(10 * time.Minute)
	w.send(web.StayPath, url.Values{}, "Cookie", in).wants(t, http.StatusSeeOther, web.LoginPath+"?notice=ended")
	w.send(web.LoginPath, nil).lacks(t, "data-lasts")
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
	if c := a.cookie(t, web.CookieName); c.Value != "" || c.MaxAge >= 0 || !c.Secure || c.Path != "/" {
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
	r.Header.Set("Cookie", web.CookieName+"=x")
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if a := w.do(r.WithContext(ctx)); a.StatusCode < 500 {
		t.Errorf("a session that nobody can look up is a %d", a.StatusCode)
	} else {
		a.says(t, a.Header.Get("Request-Id"))
	}
}

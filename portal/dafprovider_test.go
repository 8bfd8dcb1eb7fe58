package portal

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/testing/fixture"
	"svcpay/portal/web"
)

// onChariot is the connection of a deployment that uses a Chariot of the test.
func onChariot(t *testing.T, w *fixture.World) (*connection.Service, *fake.Fake) {
	t.Helper()
	f := fake.New(w.Clock.Now())
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	keys := connection.NewKeyring(w.Pool, w.Keys.Secrets)
	p := chariot.New(chariot.Config{Pool: w.Pool, API: s.URL, Now: w.Clock.Now, PagesOrigin: "https://giving.example",
		Credentials: keys.Credentials(chariot.Name)})
	return connection.New(connection.Deps{Pool: w.Pool, Check: w.Gate, Now: w.Clock.Now, Box: w.Keys.Secrets,
		Provider: p}), f
}

// An administrator of the deployment connects Chariot, is told what is missing, and tests the connection. No page shows
// the credentials.
func TestTheDAFProviderIsConnected(t *testing.T) {
	t.Parallel()
	inner := fixture.New(t)
	service, f := onChariot(t, inner)
	w := worldOf(t, inner, func(c *Config) { c.DAFConnection = service })
	admin := w.as(authz.RoleSystemAdmin)
	const connect, test = web.DAFProviderPath + "/connect", web.DAFProviderPath + "/test"
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "Not connected", `href="`+connect+`"`,
		fixture.BaseURL+"/hooks/daf/chariot")
	form := func(text string) url.Values { return url.Values{"credentials": {text}} }
	for text, said := range map[string]string{"": "Fill in this field", "sk_live_1": "rejected the API key",
		"sk_test_é": "ASCII"} {
		a := w.send(connect, form(text), "Cookie", admin)
		a.says(t, said, `aria-invalid="true"`)
		if text != "" {
			a.lacks(t, text)
		}
	}
	f.Busy(true)
	w.send(connect, form(f.Key), "Cookie", admin).says(t, "could not be reached")
	f.Busy(false)
	w.send(connect, form(f.Key), "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	page := w.send(web.SystemPath, nil, "Cookie", admin)
	page.says(t, "Incomplete", "no signing secret", "••••fake", `action="`+test+`"`)
	page.lacks(t, f.Key)
	w.send(connect, form(f.Key+" "+f.Secret), "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	w.send(web.SystemPath, nil, "Cookie", admin).lacks(t, "Incomplete")
	f.NoDeposits(true)
	w.send(test, url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	optional := w.send(web.SystemPath, nil, "Cookie", admin)
	optional.says(t, "Complete", "Not available", "may not read deposits")
	optional.lacks(t, "Incomplete")
	f.Fail("GET /v1/events", fake.Forbidden)
	w.send(test, url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "Incomplete", "may not read events")
	w.pass(11 * time.Minute)
	w.send(connect, nil, "Cookie", admin).says(t, `name="proof_password"`)
	asked := w.send(connect, form(f.Key), "Cookie", admin)
	asked.says(t, `name="proof_password"`)
	asked.lacks(t, f.Key)
}

func TestASandboxWithItsOwnProviderShowsNoConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(web.SystemPath, nil, "Cookie", w.as(authz.RoleSystemAdmin)).lacks(t, web.DAFProviderPath)
	w.send(web.DAFProviderPath+"/connect", nil, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t,
		http.StatusForbidden, "")
}

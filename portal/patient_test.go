package portal

import (
	"net/http"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

// One person's pages leave the database to payments and to everybody else.
func TestAPersonIsShownSoManyPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PerPerson = 1 })
	hasty, other := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleOrganizationAdmin)
	for range web.Burst {
		w.send("/portal/developers", nil, "Cookie", hasty).wants(t, http.StatusOK, "")
	}
	a := w.send("/portal/developers", nil, "Cookie", hasty)
	a.wants(t, http.StatusTooManyRequests, "")
	if a.Header.Get("Retry-After") != "1" {
		t.Errorf("come back after %q", a.Header.Get("Retry-After"))
	}
	w.send("/portal/charges", nil, "Cookie", other).wants(t, http.StatusOK, "")
	w.Clock.Advance(time.Second)
	w.send("/portal/developers", nil, "Cookie", hasty).wants(t, http.StatusOK, "")
}

// Pages without a session are limited by address, and leave other addresses and people who are signed in alone.
func TestAnAddressWithoutASessionIsShownSoManyPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PerPerson = 1 })
	person := w.as(authz.RoleApplicationAdmin)
	for i := range web.Burst {
		path, status := web.LoginPath, http.StatusOK
		if i%2 == 1 {
			path, status = "/portal/charges", http.StatusSeeOther // to the sign-in
		}
		if a := w.send(path, nil); a.StatusCode != status {
			t.Fatalf("%s: %d", path, a.StatusCode)
		}
	}
	w.send(web.LoginPath, nil).wants(t, http.StatusTooManyRequests, "")
	w.send("/portal/charges", nil).wants(t, http.StatusTooManyRequests, "")
	w.send("/portal/charges", nil, "Cookie", person).wants(t, http.StatusOK, "")
}

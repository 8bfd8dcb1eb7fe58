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

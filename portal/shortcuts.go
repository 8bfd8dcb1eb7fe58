package portal

import (
	"net/http"

	"svcpay/portal/web"
	"svcpay/views"
)

const (
	keysPath      = "/portal/keys"
	shortcutsPath = "/portal/shortcuts"
	keysCookie    = "__Host-svcpay-keys"
	quiet         = "quiet"
)

// quietKeys tells whether shortcuts of letters alone were turned off in this browser: who dictates, or presses
// keys by accident, must be able to.
func quietKeys(r *http.Request) bool {
	cookie, err := r.Cookie(keysCookie)
	return err == nil && cookie.Value == quiet
}

func (p *Portal) showShortcuts(c *web.Request) error {
	t := c.Text().Shortcuts
	return web.Render(c, http.StatusOK, views.ShortcutsPage(c.Page(t.Title), home))
}

func (p *Portal) setKeys(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	age := -1
	if form.Get("keys") == quiet {
		age = themeAge
	}
	c.SetCookie(&http.Cookie{Name: keysCookie, Value: quiet, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return web.SeeOther(c, web.LocalPath(form.Get("return")))
}

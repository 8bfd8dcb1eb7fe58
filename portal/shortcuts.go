package portal

import (
	"net/http"
	"net/url"

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

func showShortcuts(c *web.Request) error {
	t := c.Text().Shortcuts
	return web.Render(c, http.StatusOK, views.ShortcutsPage(c.Page(t.Title), home))
}

func setKeys(c *web.Request, form url.Values) (web.Done, error) {
	age := -1
	if form.Get("keys") == quiet {
		age = themeAge
	}
	c.SetCookie(hostCookie(keysCookie, quiet, age))
	return web.Done{To: web.LocalPath(form.Get("return"))}, nil
}

package portal

import (
	"net/http"
	"net/url"

	"svcpay/portal/web"
	"svcpay/views"
)

const (
	themeCookie = "__Host-svcpay-theme"
	themeAge    = 365 * 24 * 60 * 60 // seconds
	systemTheme = "system"
)

func knownTheme(s string) bool { return s == "light" || s == "dark" || s == systemTheme }

// themeOf returns the theme that was chosen in this browser, else that of the device.
func themeOf(r *http.Request) string {
	if cookie, err := r.Cookie(themeCookie); err == nil && knownTheme(cookie.Value) {
		return cookie.Value
	}
	return systemTheme
}

func (p *Portal) setTheme(c *web.Request, form url.Values) (done web.Done, err error) {
	theme := form.Get("theme")
	if !knownTheme(theme) {
		return done, errTheme
	}
	person, known, err := p.person(c)
	if err == nil && known {
		err = p.Identity.SetTheme(c.Ctx(), person.ID, theme)
	}
	if err == nil {
		c.SetCookie(hostCookie(themeCookie, theme, themeAge))
	}
	return web.Done{To: web.LocalPath(form.Get("return"))}, err
}

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

package portal

import (
	"net/http"

	"svcpay/portal/web"
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

func (p *Portal) setTheme(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	theme := form.Get("theme")
	if !knownTheme(theme) {
		return errTheme
	}
	if person, known, err := p.person(c); err != nil {
		return err
	} else if known {
		if err := p.Identity.SetTheme(c.Ctx(), person.ID, theme); err != nil {
			return err
		}
	}
	c.SetCookie(hostCookie(themeCookie, theme, themeAge))
	return web.SeeOther(c, web.LocalPath(form.Get("return")))
}

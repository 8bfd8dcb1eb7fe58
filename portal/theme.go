package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"
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

func (p *Portal) setTheme(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	theme := form.Get("theme")
	if !knownTheme(theme) {
		return errTheme
	}
	c.SetCookie(&http.Cookie{Name: themeCookie, Value: theme, Path: "/", MaxAge: themeAge, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return seeOther(c, localPath(form.Get("return")))
}

package web

import "net/http"

// A browser keeps the theme that was chosen in it.
const (
	ThemeCookie = "__Host-svcpay-theme"
	ThemeAge    = 365 * 24 * 60 * 60 // seconds
	systemTheme = "system"
)

// KnownTheme reports whether there is such a theme.
func KnownTheme(s string) bool { return s == "light" || s == "dark" || s == systemTheme }

// ThemeOf returns the theme that was chosen in this browser, else that of the device.
func ThemeOf(r *http.Request) string {
	if cookie, err := r.Cookie(ThemeCookie); err == nil && KnownTheme(cookie.Value) {
		return cookie.Value
	}
	return systemTheme
}

// A browser keeps whether shortcuts of letters alone are turned off in it: the cookie then has Quiet.
const (
	KeysCookie = "__Host-svcpay-keys"
	Quiet      = "quiet"
)

// quietKeys reports whether shortcuts of letters alone were turned off in this browser: a person who dictates, or
// presses keys by accident, must be able to.
func quietKeys(r *http.Request) bool {
	cookie, err := r.Cookie(KeysCookie)
	return err == nil && cookie.Value == Quiet
}

package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"

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

func (p *Portal) showShortcuts(c echo.Context) error {
	t := say(c).Shortcuts
	return render(c, http.StatusOK, views.ShortcutsPage(p.page(c, t.Title), home))
}

func (p *Portal) setKeys(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	age := -1
	if form.Get("keys") == quiet {
		age = themeAge
	}
	c.SetCookie(&http.Cookie{Name: keysCookie, Value: quiet, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return seeOther(c, localPath(form.Get("return")))
}

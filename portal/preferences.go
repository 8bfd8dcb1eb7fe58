package portal

import (
	"net/http"
	"net/url"

	"svcpay/portal/web"
	"svcpay/views"
)

func (p *Portal) setTheme(c *web.Request, form url.Values) (done web.Done, err error) {
	theme := form.Get("theme")
	if !web.KnownTheme(theme) {
		return done, errTheme
	}
	person, known, err := p.desk.Person(c)
	if err == nil && known {
		err = p.Identity.SetTheme(c.Ctx(), person.ID, theme)
	}
	if err == nil {
		c.SetCookie(web.HostCookie(web.ThemeCookie, theme, web.ThemeAge))
	}
	return web.Done{To: web.LocalPath(form.Get("return"))}, err
}

func showShortcuts(c *web.Request) error {
	t := c.Text().Shortcuts
	return web.Render(c, http.StatusOK, views.ShortcutsPage(c.Page(t.Title), web.Home))
}

func setKeys(c *web.Request, form url.Values) (web.Done, error) {
	age := -1
	if form.Get("keys") == web.Quiet {
		age = web.ThemeAge
	}
	c.SetCookie(web.HostCookie(web.KeysCookie, web.Quiet, age))
	return web.Done{To: web.LocalPath(form.Get("return"))}, nil
}

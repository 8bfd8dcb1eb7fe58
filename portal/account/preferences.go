package account

import (
	"net/http"
	"net/url"

	"svcpay/internal/fault"
	"svcpay/portal/web"
	"svcpay/views"
)

var errTheme = fault.Invalid("parameter_invalid", "There is no such theme.")

// preferenceRoutes are those of what a browser keeps, whether its person is signed in or not.
func (p *Pages) preferenceRoutes() []web.Route {
	return []web.Route{
		web.Post("/portal/theme", web.Public, web.Act(p.setTheme)),
		web.Post(web.KeysPath, web.Public, web.Act(setKeys)),
		web.Get(web.ShortcutsPath, web.Public, showShortcuts),
	}
}

func (p *Pages) setTheme(c *web.Request, form url.Values) (done web.Done, err error) {
	theme := form.Get("theme")
	if !web.KnownTheme(theme) {
		return done, errTheme
	}
	person, known, err := p.Person(c)
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

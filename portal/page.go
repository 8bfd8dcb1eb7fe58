package portal

import (
	"net/http"

	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
)

// Page begins a page with a title for the visitor: its frame, with the pages that they may open.
func (p *Portal) Page(c *web.Request, title string) views.Page {
	r := c.Request()
	page := views.Page{Title: title, Theme: themeOf(r), Return: home, Sandbox: p.Sandbox, Files: p.files.pages,
		Shortcuts: shortcutsPath, QuietKeys: quietKeys(r)}
	if r.Method == http.MethodGet || r.URL.Path == loginPath {
		page.Return = web.LocalPath(r.URL.RequestURI())
	}
	if visit, known, err := p.visitor(c); err == nil && known { // a page about an error may have to do without
		reachable := c.Reachable()
		page.Person, page.Email, page.Nav = visit.Name, mailbox.Shown(visit.Email), navigation(c, reachable)
		page.Session, page.Stay, page.SignIn = p.sessionEnds(visit), stayPath, loginPath
		page.ViewAs, page.Viewing, page.EndView = among(reachable, viewPath), viewBar(c), viewPath+"/end"
		page.Search, page.Settings = among(reachable, searchPath), among(reachable, settingsPath)
		page.Switcher, page.Place = p.switcher(c, page.Return), web.CurrentPlace(c)
	}
	if _, fragment := web.FragmentOf(r); !fragment {
		page.Toasts = web.Toasts(c)
	}
	return page
}

// among is a path that can be reached, else "".
func among(reachable map[string]bool, path string) string {
	if reachable[path] {
		return path
	}
	return ""
}

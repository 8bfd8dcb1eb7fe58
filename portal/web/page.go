package web

import (
	"net/http"

	"svcpay/internal/platform/mailbox"
	"svcpay/views"
)

// page begins a page with a title for the visitor: its frame, with the pages that they may open.
func (d *Desk) page(c *Request, title string) views.Page {
	r := c.Request()
	page := views.Page{Title: title, Theme: ThemeOf(r), Return: Home, Sandbox: d.Sandbox, Files: d.files,
		Shortcuts: ShortcutsPath, QuietKeys: quietKeys(r)}
	if r.Method == http.MethodGet || r.URL.Path == LoginPath {
		page.Return = LocalPath(r.URL.RequestURI())
	}
	if visit, known, err := d.Visitor(c); err == nil && known { // a page about an error may have to do without
		reachable := c.Reachable()
		page.Person, page.Email, page.Nav = visit.Name, mailbox.Shown(visit.Email), navigation(c, reachable)
		page.Session, page.Stay, page.SignIn = d.sessionEnds(visit), StayPath, LoginPath
		page.ViewAs, page.Viewing, page.EndView = Among(reachable, ViewPath), viewBar(c), ViewPath+"/end"
		page.Search, page.Settings = Among(reachable, SearchPath), Among(reachable, SettingsPath)
		page.Switcher, page.Place = d.switcher(c, page.Return), currentPlace(c)
	}
	if _, fragment := FragmentOf(r); !fragment {
		page.Toasts = toasts(c)
	}
	return page
}

// Among is a path that can be reached, else "".
func Among(reachable map[string]bool, path string) string {
	if reachable[path] {
		return path
	}
	return ""
}

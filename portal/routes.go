package portal

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Addresses that several handlers know.
const (
	home      = web.Home
	loginPath = "/portal/login"
	// Pages that the frame of all others leads to once they are in the table.
	searchPath   = "/portal/search"
	settingsPath = "/portal/settings"
)

// access says who may call a route: whoever holds that permission where they act, or one of these.
type access string

// Those that need no permission.
const (
	public   access = "public"    // everybody
	signedIn access = "signed in" // whoever has a session: the page shows only the person's own account
)

// route is one line of the table of everything that the portal answers. A GET answers HEAD too.
type route struct {
	method  string
	path    string
	access  access
	handler web.Handler
}

func (p *Portal) routes() []route {
	rs := []route{
		{http.MethodGet, "/", public, goHome},
		{http.MethodGet, home + "/", public, goHome},
		{http.MethodGet, "/static/*", public, p.files.serve},
		{http.MethodPost, "/portal/theme", public, web.Act(p.setTheme)},
		{http.MethodPost, keysPath, public, web.Act(setKeys)},
		{http.MethodGet, shortcutsPath, public, showShortcuts},
		{http.MethodGet, home, signedIn, p.showHome},
		{http.MethodPost, switchPath, signedIn, web.Act(p.switchPlace)},
		{http.MethodPost, stayPath, signedIn, stay},
	}
	rs = append(rs, p.signInRoutes()...)
	rs = append(rs, p.settingsRoutes()...)
	rs = append(rs, p.teamRoutes()...)
	rs = append(rs, p.controlRoutes()...)
	rs = append(rs, p.inboxRoutes()...)
	rs = append(rs, p.donationRoutes()...)
	rs = append(rs, p.merchantRoutes()...)
	rs = append(rs, p.developerRoutes()...)
	rs = append(rs, p.chargeRoutes()...)
	rs = append(rs, p.disputeRoutes()...)
	rs = append(rs, p.payoutRoutes()...)
	rs = append(rs, p.chargeActRoutes()...)
	rs = append(rs, p.refundRoutes()...)
	rs = append(rs, p.receiptRoutes()...)
	if p.Sandbox {
		rs = append(rs, p.kitRoutes()...)
	}
	return rs
}

// form are the two routes of a form: one draws it, the other takes it.
func form[T any](path string, needed authz.Permission, f web.Form[T]) []route {
	return []route{{http.MethodGet, path, access(needed), f.Show}, {http.MethodPost, path, access(needed), f.Submit}}
}

// freshForm has a form taken only from a visitor who has just verified their identity, see [Portal.fresh].
func (p *Portal) freshForm(routes []route) []route {
	routes[1].handler = p.fresh(routes[1].handler)
	return routes
}

// otherTitle is above the mistakes of a form that is about something else than its inputs.
func otherTitle(t *text.Catalogue) string { return t.Failures.Other }

func goHome(c *web.Request) error { return web.SeeOther(c, home) }

// fileEnds are the ends of the addresses of files. What stands before them is the address of the page that offers the file.
var fileEnds = []string{"/entries.csv", "/deliveries.csv", "/receipt.pdf", ".csv", ".pdf"}

// offering is the page that offers a file, and false for an address that is a page itself.
func offering(address string) (page string, file bool) {
	u, err := url.Parse(address)
	if err != nil {
		return home, false
	}
	for _, end := range fileEnds {
		if u.Path, file = strings.CutSuffix(u.Path, end); file {
			return u.RequestURI(), true
		}
	}
	return address, false
}

// continueTo leads to the address that the visitor asked for before they signed in or verified their identity. A file replaces
// no page, and a browser would stay on the question: the visitor gets the page that offers the file, which fetches it.
func continueTo(c *web.Request, to string) web.Done {
	page, file := offering(to)
	if file {
		t := c.Text().Proof
		return web.Done{To: page, Toast: ui.Toast{Tone: ui.Success, Text: t.FileReady, Href: to, Link: t.FileFetch, Fetch: true}}
	}
	return web.Done{To: page}
}

// withoutQuery leads from a page whose query cannot be read to the same page without it, or to the page that offers
// the file.
func withoutQuery(c *web.Request) ui.Button {
	if c.Request().Method != http.MethodGet {
		return ui.Button{}
	}
	page, _ := offering(web.LocalPath(c.Request().URL.EscapedPath()))
	return ui.Button{Label: c.Text().Failures.WithoutQuery, Href: page}
}

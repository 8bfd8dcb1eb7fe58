package portal

import (
	"net/http"
	"net/url"
	"strings"

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

func (p *Portal) routes() []web.Route {
	rs := []web.Route{
		web.Get("/", web.Public, goHome),
		web.Get(home+"/", web.Public, goHome),
		web.Get("/static/*", web.Public, p.files.serve),
		web.Post("/portal/theme", web.Public, web.Act(p.setTheme)),
		web.Post(keysPath, web.Public, web.Act(setKeys)),
		web.Get(shortcutsPath, web.Public, showShortcuts),
		web.Get(home, web.SignedIn, p.showHome),
		web.Post(switchPath, web.SignedIn, web.Act(p.switchPlace)),
		web.Post(stayPath, web.SignedIn, stay),
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

// freshForm has a form taken only from a visitor who has just verified their identity, see [Portal.fresh].
func (p *Portal) freshForm(routes []web.Route) []web.Route {
	routes[1].Handler = p.fresh(routes[1].Handler)
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

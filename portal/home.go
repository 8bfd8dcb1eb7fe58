package portal

import (
	"net/http"

	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// showHome is the home page: of the application that somebody works with, else of their account.
func (p *Portal) showHome(c *web.Request) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	if a, err := p.acting(c); err == nil && a.Actor.ApplicationID != 0 {
		return p.showDashboard(c, a.Place, person)
	}
	t := c.Text()
	view := views.Home{Name: person.Name, Email: mailbox.Shown(person.Email), Grants: grantPairs(t, person.Grants), APIURL: p.BaseURL + "/api"}
	return web.Render(c, http.StatusOK, views.HomePage(c.Page(t.Home.Title), view))
}

// grantPairs says of each role where it applies.
func grantPairs(t *text.Catalogue, grants []identity.Grant) []ui.Pair {
	if len(grants) == 0 {
		return []ui.Pair{{Key: t.Home.Role, Value: t.Home.NoRole, Detail: t.Home.NoRoleText}}
	}
	var pairs []ui.Pair
	for _, g := range grants {
		pairs = append(pairs, ui.Pair{Key: t.Home.Role, Value: t.Roles[g.Role], Detail: placeOf(t.Home, g)})
	}
	return pairs
}

// placeOf names where a role applies.
func placeOf(t text.Home, g identity.Grant) string {
	switch g.Scope {
	case "app":
		return t.InApplication(g.ScopeName)
	case "org":
		return t.InOrganization(g.ScopeName)
	}
	return t.InSystem
}

package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/ui"
)

// roleNames are the roles as people read them.
var roleNames = map[string]string{
	"system_admin":       "System administrator",
	"support_staff":      "Support staff",
	"application_admin":  "Application administrator",
	"organization_admin": "Organization administrator",
	"organization_staff": "Organization staff",
}

func (p *Portal) showHome(c echo.Context) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	page := p.page(c, "Home")
	page.Person = person.Name
	view := views.Home{Name: person.Name, Email: person.Email, Grants: grantPairs(person.Grants), APIURL: p.BaseURL + "/api"}
	return render(c, http.StatusOK, views.HomePage(page, view))
}

// grantPairs says of each role where it applies.
func grantPairs(grants []identity.Grant) []ui.Pair {
	if len(grants) == 0 {
		return []ui.Pair{{Key: "Role", Value: "None yet", Detail: "Ask whoever added you here to give you one."}}
	}
	var pairs []ui.Pair
	for _, g := range grants {
		pairs = append(pairs, ui.Pair{Key: "Role", Value: roleNames[g.Role], Detail: placeOf(g)})
	}
	return pairs
}

// placeOf names where a role applies.
func placeOf(g identity.Grant) string {
	switch g.Scope {
	case "app":
		return "In the application " + g.ScopeName
	case "org":
		return "In the organization " + g.ScopeName
	}
	return "In the whole service"
}

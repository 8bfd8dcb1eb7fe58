package overview

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

const auditCSV = web.AuditPath + ".csv"

// permissions are those that some role of people has, or could have, in the order of their resources.
func permissions(t *text.Catalogue) []authz.Permission {
	var out []authz.Permission
	for name := range t.Permissions {
		out = append(out, authz.Permission(name))
	}
	slices.SortFunc(out, func(a, b authz.Permission) int {
		resource := func(p authz.Permission) string { name, _, _ := strings.Cut(string(p), ":"); return name }
		return cmp.Or(cmp.Compare(resource(a), resource(b)), -cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return out
}

// rank puts what reads before what changes.
func rank(p authz.Permission) int {
	if strings.HasSuffix(string(p), ":read") {
		return 1
	}
	return 0
}

func (p *Pages) showRoles(c *web.Request) error {
	t, mine := c.Text(), c.Actor().Role
	var view views.Policy
	for _, r := range authz.PeopleRoles() {
		view.Roles = append(view.Roles, views.PolicyRole{Name: t.Roles[string(r)], Yours: r == mine})
	}
	for _, needed := range permissions(t) {
		row := views.PolicyRow{Right: t.Permissions[string(needed)], Permission: string(needed)}
		held := p.Holders(needed)
		for _, r := range authz.PeopleRoles() {
			row.Allowed = append(row.Allowed, slices.Contains(held, r))
		}
		view.Rows = append(view.Rows, row)
	}
	return web.Render(c, http.StatusOK, views.PolicyPage(c.Page(t.Policy.Title), view))
}

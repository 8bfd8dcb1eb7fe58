package portal

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

const (
	rolesPath = "/portal/roles"
	auditPath = "/portal/audit"
	chainPath = auditPath + "/chain"
	auditCSV  = auditPath + ".csv"
)

// controlRoutes are the pages about what people may do and did.
func (p *Portal) controlRoutes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(systemPath, authz.SystemRead, p.showSystem),
		web.Get(associationPath, authz.AssociationWrite, web.Show(p.associations, showAssociation)),
		web.Post(associationPath, authz.AssociationWrite, p.associationForm().Submit),
		web.Post(installPath, authz.AssociationWrite, p.fresh(web.Act(p.installAssociation))),
		web.Post(uninstallPath+"/:version", authz.AssociationWrite, p.fresh(web.Act(p.undoAssociation))),
		web.Post(viewPath+"/end", web.SignedIn, web.Act(p.endView)),
		web.Get(searchPath, authz.SearchRead, p.showSearch),
		web.Get(rolesPath, authz.RoleRead, p.showRoles),
		web.Get(auditPath, authz.AuditRead, p.auditList().Show),
		web.Get(auditCSV, authz.ExportCreate, p.auditList().Send),
		web.Get(chainPath, authz.AuditRead, p.showChain),
		web.Get(auditPath+"/:id", authz.AuditRead, web.Show(p.auditEntry, p.showAuditEntry)),
	}, p.newApplicationForm().Routes(newApplicationPath, authz.ApplicationManage), p.viewAsForm().Routes(viewPath, authz.ViewAs))
}

// holder is somebody with a role where it belongs: whom the policy is asked about.
func holder(r authz.Role) authz.Actor {
	d := authz.Domain{Scope: r.Scope(), ID: 1}
	if r.Scope() == authz.ScopeSystem {
		d.ID = 0
	}
	return authz.Actor{Role: r, PersonID: 1, ApplicationID: 1, Granted: d}
}

// holders are the roles of people that have a permission, by the policy that is enforced.
func (p *Portal) holders(needed authz.Permission) (out []authz.Role) {
	for _, r := range authz.PeopleRoles() {
		if p.Audit.Check(holder(r), needed) == nil {
			out = append(out, r)
		}
	}
	return out
}

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

func (p *Portal) showRoles(c *web.Request) error {
	t, mine := c.Text(), c.Actor().Role
	var view views.Policy
	for _, r := range authz.PeopleRoles() {
		view.Roles = append(view.Roles, views.PolicyRole{Name: t.Roles[string(r)], Yours: r == mine})
	}
	for _, needed := range permissions(t) {
		row := views.PolicyRow{Right: t.Permissions[string(needed)], Permission: string(needed)}
		held := p.holders(needed)
		for _, r := range authz.PeopleRoles() {
			row.Allowed = append(row.Allowed, slices.Contains(held, r))
		}
		view.Rows = append(view.Rows, row)
	}
	return web.Render(c, http.StatusOK, views.PolicyPage(c.Page(t.Policy.Title), view))
}

// lacks says which right somebody lacks, who has it, and who here can give it.
func (p *Portal) lacks(c *web.Request, needed authz.Permission) string {
	t := c.Text()
	words := []string{t.Rights.Needs(cmp.Or(t.Permissions[string(needed)], string(needed)), string(needed))}
	held := p.holders(needed)
	if len(held) == 0 {
		return words[0]
	}
	var names []string
	for _, r := range held {
		names = append(names, t.Roles[string(r)])
	}
	words = append(words, t.Rights.Held(strings.Join(names, ", ")))
	a, err := p.acting(c)
	if err != nil {
		return strings.Join(words, " ")
	}
	return strings.Join(append(words, p.whoGives(c, a.Actor, held)), " ")
}

// whoGives names administrators of the visitor's own domain if one of the roles is given there; else the role
// of those to ask.
func (p *Portal) whoGives(c *web.Request, a authz.Actor, held []authz.Role) string {
	t := c.Text()
	if slices.ContainsFunc(held, func(r authz.Role) bool { return r.Scope() == a.Domain().Scope }) {
		names, place, err := p.Identity.Administrators(c.Ctx(), a)
		if err == nil && len(names) > 0 {
			return t.Rights.Ask(strings.Join(names, ", "), cmp.Or(place, t.Places.Deployment))
		}
	}
	// The narrowest role that gives one of these.
	givers := map[authz.Scope]authz.Role{authz.ScopeOrganization: authz.RoleOrganizationAdmin, authz.ScopeApplication: authz.RoleApplicationAdmin,
		authz.ScopeSystem: authz.RoleSystemAdmin}
	narrowest := held[len(held)-1]
	return t.Rights.AskMore(strings.ToLower(t.Roles[string(givers[narrowest.Scope()])]))
}
